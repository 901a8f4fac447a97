// SPDX-License-Identifier: Apache-2.0
// Joins two files of comma-separated values, which it makes first: orders with the number of a customer, and customers, by MPI:
// each rank reads its share of both; rows go to the rank of their customer, which joins those that it gets.
#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "examples/open_table.hpp"

namespace {

struct order {
  std::uint64_t customer, amount;
};
struct share {
  std::size_t first, end;
};
share share_of(std::size_t n, int rank, int ranks) {
  return {n * std::size_t(rank) / std::size_t(ranks), n * std::size_t(rank + 1) / std::size_t(ranks)};
}

MPI_File open(const std::string& path, int how) {
  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, path.c_str(), how, MPI_INFO_NULL, &file) != MPI_SUCCESS) {
    std::fprintf(stderr, "cannot open %s\n", path.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return file;
}

void write(const std::string& path, const std::string& text) {
  MPI_File file = open(path, MPI_MODE_CREATE | MPI_MODE_WRONLY);
  std::uint64_t before = 0, size = text.size(), all = 0;
  MPI_Exscan(&size, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&size, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_File_set_size(file, MPI_Offset(all));
  MPI_File_write_at(file, MPI_Offset(before), text.data(), int(text.size()), MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/// Writes both files. Order i is of customer 7 * i modulo twice their number, so that half of them are unknown.
void make_files(const std::string& path, std::size_t orders, std::size_t customers, int rank, int ranks) {
  std::string text;
  for (auto [i, end] = share_of(orders, rank, ranks); i < end; ++i)
    text += std::to_string(i * 7 % (2 * customers)) + ',' + std::to_string(i % 100) + '\n';
  write(path + ".orders", text);
  text.clear();
  for (auto [i, end] = share_of(customers, rank, ranks); i < end; ++i)
    text += std::to_string(i) + ",name " + std::to_string(i) + '\n';
  write(path + ".customers", text);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// This rank's lines of a file: those that begin in its share.
std::string read(const std::string& path, int rank, int ranks) {
  MPI_File file = open(path, MPI_MODE_RDONLY);
  MPI_Offset size = 0;
  MPI_File_get_size(file, &size);
  const MPI_Offset begin = size * rank / ranks, end = size * (rank + 1) / ranks, longest = 256;
  const MPI_Offset from = begin > 0 ? begin - 1 : 0, to = std::min(size, end + longest);
  std::string text(std::size_t(to - from), '\0');
  MPI_File_read_at(file, from, text.data(), int(to - from), MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  const std::size_t last = text.find('\n', std::size_t(std::max<MPI_Offset>(end - from - 1, 0)));
  if (last != std::string::npos) text.resize(last + 1);
  if (begin > 0) text.erase(0, text.find('\n') + 1);
  return text;
}

/// Calls use(number, rest) for each line.
template <class Use>
void each_line(const std::string& text, Use use) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::uint64_t number = 0;
    const auto [next, error] = std::from_chars(text.data() + at, text.data() + end, number);
    if (error != std::errc{} || *next != ',') {
      std::fprintf(stderr, "a bad line\n");
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    use(number, std::string_view(next + 1, text.data() + end));
    at = end + 1;
  }
}

/// Texts for each rank; what has come.
std::string exchange(const std::vector<std::string>& rows) {
  std::vector<int> out, out_at, in(rows.size()), in_at(rows.size());
  std::string sent;
  for (const std::string& row : rows) {
    out_at.push_back(int(sent.size()));
    out.push_back(int(row.size()));
    sent += row;
  }
  MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (std::size_t r = 1; r < in.size(); ++r) in_at[r] = in_at[r - 1] + in[r - 1];
  std::string come(std::size_t(in_at.back() + in.back()), '\0');
  MPI_Alltoallv(sent.data(), out.data(), out_at.data(), MPI_CHAR, come.data(), in.data(), in_at.data(), MPI_CHAR, MPI_COMM_WORLD);
  return come;
}

void pack(std::string& to, const void* bytes, std::size_t n) { to.append(static_cast<const char*>(bytes), n); }

std::vector<order> orders_here(const std::string& text, int ranks) {
  std::vector<std::string> rows(static_cast<std::size_t>(ranks));
  each_line(text, [&](std::uint64_t customer, std::string_view rest) {
    order o{customer, 0};
    std::from_chars(rest.data(), rest.data() + rest.size(), o.amount);
    pack(rows[customer % rows.size()], &o, sizeof o);
  });
  const std::string come = exchange(rows);
  std::vector<order> all(come.size() / sizeof(order));
  std::memcpy(all.data(), come.data(), come.size());
  return all;
}

struct mixed {
  std::uint64_t operator()(std::uint64_t x) const { return x * 0x9e3779b97f4a7c15ULL; }
};
using names_of = open_table<std::uint64_t, std::string_view, mixed>;

/// The names lie in `come`.
names_of customers_here(const std::string& text, int ranks, std::string& come) {
  std::vector<std::string> rows(static_cast<std::size_t>(ranks));
  each_line(text, [&](std::uint64_t customer, std::string_view name) {
    std::string& row = rows[customer % rows.size()];
    const std::uint64_t length = name.size();
    pack(row, &customer, sizeof customer);
    pack(row, &length, sizeof length);
    row += name;
  });
  come = exchange(rows);
  names_of all(~std::uint64_t{0});
  for (std::size_t at = 0; at < come.size();) {
    std::uint64_t head[2];
    std::memcpy(head, come.data() + at, sizeof head);
    all[head[0]] = std::string_view(come).substr(at + sizeof head, head[1]);
    at += sizeof head + head[1];
  }
  return all;
}

struct joined {
  order o;
  std::string_view name;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) {
    if (rank == 0) std::fprintf(stderr, "usage: %s ORDERS FILE\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const std::size_t orders = std::size_t(std::atoll(argv[1])), customers = orders / 10 + 1;
  const std::string path = argv[2];
  make_files(path, orders, customers, rank, ranks);
  const double start = MPI_Wtime();
  std::string come;
  const names_of names = customers_here(read(path + ".customers", rank, ranks), ranks, come);
  std::vector<joined> all;
  const std::vector<order> mine = orders_here(read(path + ".orders", rank, ranks), ranks);
  for (const order& o : mine)
    if (const std::string_view* const name = names.find(o.customer)) all.push_back({o, *name});
  std::uint64_t sums[2] = {all.size(), 0};
  for (const joined& row : all) sums[1] += row.o.amount;
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  const double time = MPI_Wtime() - start;
  std::uint64_t known = 0, wanted = 0;
  for (std::size_t i = 0; i < orders; ++i)
    if (i * 7 % (2 * customers) < customers) ++known, wanted += i % 100;
  const bool right = sums[0] == known && sums[1] == wanted;
  if (rank == 0)
    std::printf("%lu of %zu orders joined, %lu in all, %.3f s: %s\n", (unsigned long)sums[0], orders, (unsigned long)sums[1],
                time, right ? "right" : "WRONG");
  MPI_Finalize();
  return right ? 0 : 1;
}
