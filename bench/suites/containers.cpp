// SPDX-License-Identifier: Apache-2.0
// Containers: what all ranks put in and ask at once, beside the same by hand.
#include "bench/kernels/containers.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <span>

#include <armilla/algorithms.hpp>

#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

using words = std::vector<std::uint64_t>;

/// Nanoseconds of an operation of a rank, of two, of the one call of `f`, which ends in a meeting of all.
template <class F>
double once(const row_context& c, F&& f) {
  am::barrier();
  const std::uint64_t start = now_ns();
  f();
  return double(now_ns() - start) / double(c.iterations);
}

share share_of(const row_context& c) { return bench::share_of(c.iterations, c.rank, c.ranks); }
std::size_t all_of(const row_context& c) { return 2 * std::size_t(c.iterations); }
const words& keys_of(const row_context& c, keys kind) { return cached_keys(kind, share_of(c), c.size); }

using counts = am::unordered_map<std::uint64_t, std::uint64_t>;

std::uint64_t sum_of(const counts& count) {
  std::uint64_t sum = 0;
  for (const auto& [key, n] : count.local()) sum += n;
  return am::all_reduce(sum, std::plus<>{});
}

template <keys kind>
double map_update(row_context& c) {
  const words& mine = keys_of(c, kind);
  counts count;
  const double time = once(c, [&] {
    for (const std::uint64_t key : mine) count.update(key, 1, std::plus<>{});
    am::fence();
  });
  verify(sum_of(count) == all_of(c), "update");
  return time;
}

double map_insert(row_context& c) {
  const words& mine = keys_of(c, keys::distinct);
  counts all;
  const double time = once(c, [&] {
    for (const std::uint64_t key : mine) all.insert(key, key);
    am::fence();
  });
  verify(all.size() == all_of(c), "insert");
  return time;
}

template <keys kind>
double map_find(row_context& c) {
  const words& mine = keys_of(c, kind);
  counts count;
  const std::size_t first = std::size_t(c.size) * std::size_t(c.rank) / std::size_t(c.ranks),
                    end = std::size_t(c.size) * std::size_t(c.rank + 1) / std::size_t(c.ranks);
  for (std::size_t k = first; k < end; ++k) count.insert(random_bits(k), k);
  am::fence();
  std::vector<std::optional<std::uint64_t>> found(mine.size());
  const double time = once(c, [&] {
    count.find_range(mine, found);
    am::barrier();
  });
  for (std::size_t i = 0; i < mine.size(); ++i) verify(found[i] && random_bits(*found[i]) == mine[i], "find");
  return time;
}

double multimap_insert(row_context& c) {
  const words& mine = keys_of(c, keys::uniform);
  am::unordered_multimap<std::uint64_t, std::uint64_t> all;
  const double time = once(c, [&] {
    for (const std::uint64_t key : mine) all.insert(key, key);
    am::fence();
  });
  verify(all.size() == all_of(c), "insert into a multimap");
  return time;
}

using ordered = am::map<std::uint64_t, std::uint64_t>;

/// Ranks know what is to come by a few of the keys.
void insert_all(ordered& m, const words& mine) {
  m.rebalance_like(words(mine.begin(), mine.begin() + std::ptrdiff_t(std::min(mine.size(), std::size_t(256)))));
  for (const std::uint64_t key : mine) m.insert(key, key);
  am::fence();
}

double ordered_insert(row_context& c) {
  const words& mine = keys_of(c, keys::distinct);
  ordered m;
  const double time = once(c, [&] { insert_all(m, mine); });
  verify(m.size() == all_of(c), "insert in order");
  return time;
}

double ordered_find(row_context& c) {
  const words& mine = keys_of(c, keys::distinct);
  ordered m;
  insert_all(m, mine);
  std::vector<std::optional<std::uint64_t>> found;
  const double time = once(c, [&] {
    found = m.find_range(mine);
    am::barrier();
  });
  for (std::size_t i = 0; i < mine.size(); ++i) verify(found[i] == mine[i], "find in order");
  return time;
}

/// Ranges of 1,000 keys or so, from anywhere; a figure is of a key.
double ordered_range(row_context& c) {
  const words& mine = keys_of(c, keys::distinct);
  ordered m;
  insert_all(m, mine);
  const std::uint64_t width = ~std::uint64_t{0} / all_of(c) * 1000;
  std::size_t seen = 0;
  const double time = once(c, [&] {
    for (std::size_t i = 0; i < mine.size(); i += 1000) {
      const std::uint64_t low = std::min(mine[i], ~std::uint64_t{0} - width);
      seen += m.between(low, low + width).size();
    }
    am::barrier();
  });
  verify(seen > mine.size() / 2 && seen < mine.size() * 2, "ranges");
  return time;
}

template <class Queue, class Push>
double through_by(row_context& c, const Push& push) {
  const words& mine = keys_of(c, keys::distinct);
  Queue q;
  std::uint64_t sum = 0;
  for (const std::uint64_t key : mine) sum -= key;
  const double time = once(c, [&] {
    push(q, mine);
    am::fence();
    for (words some; !(some = q.pop_some(1000).get()).empty();)
      for (const std::uint64_t key : some) sum += key;
    am::barrier();
  });
  verify(am::all_reduce(sum, std::plus<>{}) == 0, "what went through a queue");
  return time;
}

template <class Queue>
double through(row_context& c) {
  return through_by<Queue>(c, [](Queue& q, const words& mine) {
    for (const std::uint64_t key : mine) q.push(key);
  });
}

/// The same by a thousand.
double through_ranges(row_context& c) {
  using queue = am::queue<std::uint64_t>;
  return through_by<queue>(c, [](queue& q, const words& mine) {
    for (std::size_t i = 0; i < mine.size(); i += 1000)
      q.push_range(std::span(mine).subspan(i, std::min<std::size_t>(1000, mine.size() - i)));
  });
}

/// All ranks but rank 0 send it numbers, which it adds up. A figure is of one number.
template <class Send>
double to_rank_0(row_context& c, std::uint64_t& sum, const Send& send) {
  const std::size_t senders = std::size_t(std::max<am::rank_t>(1, am::ranks() - 1));
  const std::size_t n = std::size_t(c.iterations) / senders;
  const double time = once(c, [&] {
    send(n);
    am::fence();
  });
  if (am::rank() == 0) verify(sum == (am::ranks() == 1 ? 0 : senders * (n * (n - 1) / 2)), "what went to rank 0");
  return time;
}

/// By calls, which add up where they run: what a bound costs is the difference.
double by_calls(row_context& c) {
  static std::uint64_t sum;
  sum = 0;
  am::barrier();
  return to_rank_0(c, sum, [](std::size_t n) {
    if (am::rank() != 0)
      for (std::uint64_t i = 0; i < n; ++i) am::async(0, [](std::uint64_t v) { sum += v; }, i);
  });
}
double by_channel(row_context& c) {
  std::uint64_t sum = 0;
  am::remote_channel<std::uint64_t> channel(0, 1024);
  return to_rank_0(c, sum, [&](std::size_t n) {
    if (am::rank() == 0) {
      while (const std::optional<std::uint64_t> v = channel.pop()) sum += *v;
    } else {
      for (std::uint64_t i = 0; i < n; ++i) channel.push(i);
      channel.close();
    }
  });
}
double by_channel_together(row_context& c) {
  std::uint64_t sum = 0;
  am::remote_channel<std::uint64_t> channel(0, 1024);
  return to_rank_0(c, sum, [&](std::size_t n) {
    if (am::rank() == 0) {
      for (words some; !(some = channel.pop_some(256)).empty();)
        for (const std::uint64_t v : some) sum += v;
    } else {
      channel.push_range(std::views::iota(std::uint64_t{0}, std::uint64_t(n)));
      channel.close();
    }
  });
}

/// Nanoseconds of all ranks for a node.
double tree_search(row_context& c) {
  const tree::shape shape = tree_of(c.size);
  am::work_queue<tree::node> open;
  if (c.rank == 0) open.push(tree::root_of(shape));
  am::barrier();
  const std::uint64_t start = now_ns();
  const am::work_share mine = open.process([&](const tree::node& n) {
    for (int i = tree::children_of(shape, n); i > 0; --i) open.push(tree::child_of(shape, n, i));
  });
  const std::uint64_t time = now_ns() - start;
  const auto nodes = am::all_reduce(std::uint64_t(mine.items), std::plus<>{});
  verify(nodes > std::uint64_t(c.size), "a tree");
  return double(time) / double(nodes);
}

/// Rank 0 has all, and each rank its share behind it.
double bag_balance(row_context& c) {
  am::bag<std::uint64_t> found;
  const double time = once(c, [&] {
    if (c.rank == 0)
      for (std::size_t i = 0; i < all_of(c); ++i) found.push(i);
    found.rebalance();
  });
  verify(am::reduce(found) == all_of(c) * (all_of(c) - 1) / 2 && found.local().size() <= all_of(c) / std::size_t(c.ranks) + 1,
         "bag");
  return time;
}

/// Elements are put in, and all of them walked over in order.
double list_walk(row_context& c) {
  const words& mine = keys_of(c, keys::distinct);
  am::list<std::uint64_t> all;
  std::uint64_t sum = 0;
  for (const std::uint64_t key : mine) sum -= key;
  const double time = once(c, [&] {
    for (const std::uint64_t key : mine) all.push_local(key);
    all.for_each_in_order([&](std::uint64_t& e) { sum += e; });
  });
  verify(am::all_reduce(sum, std::plus<>{}) == 0, "list");
  return time;
}

double bitmap_set(row_context& c) {
  const words& mine = keys_of(c, keys::distinct);
  am::bitmap seen{std::size_t(c.size)};
  std::size_t fresh = 0;
  const double time = once(c, [&] {
    for (const std::uint64_t key : mine) fresh += !seen.test_and_set(key % std::uint64_t(c.size));
    am::fence();
  });
  verify(am::all_reduce(fresh, std::plus<>{}) == seen.count(), "bitmap");
  return time;
}

double disjoint_unite(row_context& c) {
  am::disjoint_set sets{std::size_t(c.size)};
  const share mine = share_of(c);
  const double time = once(c, [&] {
    for (std::size_t i = mine.first; i < mine.end; ++i) {
      const auto [a, b] = united_at(i, c.size);
      sets.unite(a, b);
    }
    am::fence();
    sets.compress();
  });
  const auto [a, b] = united_at(mine.first, c.size);
  verify(sets.same(a, b).get() && sets.num_sets() < std::size_t(c.size), "disjoint sets");
  return time;
}

double vector_push_back(row_context& c) {
  const share mine = share_of(c);
  am::vector<std::uint64_t> all(0);
  const double time = once(c, [&] {
    for (std::size_t i = mine.first; i < mine.end; ++i) all.push_back(i);
    am::fence();
  });
  verify(all.size() == all_of(c) && am::reduce(all) == all_of(c) * (all_of(c) - 1) / 2, "push_back");
  return time;
}

/// An array of texts of 16 characters, which is sorted.
double texts_sort(row_context& c) {
  am::vector<std::string> texts(all_of(c));
  am::for_each_index(texts, [](std::size_t i, std::string& text) { text = text_at(i); });
  const double time = once(c, [&] { am::sort(texts); });
  verify(am::is_sorted(texts), "a sort of texts");
  return time;
}

/// Their lengths are added up.
double texts_reduce(row_context& c) {
  am::vector<std::string> texts(all_of(c));
  am::for_each_index(texts, [](std::size_t i, std::string& text) { text = text_at(i); });
  std::size_t sum = 0;
  const double time =
      once(c, [&] { sum = am::reduce(texts | am::views::transform([](const std::string& t) { return t.size(); })); });
  verify(sum == 16 * all_of(c), "lengths of texts");
  return time;
}

}  // namespace

void add_containers(row_table& rows) {
  rows.insert(rows.end(), {{"map_update", map_update<keys::uniform>},
                           {"map_update_zipf", map_update<keys::zipf>},
                           {"map_insert", map_insert},
                           {"map_find", map_find<keys::uniform>},
                           {"map_find_zipf", map_find<keys::zipf>},
                           {"multimap_insert", multimap_insert},
                           {"ordered_insert", ordered_insert},
                           {"ordered_find", ordered_find},
                           {"ordered_range", ordered_range},
                           {"queue", through<am::queue<std::uint64_t>>},
                           {"queue_ranges", through_ranges},
                           {"priority_queue", through<am::priority_queue<std::uint64_t>>},
                           {"async_to_one", by_calls},
                           {"remote_channel", by_channel},
                           {"remote_channel_ranges", by_channel_together},
                           {"work_queue", tree_search},
                           {"bag", bag_balance},
                           {"list", list_walk},
                           {"bitmap", bitmap_set},
                           {"disjoint_set", disjoint_unite},
                           {"push_back", vector_push_back},
                           {"texts_sort", texts_sort},
                           {"texts_reduce", texts_reduce}});
}

}  // namespace bench::suites
