// SPDX-License-Identifier: Apache-2.0
// What containers hold, by hand: one core with the standard's containers and all of the work; or two processes with plain memory
// that both map.
#include <algorithm>
#include <list>
#include <map>
#include <numeric>
#include <queue>
#include <string>
#include <unordered_map>

#include "bench/baseline/hand.hpp"
#include "bench/baseline/one_core.hpp"

namespace bench::hand {
namespace {

using words = std::vector<std::uint64_t>;

std::size_t all_of(const row_context& c) { return 2 * std::size_t(c.iterations); }

/// What all ranks do at once.
template <class F>
double together(const row_context& c, F f) {
  c.sync();
  const std::uint64_t start = now_ns();
  f();
  c.sync();
  return double(now_ns() - start) / double(c.iterations);
}

const words& all_keys(const row_context& c, keys kind) { return cached_keys(kind, {0, all_of(c)}, c.size); }
const words& my_keys(const row_context& c, keys kind) {
  return cached_keys(kind, share_of(c.iterations, c.rank, c.ranks), c.size);
}

// The standard's containers on one core.

double std_multimap(row_context& c) {
  return one_core(c, [&] {
    const words& k = all_keys(c, keys::uniform);
    std::unordered_multimap<std::uint64_t, std::uint64_t> all;
    const double time = time_of([&] {
      for (const std::uint64_t key : k) all.emplace(key, key);
    });
    verify(all.size() == k.size(), "a multimap");
    return time;
  });
}

std::map<std::uint64_t, std::uint64_t> in_order(const words& k) {
  std::map<std::uint64_t, std::uint64_t> all;
  for (const std::uint64_t key : k) all.emplace(key, key);
  return all;
}
double std_map_insert(row_context& c) {
  return one_core(c, [&] {
    const words& k = all_keys(c, keys::distinct);
    std::map<std::uint64_t, std::uint64_t> all;
    const double time = time_of([&] { all = in_order(k); });
    verify(all.size() == k.size(), "a map");
    return time;
  });
}
double std_map_find(row_context& c) {
  return one_core(c, [&] {
    const words& k = all_keys(c, keys::distinct);
    const auto all = in_order(k);
    std::size_t found = 0;
    const double time = time_of([&] {
      for (const std::uint64_t key : k) found += all.find(key)->second == key;
    });
    verify(found == k.size(), "a map");
    return time;
  });
}
double std_map_range(row_context& c) {
  return one_core(c, [&] {
    const words& k = all_keys(c, keys::distinct);
    const auto all = in_order(k);
    const std::uint64_t width = ~std::uint64_t{0} / k.size() * 1000;
    std::size_t seen = 0;
    const double time = time_of([&] {
      for (std::size_t i = 0; i < k.size(); i += 1000) {
        const std::uint64_t low = std::min(k[i], ~std::uint64_t{0} - width);
        const std::vector<std::pair<std::uint64_t, std::uint64_t>> some(all.lower_bound(low), all.lower_bound(low + width));
        seen += some.size();
      }
    });
    verify(seen > k.size() / 2, "ranges of a map");
    return time;
  });
}
double std_priority_queue(row_context& c) {
  return one_core(c, [&] {
    const words& k = all_keys(c, keys::distinct);
    std::uint64_t sum = 0;
    const double time = time_of([&] {
      std::priority_queue<std::uint64_t> q;
      for (const std::uint64_t key : k) q.push(key);
      for (; !q.empty(); q.pop()) sum += q.top();
    });
    verify(sum == std::accumulate(k.begin(), k.end(), std::uint64_t{0}), "a priority queue");
    return time;
  });
}
double std_list(row_context& c) {
  return one_core(c, [&] {
    const words& k = all_keys(c, keys::distinct);
    std::list<std::uint64_t> all;
    std::uint64_t sum = 0;
    const double time = time_of([&] {
      all.assign(k.begin(), k.end());
      for (const std::uint64_t e : all) sum += e;
    });
    verify(sum == std::accumulate(k.begin(), k.end(), std::uint64_t{0}), "a list");
    return time;
  });
}
double std_sort_texts(row_context& c) {
  return one_core(c, [&] {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < all_of(c); ++i) texts.push_back(text_at(i));
    const double time = time_of([&] { std::sort(texts.begin(), texts.end()); });
    verify(std::is_sorted(texts.begin(), texts.end()), "a sort of texts");
    return time;
  });
}

// Two processes and plain memory.

double texts_reduce(row_context& c) {
  const share mine = share_of(c.iterations, c.rank, c.ranks);
  std::vector<std::string> texts;
  for (std::size_t i = mine.first; i < mine.end; ++i) texts.push_back(text_at(i));
  std::size_t sum = 0;
  const double time = together(c, [&] {
    for (const std::string& text : texts) sum += text.size();
    keep(sum);
  });
  verify(sum == 16 * texts.size(), "lengths of texts");
  return time;
}

double push_back(row_context& c) {
  const share mine = share_of(c.iterations, c.rank, c.ranks);
  words all;
  const double time = together(c, [&] {
    for (std::size_t i = mine.first; i < mine.end; ++i) all.push_back(i);
  });
  verify(all.size() == mine.size(), "push_back");
  return time;
}

/// Rank 0 pushes all, and the others copy their shares.
double bag(row_context& c) {
  words all, mine;
  std::uint64_t* const shared = c.scratch<std::uint64_t>();
  const share s = share_of(c.iterations, c.rank, c.ranks);
  const double time = together(c, [&] {
    if (c.rank == 0) {
      for (std::size_t i = 0; i < all_of(c); ++i) all.push_back(i);
      const std::size_t keep = share_of(c.iterations, 0, c.ranks).end;
      std::copy(all.begin() + std::ptrdiff_t(keep), all.end(), shared);
      all.resize(keep);
    }
    c.sync();
    const std::size_t first = share_of(c.iterations, 0, c.ranks).end;
    if (c.rank != 0) mine.assign(shared + (s.first - first), shared + (s.end - first));
  });
  verify(c.rank == 0 || (mine.size() == s.size() && mine.back() == s.end - 1), "a bag");
  return time;
}

double bitmap(row_context& c) {
  const words& mine = my_keys(c, keys::distinct);
  std::uint64_t* const bits = c.scratch<std::uint64_t>(4096);
  if (c.rank == 0) std::fill(bits, bits + c.size / 64 + 1, 0);
  std::size_t fresh = 0;
  const double time = together(c, [&] {
    for (const std::uint64_t key : mine) {
      const std::uint64_t i = key % std::uint64_t(c.size), bit = std::uint64_t{1} << i % 64;
      fresh += (std::atomic_ref(bits[i / 64]).fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
    }
  });
  verify(fresh > 0, "bits");
  return time;
}

/// Roots are hung to smaller ones by a compare and swap; ways are halved as they are walked.
class forest {
 public:
  explicit forest(std::uint64_t* parent) : parent_(parent) {}
  std::uint64_t root(std::uint64_t v) const {
    for (;;) {
      const std::uint64_t up = load(v);
      if (up == v) return v;
      const std::uint64_t above = load(up);
      if (above != up) std::atomic_ref(parent_[v]).store(above, std::memory_order_relaxed);
      v = above;
    }
  }
  void unite(std::uint64_t a, std::uint64_t b) const {
    for (;;) {
      a = root(a), b = root(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      std::uint64_t self = a;
      if (std::atomic_ref(parent_[a]).compare_exchange_strong(self, b, std::memory_order_relaxed)) return;
    }
  }

 private:
  std::uint64_t load(std::uint64_t v) const { return std::atomic_ref(parent_[v]).load(std::memory_order_relaxed); }
  std::uint64_t* parent_;
};

double unite(row_context& c) {
  std::uint64_t* const parent = c.scratch<std::uint64_t>(4096);
  if (c.rank == 0) std::iota(parent, parent + c.size, std::uint64_t{0});
  const forest sets(parent);
  const share mine = share_of(c.iterations, c.rank, c.ranks);
  const std::uint64_t n = std::uint64_t(c.size), r = std::uint64_t(c.rank), ranks = std::uint64_t(c.ranks);
  const double time = together(c, [&] {
    for (std::size_t i = mine.first; i < mine.end; ++i) {
      const auto [a, b] = united_at(i, c.size);
      sets.unite(a, b);
    }
    c.sync();
    for (std::uint64_t v = n * r / ranks; v < n * (r + 1) / ranks; ++v)
      std::atomic_ref(parent[v]).store(sets.root(v), std::memory_order_relaxed);
  });
  const auto [a, b] = united_at(mine.first, c.size);
  verify(sets.root(a) == sets.root(b), "disjoint sets");
  return time;
}

/// An array with two counters, from which places are taken `pushed` at a time, and a thousand to pop: it is never full and no
/// rank waits.
double queue(row_context& c, std::size_t pushed) {
  constexpr std::size_t piece = 1000;
  const words& mine = my_keys(c, keys::distinct);
  auto* const counters = c.scratch<line>();
  std::uint64_t* const item = c.scratch<std::uint64_t>(4096);
  std::uint64_t sum = 0;
  for (const std::uint64_t key : mine) sum -= key;
  if (c.rank == 0) counters[0].word = 0, counters[1].word = 0;
  const double time = together(c, [&] {
    for (std::size_t i = 0; i < mine.size(); i += pushed) {
      const std::size_t n = std::min(pushed, mine.size() - i);
      std::copy_n(mine.data() + i, n, item + counters[0].word.fetch_add(n, std::memory_order_relaxed));
    }
    c.sync();
    for (std::size_t at; (at = counters[1].word.fetch_add(piece, std::memory_order_relaxed)) < all_of(c);)
      sum = std::accumulate(item + at, item + std::min(all_of(c), at + piece), sum);
  });
  auto* const sums = c.scratch<std::uint64_t>(1024);
  sums[c.rank] = sum;
  c.sync();
  verify(std::accumulate(sums, sums + c.ranks, std::uint64_t{0}) == 0, "what went through a queue");
  return time;
}

/// A deque of Chase and Lev that has room for all it will ever hold: its owner works at the bottom, others take from the top.
class deque {
 public:
  void clear() { top_.word = 0, bottom_.word = 0; }
  bool empty() const { return top_.word >= bottom_.word; }
  void push(const tree::node& n) {
    const std::uint64_t b = bottom_.word.load(std::memory_order_relaxed);
    room_[b % room] = n;
    bottom_.word.store(b + 1, std::memory_order_release);
  }
  bool pop(tree::node& n) {
    std::uint64_t b = bottom_.word.load(std::memory_order_relaxed);
    if (b == top_.word.load(std::memory_order_relaxed)) return false;
    bottom_.word.store(--b, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::uint64_t t = top_.word.load(std::memory_order_relaxed);
    if (t < b) {
      n = room_[b % room];
      return true;
    }
    const bool mine = t == b && top_.word.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst);
    if (mine) n = room_[b % room];
    bottom_.word.store(b + 1, std::memory_order_relaxed);
    return mine;
  }
  bool steal(tree::node& n) {
    std::uint64_t t = top_.word.load(std::memory_order_acquire);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (t >= bottom_.word.load(std::memory_order_acquire)) return false;
    n = room_[t % room];
    return top_.word.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst);
  }

 private:
  static constexpr std::size_t room = 1 << 20;
  line top_, bottom_;
  tree::node room_[room];
};

/// One node a steal: the oldest, whose tree is the largest.
double tree_search(row_context& c) {
  const tree::shape shape = tree_of(c.size);
  auto* const working = c.scratch<line>();
  auto* const counts = c.scratch<line>(1024);
  deque* const all = c.scratch<deque>(8192);
  deque& mine = all[c.rank];
  mine.clear();
  if (c.rank == 0) mine.push(tree::root_of(shape)), working->word = std::uint64_t(c.ranks);
  std::uint64_t nodes = 0;
  c.sync();
  const std::uint64_t start = now_ns();
  const auto run = [&](tree::node n) {
    do {
      ++nodes;
      for (int i = tree::children_of(shape, n); i > 0; --i) mine.push(tree::child_of(shape, n, i));
    } while (mine.pop(n));
  };
  const auto stolen = [&] {
    for (int r = 1; r < c.ranks; ++r)
      if (tree::node n; all[(c.rank + r) % c.ranks].steal(n)) {
        run(n);
        return true;
      }
    return false;
  };
  // Items lie with ranks that count as working, so none is left when no rank does. A rank counts before it takes one.
  if (tree::node n; mine.pop(n)) run(n);
  while (stolen()) {}
  --working->word;
  while (working->word != 0) {
    if (std::all_of(all, all + c.ranks, [](const deque& d) { return d.empty(); })) {
      c.relax();
      continue;
    }
    ++working->word;
    while (stolen()) {}
    --working->word;
  }
  c.sync();
  const std::uint64_t time = now_ns() - start;
  counts[c.rank].word = nodes;
  c.sync();
  std::uint64_t sum = 0;
  for (int r = 0; r < c.ranks; ++r) sum += counts[r].word;
  verify(sum > std::uint64_t(c.size), "a tree");
  return double(time) / double(sum);
}

}  // namespace

void add_containers(row_table& rows) {
  rows.insert(rows.end(), {{"std_multimap_insert", std_multimap},
                           {"std_map_insert", std_map_insert},
                           {"std_map_find", std_map_find},
                           {"std_map_range", std_map_range},
                           {"std_priority_queue", std_priority_queue},
                           {"std_list", std_list},
                           {"std_sort_texts", std_sort_texts},
                           {"hand_texts_reduce", texts_reduce},
                           {"hand_push_back", push_back},
                           {"hand_bag", bag},
                           {"hand_bitmap", bitmap},
                           {"hand_unite", unite},
                           {"hand_queue", [](row_context& c) { return queue(c, 1); }},
                           {"hand_queue_ranges", [](row_context& c) { return queue(c, 1000); }},
                           {"hand_work_stealing", tree_search}});
}

}  // namespace bench::hand
