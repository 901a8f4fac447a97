// SPDX-License-Identifier: Apache-2.0
// IS of the NAS parallel benchmarks with global pointers: is_mpi.cpp, edited in the way of the MPC++ paper.
#include <armilla/armilla.hpp>

#include "bench/papers/common/armilla_job.hpp"
#include "bench/papers/common/large_pages.hpp"
#include "bench/papers/npb/armilla_count.hpp"
#include "bench/papers/npb/is_kernels.hpp"
#include "bench/papers/npb/random.hpp"
#include "bench/papers/npb/run.hpp"
#include "bench/papers/npb/workers.hpp"

namespace npb {
namespace {

namespace am = armilla;
using armilla::mpcpp::GlobalPtr;

// parallel
class integer_sort {
 public:
  using problem = is_problem;

  explicit integer_sort(const is_problem& p) : p_(p), sorter_(p) {
    rank_ = am::rank();
    ranks_ = am::ranks();
    first_ = first_of(p.keys(), rank_, ranks_);
    keys_ = make_keys(p, first_, first_of(p.keys(), rank_ + 1, ranks_));
    first_keys_.assign(keys_.begin(), keys_.begin() + std::ptrdiff_t(std::min(keys_.size(), is_problem::changed_keys)));
    sorted_ = am::allocate<key_parcel>(key_parcel::parcels(keys_.size()));
    papers::in_large_pages(std::span(keys_));
    papers::in_large_pages(std::span(sorted_.local(), key_parcel::parcels(keys_.size())));
    sorted_of_ = am::all_gather(am::reinterpret_pointer_cast<sort_key>(sorted_));
  }

  ~integer_sort() { am::deallocate(sorted_); }

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
    const sorted_run mine = run_of(table_, pieces_, right_ranks_);
    const std::vector<sorted_run> runs = am::all_gather(mine);
    return all_right(p_, runs);
  }
  papers::json checks() const { return {{"right_ranks", p_.places.size() * std::size_t(p_.iterations)}}; }

 private:
  void rank_keys(int iteration) {
    change_keys(p_, iteration, first_, keys_);
    bucket_sizes mine, all;
    sorter_.count(keys_, mine);
    note_checked(p_, keys_, first_, mine);
    sorter_.sort(keys_, mine, sorted_.local());

    all = am::all_reduce(mine, sum_of_sizes);
    const bucket_split split(mine, all, rank_, ranks_);

    std::vector<int> counts(static_cast<std::size_t>(ranks_)), there(counts);
    am::all_to_all(std::span(split.send_count), std::span(counts));
    am::all_to_all(std::span(split.send_place), std::span(there));
    std::vector<int> copied(counts);
    for (std::size_t r = 0; r < counts.size(); ++r)
      if (sorted_of_[r].is_mapped()) copied[r] = 0;  // is read where it lies
    const std::vector<int> places = places_of(copied);
    make_room(std::size_t(places.back()));
    pieces_.assign(1, split.kept_of(sorted_.local(), rank_));
    for (std::size_t r = 0; r < counts.size(); ++r) {
      const GlobalPtr<sort_key> from = sorted_of_[r] + there[r];
      const auto copy = std::span(received_).subspan(std::size_t(places[r]), std::size_t(copied[r]));
      am::get(copy, from);
      pieces_.emplace_back(from.is_mapped() ? from.local() : copy.data(), std::size_t(counts[r]));
    }
    am::sync_memory();

    table_.begin(p_, split.first_bucket[std::size_t(rank_)], split.first_bucket[std::size_t(rank_) + 1]);
    for (const auto keys : pieces_) table_.count(keys);
    table_.finish();
    right_ranks_ += table_.right_ranks(p_, all, split.below, iteration);
    am::barrier();  // others may have read from here
  }

  void make_room(std::size_t keys) {
    if (received_.size() >= keys) return;
    received_.resize(keys + keys / 64);
    papers::in_large_pages(std::span(received_));
  }

  const is_problem& p_;
  int rank_, ranks_;
  std::uint64_t first_;
  std::vector<sort_key> keys_, first_keys_;
  bucket_sorter sorter_;
  GlobalPtr<key_parcel> sorted_;
  std::vector<GlobalPtr<sort_key>> sorted_of_;  ///< of every rank
  std::vector<sort_key> received_;
  std::vector<std::span<const sort_key>> pieces_;  ///< of this rank's buckets, by the rank from which they come, its own first
  rank_table table_;
  int right_ranks_ = 0;
};
// end of parallel

options how("is", is_problem::what, "one-sided");
void part() { run<integer_sort, armilla_count>(how, papers::armilla_job(), "one-sided", "bench/papers/npb/is_armilla.cpp"); }

}  // namespace
}  // namespace npb

int main(int argc, char** argv) {
  if (const auto code = npb::how.read(argc, argv)) return *code;
  return armilla::mpcpp::run_main(argc, argv, npb::master<npb::part>);
}
