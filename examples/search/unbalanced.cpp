// SPDX-License-Identifier: Apache-2.0
// Counts the nodes of an unbalanced tree, with work stealing. A rank that has nothing left asks others; who has nothing either
// lets the last question wait, in a body, until there is something to give or the search is over.
#include <chrono>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>

#include "examples/arguments.hpp"
#include "examples/search/tree.hpp"
namespace am = armilla;

namespace {

constexpr std::size_t keep = 8;    // a rank with no more nodes than that gives none away
constexpr std::size_t most = 64;   // nodes given away at once
constexpr int nodes_a_turn = 200;  // between two looks at what others ask

/// One rank's part of the search.
class searcher {
 public:
  searcher(const tree::shape& shape, am::rank_t me) : shape_(shape), chance_(tree::mix(std::uint64_t(me) + 1)) {
    if (me == 0) open_.push_back(tree::root_of(shape));
  }

  /// Returns when the whole tree has been counted.
  void run(const am::distributed<searcher>& all) {
    all_ = &all;
    if (am::rank() == 0) count_open();
    for (open_ = ask_others(); !open_.empty(); open_ = ask_others()) count_open();
  }
  long counted() const { return counted_; }
  long stolen() const { return stolen_; }

  /// Gives away the nodes nearest to the root, or none.
  std::vector<tree::node> give() {
    if (!can_give()) return {};
    const std::size_t n = std::min(open_.size() / 2, most);
    std::vector<tree::node> gift(open_.begin(), open_.begin() + std::ptrdiff_t(n));
    open_.erase(open_.begin(), open_.begin() + std::ptrdiff_t(n));
    // Before they leave, rank 0 knows of one more that is busy: this rank waits, in a body, and works on meanwhile.
    am::call<&searcher::begin>(all_->on(0)).get();
    return gift;
  }
  /// The same, but waits until there are some; none means that the search is over.
  std::vector<tree::node> give_when_there_are() {
    there_are_.wait_unlocked([&] { return over_ || can_give(); });
    return give();
  }

  // On rank 0: how many are busy. It can fall to zero only once, when nothing is left.
  void begin() { ++busy_; }
  void end() {
    if (--busy_ == 0) am::async_all<&searcher::finish>(*all_);
  }
  void finish() {
    over_ = true;
    there_are_.notify_all();
  }

 private:
  bool can_give() const { return all_ != nullptr && open_.size() > keep; }

  void count_open() {
    for (int turn = 0; !open_.empty(); ++counted_) {
      const tree::node n = open_.back();
      open_.pop_back();
      for (int i = tree::children_of(shape_, n); i > 0; --i) open_.push_back(tree::child_of(shape_, n, i));
      if (++turn != nodes_a_turn) continue;
      turn = 0;
      if (can_give()) there_are_.notify_one();
      am::yield();
    }
    am::call<&searcher::end>(all_->on(0)).get();
  }

  // Everybody once, beginning anywhere; then the next rank, as long as it takes. As each waits for the next, there is a chain
  // from every idle rank to a busy one.
  std::vector<tree::node> ask_others() {
    const am::rank_t n = am::ranks(), me = am::rank();
    const am::rank_t first = am::rank_t((chance_ = tree::mix(chance_ + 1)) % std::uint64_t(n));
    for (am::rank_t i = 0; i < n && !over_; ++i)
      if (const am::rank_t other = (first + i) % n; other != me)
        if (auto got = am::call<&searcher::give>(all_->on(other)).get(); !got.empty()) return ++stolen_, got;
    auto got = am::call<&searcher::give_when_there_are>(all_->on((me + 1) % n)).get();
    return stolen_ += !got.empty(), got;
  }

  tree::shape shape_;
  std::uint64_t chance_;
  const am::distributed<searcher>* all_ = nullptr;
  std::vector<tree::node> open_;
  am::condition_variable there_are_;
  bool over_ = false;
  long counted_ = 0, stolen_ = 0;
  int busy_ = 1;  // rank 0, with the root
};

/// The same without anybody's help.
long count_alone(const tree::shape& s) {
  std::vector<tree::node> open{tree::root_of(s)};
  long counted = 0;
  for (; !open.empty(); ++counted) {
    const tree::node n = open.back();
    open.pop_back();
    for (int i = tree::children_of(s, n); i > 0; --i) open.push_back(tree::child_of(s, n, i));
  }
  return counted;
}

void search(const tree::shape& shape) {
  am::distributed<searcher> all(shape, am::rank());
  am::barrier();
  const auto start = std::chrono::steady_clock::now();
  all->run(all);
  am::barrier();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  const long nodes = am::all_reduce(all->counted(), std::plus<>{});
  const long stolen = am::all_reduce(all->stolen(), std::plus<>{});
  if (am::rank() == 0) {
    if (const long expected = count_alone(shape); nodes != expected)
      throw std::runtime_error(std::to_string(nodes) + " nodes, expected " + std::to_string(expected));
    std::printf("%ld nodes on %d ranks, right: %ld times work was stolen (%.1f ms)\n", nodes, int(am::ranks()), stolen,
                time.count());
  }
  am::fence();
}

}  // namespace

int main(int argc, char** argv) {
  examples::arguments arguments("Counts the nodes of an unbalanced tree; ranks without work steal it from others.");
  tree::shape shape;
  arguments.take("--seed", shape.seed, "which tree");
  arguments.take("--root", shape.root_children, "children of the root", 0, 1'000'000);
  arguments.take("--children", shape.children, "of a node that has any", 1, 100);
  arguments.take("--probability", shape.probability, "that a node has children", 0.0, 1.0);
  arguments.take("--rounds", shape.rounds, "of the hash for each node", 1, 10'000);
  if (const auto ended = arguments.read(argc, argv)) return *ended;
  if (shape.probability * shape.children >= 1) {
    std::fprintf(stderr, "--probability %g: with --children %d it must be less than %g, or the tree does not end\n",
                 shape.probability, shape.children, 1.0 / shape.children);
    return 2;
  }
  return am::run(argc, argv, [=] { search(shape); });
}
