// SPDX-License-Identifier: Apache-2.0
// Histogram and index gather with updates collected by hand into buffers of 64 KiB a destination.
#include <mpi.h>

#include <cstring>

#include "bench/baseline/mpi.hpp"
#include "bench/kernels/updates.hpp"

namespace bench::mpi {
namespace {

constexpr std::size_t buffer_items = 65536 / 8;
using items = std::vector<std::uint64_t>;
enum tag { data, last, request, answer };

/// Two buffers for each destination: one is filled while the other travels. Receives stand ready for every source.
class exchange {
 public:
  exchange(row_context& c, std::uint64_t* table)
      : me_(c.rank), table_(table), out_(std::size_t(c.ranks)), in_(std::size_t(c.ranks)) {
    for (side& o : out_) o.buffer[0].resize(buffer_items), o.buffer[1].resize(buffer_items);
    for (items& i : in_) i.resize(buffer_items);
    receives_.assign(std::size_t(c.ranks), MPI_REQUEST_NULL);
    ending_ = c.ranks - 1;
    for (int r = 0; r < c.ranks; ++r)
      if (r != me_) receive(r);
  }

  void run(const items& all) {
    for (const std::uint64_t i : all) {
      const int r = updates::owner(i);
      if (r == me_) {
        ++table_[updates::local(i)];
        continue;
      }
      side& o = out_[std::size_t(r)];
      o.buffer[o.at][o.filled] = updates::local(i);
      if (++o.filled == buffer_items) send(r, data);
    }
    for (int r = 0; r < int(out_.size()); ++r)
      if (r != me_) send(r, last);
    while (ending_ != 0) poll();
    for (side& o : out_) MPI_Waitall(2, o.travelling, MPI_STATUSES_IGNORE);
  }

 private:
  struct side {
    items buffer[2];
    MPI_Request travelling[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int at = 0;
    std::size_t filled = 0;
  };

  void receive(int r) {
    MPI_Irecv(in_[std::size_t(r)].data(), int(buffer_items), MPI_UINT64_T, r, MPI_ANY_TAG, MPI_COMM_WORLD,
              &receives_[std::size_t(r)]);
  }

  void send(int r, tag kind) {
    side& o = out_[std::size_t(r)];
    MPI_Isend(o.buffer[o.at].data(), int(o.filled), MPI_UINT64_T, r, kind, MPI_COMM_WORLD, &o.travelling[o.at]);
    o.at = 1 - o.at;
    o.filled = 0;
    for (int done = 0; done == 0; MPI_Test(&o.travelling[o.at], &done, MPI_STATUS_IGNORE)) poll();
  }

  void poll() {
    int which = MPI_UNDEFINED, done = 0, count = 0;
    MPI_Status status;
    MPI_Testany(int(receives_.size()), receives_.data(), &which, &done, &status);
    if (done == 0 || which == MPI_UNDEFINED) return;
    MPI_Get_count(&status, MPI_UINT64_T, &count);
    const std::uint64_t* index = in_[std::size_t(which)].data();
    for (int k = 0; k < count; ++k) ++table_[index[k]];
    if (status.MPI_TAG == last)
      --ending_;
    else
      receive(which);
  }

  int me_;
  std::uint64_t* table_;
  std::vector<side> out_;
  std::vector<items> in_;
  std::vector<MPI_Request> receives_;
  int ending_;
};

double histogram(row_context& c) {
  const items& all = updates::cached_indices(c.rank, c.ranks, c.iterations, c.size);
  items table(updates::words);
  exchange work(c, table.data());
  MPI_Barrier(MPI_COMM_WORLD);
  const std::uint64_t start = now_ns();
  work.run(all);
  MPI_Barrier(MPI_COMM_WORLD);
  const double result = double(now_ns() - start) / double(c.iterations);
  const std::uint64_t mine = updates::marks_of(all) - updates::marks_of_table(table.data(), c.rank);
  std::uint64_t difference = 1;
  MPI_Allreduce(&mine, &difference, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  verify(difference == 0, "histogram");
  return result;
}

/// Reads by rounds: requests of all ranks are collected, exchanged, answered, and put where they belong.
class gatherer {
 public:
  gatherer(row_context& c, const items& table)
      : c_(c),
        table_(table),
        ask_(std::size_t(c.ranks)),
        place_(std::size_t(c.ranks)),
        in_(buffer_items),
        out_(buffer_items),
        back_(buffer_items) {
    for (items& a : ask_) a.reserve(buffer_items);
  }

  void run(const items& all, items& values) {
    std::size_t at = 0;
    int busy = 1;
    while (busy != 0) {
      at = fill(all, at, values);
      for (int step = 1; step < c_.ranks; ++step)
        trade((c_.rank + step) % c_.ranks, (c_.rank - step + c_.ranks) % c_.ranks, values);
      const int mine = at < all.size();
      MPI_Allreduce(&mine, &busy, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
  }

 private:
  /// Collects requests until some buffer is full; reads its own at once.
  std::size_t fill(const items& all, std::size_t at, items& values) {
    for (; at < all.size(); ++at) {
      const std::size_t r = std::size_t(updates::owner(all[at]));
      const std::uint64_t local = updates::local(all[at]);
      if (int(r) == c_.rank) {
        values[at] = table_[local];
        continue;
      }
      if (ask_[r].size() == buffer_items) break;
      ask_[r].push_back(local);
      place_[r].push_back(at);
    }
    return at;
  }

  void trade(int to, int from, items& values) {
    items& asked = ask_[std::size_t(to)];
    int count = 0;
    MPI_Status status;
    MPI_Sendrecv(asked.data(), int(asked.size()), MPI_UINT64_T, to, request, in_.data(), int(buffer_items), MPI_UINT64_T, from,
                 request, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_UINT64_T, &count);
    for (int i = 0; i < count; ++i) out_[std::size_t(i)] = table_[in_[std::size_t(i)]];
    MPI_Sendrecv(out_.data(), count, MPI_UINT64_T, from, answer, back_.data(), int(buffer_items), MPI_UINT64_T, to, answer,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    auto& place = place_[std::size_t(to)];
    for (std::size_t i = 0; i < place.size(); ++i) values[place[i]] = back_[i];
    asked.clear();
    place.clear();
  }

  row_context& c_;
  const items& table_;
  std::vector<items> ask_;
  std::vector<std::vector<std::size_t>> place_;
  items in_, out_, back_;
};

double index_gather(row_context& c) {
  const items& all = updates::cached_indices(c.rank, c.ranks, c.iterations, c.size);
  items table(updates::words), values(all.size());
  for (std::uint64_t i = 0; i < updates::words; ++i) table[i] = updates::value_at((std::uint64_t(c.rank) << updates::shift) + i);
  gatherer work(c, table);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::uint64_t start = now_ns();
  work.run(all, values);
  MPI_Barrier(MPI_COMM_WORLD);
  const double result = double(now_ns() - start) / double(c.iterations);
  for (std::size_t i = 0; i < all.size(); ++i) verify(values[i] == updates::value_at(all[i]), "index gather");
  return result;
}

}  // namespace

void add_updates(row_table& rows) { rows.insert(rows.end(), {{"mpi_histogram", histogram}, {"mpi_index_gather", index_gather}}); }

}  // namespace bench::mpi
