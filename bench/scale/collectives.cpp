// SPDX-License-Identifier: Apache-2.0
#include "bench/scale/collectives.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "armilla/armilla.hpp"

namespace scale {
namespace {

namespace am = armilla;
using words = std::vector<std::uint64_t>;

// What the collectives say of themselves: how long `in` and `out` are, given the words of an array; what a word of `out` should
// be.
struct shape {
  int rank, ranks;
  std::size_t words;

  static std::uint64_t word(int from, int to, std::size_t i) {
    return std::uint64_t(from) * 1000003 + std::uint64_t(to) * 1009 + i;
  }
  std::uint64_t sum_up_to(int last, std::size_t i) const {
    const auto n = std::uint64_t(last) + 1;
    return n * (n - 1) / 2 * 1000003 + n * i;
  }
};

struct broadcast {
  static std::size_t in_words(const shape& s) { return s.words; }
  static std::size_t out_words(const shape& s) { return s.words; }
  static std::uint64_t in(const shape&, std::size_t i) { return shape::word(0, 0, i); }
  static std::uint64_t out(const shape&, std::size_t i) { return shape::word(0, 0, i); }
  static void ours(const shape& s, const words& in, words& out) {
    if (s.rank == 0) std::ranges::copy(in, out.begin());
    am::world().broadcast(std::span(out), 0);
  }
  static void mpi(const shape& s, const words& in, words& out) {
    if (s.rank == 0) std::ranges::copy(in, out.begin());
    MPI_Bcast(out.data(), int(out.size()), MPI_UINT64_T, 0, MPI_COMM_WORLD);
  }
};

struct all_reduce : broadcast {
  static std::uint64_t in(const shape& s, std::size_t i) { return shape::word(s.rank, 0, i); }
  static std::uint64_t out(const shape& s, std::size_t i) { return s.sum_up_to(s.ranks - 1, i); }
  static void ours(const shape&, const words& in, words& out) {
    std::ranges::copy(in, out.begin());
    am::world().all_reduce(std::span(out), std::plus<>{});
  }
  static void mpi(const shape&, const words& in, words& out) {
    MPI_Allreduce(in.data(), out.data(), int(in.size()), MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  }
};

struct inclusive_scan : all_reduce {
  static std::uint64_t out(const shape& s, std::size_t i) { return s.sum_up_to(s.rank, i); }
  static void ours(const shape&, const words& in, words& out) {
    std::ranges::copy(in, out.begin());
    am::world().inclusive_scan(std::span(out), std::plus<>{});
  }
  static void mpi(const shape&, const words& in, words& out) {
    MPI_Scan(in.data(), out.data(), int(in.size()), MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  }
};

struct all_gather {
  static std::size_t in_words(const shape& s) { return s.words; }
  static std::size_t out_words(const shape& s) { return s.words * std::size_t(s.ranks); }
  static std::uint64_t in(const shape& s, std::size_t i) { return shape::word(s.rank, 0, i); }
  static std::uint64_t out(const shape& s, std::size_t i) { return shape::word(int(i / s.words), 0, i % s.words); }
  static void ours(const shape&, const words& in, words& out) { am::world().all_gather(std::span(in), std::span(out)); }
  static void mpi(const shape&, const words& in, words& out) {
    const int n = int(in.size());
    MPI_Allgather(in.data(), n, MPI_UINT64_T, out.data(), n, MPI_UINT64_T, MPI_COMM_WORLD);
  }
};

struct all_to_all : all_gather {
  static std::size_t in_words(const shape& s) { return out_words(s); }
  static std::uint64_t in(const shape& s, std::size_t i) { return shape::word(s.rank, int(i / s.words), i % s.words); }
  static std::uint64_t out(const shape& s, std::size_t i) { return shape::word(int(i / s.words), s.rank, i % s.words); }
  static void ours(const shape&, const words& in, words& out) { am::world().all_to_all(std::span(in), std::span(out)); }
  static void mpi(const shape& s, const words& in, words& out) {
    const int n = int(s.words);
    MPI_Alltoall(in.data(), n, MPI_UINT64_T, out.data(), n, MPI_UINT64_T, MPI_COMM_WORLD);
  }
};

template <class Collective>
class call final : public collective_call {
 public:
  call(const shape& s, void (*way)(const shape&, const words&, words&))
      : shape_(s), way_(way), in_(Collective::in_words(s)), out_(Collective::out_words(s)) {
    for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = Collective::in(s, i);
  }
  void run() override { way_(shape_, in_, out_); }
  bool right() const override {
    for (std::size_t i = 0; i < out_.size(); ++i)
      if (out_[i] != Collective::out(shape_, i)) return false;
    return true;
  }

 private:
  shape shape_;
  void (*way_)(const shape&, const words&, words&);
  words in_, out_;
};

using maker = std::unique_ptr<collective_call> (*)(const shape&, bool mpi);

template <class Collective>
std::unique_ptr<collective_call> make(const shape& s, bool mpi) {
  return std::make_unique<call<Collective>>(s, mpi ? Collective::mpi : Collective::ours);
}

const std::pair<const char*, maker> table[] = {{"broadcast", make<broadcast>},
                                               {"all_reduce", make<all_reduce>},
                                               {"all_gather", make<all_gather>},
                                               {"inclusive_scan", make<inclusive_scan>},
                                               {"all_to_all", make<all_to_all>}};

}  // namespace

std::vector<std::string> collective_names() {
  std::vector<std::string> names;
  for (const auto& [name, how] : table) names.insert(names.end(), {name, std::string("mpi_") + name});
  return names;
}

std::unique_ptr<collective_call> make_collective(const std::string& name, std::size_t bytes, int rank, int ranks) {
  const bool mpi = name.starts_with("mpi_");
  const shape s{rank, ranks, bytes / sizeof(std::uint64_t)};
  for (const auto& [known, how] : table)
    if (known == (mpi ? name.substr(4) : name)) return how(s, mpi);
  return nullptr;
}

}  // namespace scale
