// SPDX-License-Identifier: Apache-2.0
// IS of the NAS parallel benchmarks with two-sided messages: from its published specification. is_armilla.cpp is an edit of it.
#include <mpi.h>

#include "bench/papers/common/large_pages.hpp"
#include "bench/papers/common/mpi_job.hpp"
#include "bench/papers/npb/is_kernels.hpp"
#include "bench/papers/npb/mpi_count.hpp"
#include "bench/papers/npb/random.hpp"
#include "bench/papers/npb/run.hpp"

namespace npb {
namespace {

// parallel
class integer_sort {
 public:
  using problem = is_problem;

  explicit integer_sort(const is_problem& p) : p_(p), sorter_(p) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    first_ = first_of(p.keys(), rank_, ranks_);
    keys_ = make_keys(p, first_, first_of(p.keys(), rank_ + 1, ranks_));
    first_keys_.assign(keys_.begin(), keys_.begin() + std::ptrdiff_t(std::min(keys_.size(), is_problem::changed_keys)));
    sorted_.resize(key_parcel::parcels(keys_.size()));
    papers::in_large_pages(std::span(keys_));
    papers::in_large_pages(std::span(sorted_));
  }

  // The benchmark begins with an iteration that is not timed.
  void prepare() {
    std::copy(first_keys_.begin(), first_keys_.end(), keys_.begin());
    rank_keys(1);
    right_ranks_ = 0;
  }

  void run() {
    for (int iteration = 1; iteration <= is_problem::iterations; ++iteration) rank_keys(iteration);
  }

  // The keys, put in order by the ranks of the last iteration: ascending on each rank and from rank to rank.
  bool right() {
    const std::span<const sort_key> pieces[] = {kept_, {received_.data(), count_}};
    const sorted_run mine = run_of(table_, pieces, right_ranks_);
    std::vector<sorted_run> runs(static_cast<std::size_t>(ranks_));
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, runs.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
    return all_right(p_, runs);
  }
  papers::json checks() const { return {{"right_ranks", p_.places.size() * std::size_t(p_.iterations)}}; }

 private:
  void rank_keys(int iteration) {
    change_keys(p_, iteration, first_, keys_);
    bucket_sizes mine, all;
    sorter_.count(keys_, mine);
    note_checked(p_, keys_, first_, mine);
    sorter_.sort(keys_, mine, sorted_.data());
    const sort_key* const sorted = sorted_.data()->keys;

    MPI_Allreduce(mine.data(), all.data(), int(mine.size()), MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
    const bucket_split split(mine, all, rank_, ranks_);

    std::vector<int> counts(static_cast<std::size_t>(ranks_));
    MPI_Alltoall(split.send_count.data(), 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
    const std::vector<int> places = places_of(counts);
    make_room(std::size_t(places.back()));
    MPI_Alltoallv(sorted, split.send_count.data(), split.send_place.data(), MPI_UINT32_T, received_.data(), counts.data(),
                  places.data(), MPI_UINT32_T, MPI_COMM_WORLD);

    table_.begin(p_, split.first_bucket[std::size_t(rank_)], split.first_bucket[std::size_t(rank_) + 1]);
    kept_ = split.kept_of(sorted_.data(), rank_);
    table_.count(kept_);
    table_.count({received_.data(), count_});
    table_.finish();
    right_ranks_ += table_.right_ranks(p_, all, split.below, iteration);
  }

  void make_room(std::size_t keys) {
    count_ = keys;
    if (received_.size() >= keys) return;
    received_.resize(keys + keys / 64);
    papers::in_large_pages(std::span(received_));
  }

  const is_problem& p_;
  int rank_, ranks_;
  std::uint64_t first_;
  std::vector<sort_key> keys_, first_keys_;
  bucket_sorter sorter_;
  std::vector<key_parcel> sorted_;
  std::vector<sort_key> received_;
  std::size_t count_ = 0;
  std::span<const sort_key> kept_;
  rank_table table_;
  int right_ranks_ = 0;
};
// end of parallel

}  // namespace
}  // namespace npb

int main(int argc, char** argv) {
  npb::options how("is", npb::is_problem::what, "two-sided");
  if (const auto code = how.read(argc, argv)) return *code;
  return papers::run_mpi("is", [&] {
    npb::run<npb::integer_sort, npb::mpi_count>(how, papers::mpi_job(), "two-sided", "bench/papers/npb/is_mpi.cpp");
  });
}
