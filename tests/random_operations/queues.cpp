// SPDX-License-Identifier: Apache-2.0
// Lists, queues, work.
#include <list>
#include <optional>

#include "scenes.hpp"

namespace random_operations {
namespace {

struct item {
  long value;
  std::size_t owner;  ///< the member that alone refers to it
  long id;
};
using model_list = std::vector<std::list<item>>;  // by member

/// Every member inserts before elements of its own, on whichever member they are, changes and erases them.
class list_of_all {
 public:
  explicit list_of_all(job& j) : j_(j), x_(j.t), model_(j.members()) {}

  void change(int round) {
    const std::size_t pushes = j_.all.below(j_.members() + 1);  // the one that pushes behind all: none if there is no such member
    for (std::size_t m = 0; m < j_.members(); ++m) {
      dice d = j_.of(m, round);
      for (int k = 0; k < 15; ++k) one(m, d, pushes);
    }
    j_.t.fence();
  }

  void check() {
    std::size_t all = 0;
    for (const auto& part : model_) all += part.size();
    expect(x_.size() == all, "the size of a list");
    const std::list<item>& mine = model_[j_.me()];
    auto at = mine.begin();
    for (const long e : x_.local()) {
      expect(at != mine.end() && e == at->value, "an element of a list");
      ++at;
    }
    expect(at == mine.end(), "all elements of a list");
    long sum = 0;
    x_.for_each_in_order([&](long& e) { sum += e++; });
    for (auto& part : model_)
      for (item& e : part) e.value++;
    expect(j_.t.all_reduce(sum + long(mine.size()), std::plus<>{}) == sum_of_model(), "what a loop sees");
  }

 private:
  using place_in_model = std::pair<std::size_t, std::list<item>::iterator>;

  long sum_of_model() const {
    long sum = 0;
    for (const auto& part : model_)
      for (const item& e : part) sum += e.value;
    return sum;
  }
  /// Of the elements that member m owns one, wherever it is.
  std::optional<place_in_model> drawn(std::size_t m, dice& d) {
    std::vector<place_in_model> all;
    for (std::size_t part = 0; part < model_.size(); ++part)
      for (auto at = model_[part].begin(); at != model_[part].end(); ++at)
        if (at->owner == m && at->id >= 0) all.emplace_back(part, at);
    if (all.empty()) return std::nullopt;
    std::ranges::sort(all, {}, [](const place_in_model& p) { return p.second->id; });
    return all[d.below(all.size())];
  }
  void one(std::size_t m, dice& d, std::size_t pushes) {
    const bool mine = m == j_.me();
    const long value = d.value(), id = next_id_++;
    const std::size_t what = d.below(6), last = model_.size() - 1;
    const auto at = drawn(m, d);
    if (what == 0 && pushes == m) {
      if (mine) x_.push_back(value);
      model_[last].push_back({value, m, -1});  // nobody has its place
    } else if (what <= 1 && (m != last || pushes > last)) {
      if (mine) places_[id] = x_.push_local(value);
      model_[m].push_back({value, m, id});
    } else if (what == 2 && at) {
      if (mine) places_[id] = x_.insert(places_.at(at->second->id), value).get();
      model_[at->first].insert(at->second, {value, m, id});
    } else if (what == 3 && at) {
      if (mine) x_.set(places_.at(at->second->id), value);
      at->second->value = value;
    } else if (what == 4 && at && d.one_in(2)) {
      if (mine) x_.erase(places_.at(at->second->id));
      model_[at->first].erase(at->second);
    } else if (what == 5 && at) {
      if (mine) expect(x_.get(places_.at(at->second->id)).get() == at->second->value, "an element after calls of its rank");
    }
  }

  job& j_;
  am::list<long> x_;
  model_list model_;
  std::map<long, am::list_place> places_;  // of this member's elements, by number
  long next_id_ = 0;
};

void lists(job& j) {
  list_of_all all(j);
  for (int round = 0; round < j.rounds; ++round) {
    all.change(round);
    all.check();
  }
}

/// A number that tells who has pushed it, and as which.
constexpr long pushed_by(std::size_t m, long k) { return long(m) * 1'000'000 + k; }

template <class X, class Popped>
void push_and_pop(job& j, X& x, Popped check_popped) {
  std::vector<long> model;  // what is in it, in no order
  std::vector<long> next(j.members(), 0);
  for (int round = 0; round < j.rounds; ++round) {
    for (std::size_t m = 0; m < j.members(); ++m) {
      dice d = j.of(m, round);
      std::vector<long> items(d.below(25));
      for (long& e : items) model.push_back(e = pushed_by(m, next[m]++));
      if (m != j.me()) continue;
      if (d.one_in(2))
        x.push_range(items);
      else
        for (const long e : items) x.push(e);
    }
    j.t.fence();
    expect(x.size() == model.size() && x.count().get() == model.size(), "the size of a queue");
    j.t.barrier();
    dice d = j.of(j.me(), round + 1'000'000);
    std::vector<long> popped;
    for (std::size_t k = d.below(15); k > 0; --k) {
      if (d.one_in(3)) {
        for (const long e : x.pop_some(d.below(5)).get()) popped.push_back(e);
      } else if (const std::optional<long> e = x.pop().get()) {
        popped.push_back(*e);
      }
    }
    check_popped(popped);
    j.t.fence();
    const std::vector<long> gone = sorted_of_all(j.t, popped);
    std::sort(model.begin(), model.end());
    expect(std::ranges::includes(model, gone) && std::ranges::adjacent_find(gone) == gone.end(), "what is popped was pushed");
    std::vector<long> left;
    std::ranges::set_difference(model, gone, std::back_inserter(left));
    if constexpr (requires { typename Popped::largest; })
      expect(left.empty() || gone.empty() || left.back() < gone.front(), "the largest ones are popped");
    model = left;
    expect(x.size() == model.size(), "the size of a queue after pops");
    j.t.barrier();
  }
}

struct in_their_order {  // those of each member
  void operator()(const std::vector<long>& popped) const {
    std::map<long, long> last;
    for (const long e : popped) {
      const auto at = last.find(e / 1'000'000);
      expect(at == last.end() || at->second < e, "the order of a queue");
      last[e / 1'000'000] = e;
    }
  }
};
struct largest_first {
  using largest = void;
  void operator()(const std::vector<long>& popped) const {
    expect(std::ranges::is_sorted(popped, std::greater<>{}), "the order of a priority queue");
  }
};

void queues_of_all(job& j) {
  am::queue<long> x(j.t, am::rank_t(j.all.below(j.members())));
  push_and_pop(j, x, in_their_order{});
}
void priority_queues(job& j) {
  am::priority_queue<long> x(j.t, am::rank_t(j.all.below(j.members())));
  push_and_pop(j, x, largest_first{});
}

struct work {
  std::uint64_t name;
  int depth;
};
std::uint64_t child_of(std::uint64_t name, std::uint64_t k) {
  return (name * 6364136223846793005u + k + 1) * 2862933555777941757u;
}
std::uint64_t children_of(const work& w) { return w.depth == 0 ? 0 : (w.name >> 40) % 4; }

void do_in_model(const work& w, std::uint64_t& sum, std::size_t& n) {
  sum += w.name;
  ++n;
  for (std::uint64_t k = 0; k < children_of(w); ++k) do_in_model({child_of(w.name, k), w.depth - 1}, sum, n);
}

void work_queues(job& j) {
  am::work_queue<work> x(j.t);
  for (int round = 0; round < j.rounds; ++round) {
    std::uint64_t expected = 0, sum = 0;
    std::size_t items = 0;
    for (std::size_t m = 0; m < j.members(); ++m) {
      dice d = j.of(m, round);
      for (std::size_t k = d.below(d.one_in(3) ? 30 : 3); k > 0; --k) {
        const work w{d.below(std::size_t{1} << 62), int(d.below(7))};
        if (m == j.me()) x.push(w);
        do_in_model(w, expected, items);
      }
    }
    const bool remote = j.all.one_in(3);  // children go to another member
    const am::rank_t next = j.t.world_rank((j.t.rank() + 1) % j.t.size());
    const auto named = x.handle();
    const am::work_share done = x.process([&](const work& w) {
      sum += w.name;
      for (std::uint64_t k = 0; k < children_of(w); ++k) {
        const work child{child_of(w.name, k), w.depth - 1};
        if (remote)
          am::async(next, [](am::work_queue<work>::handle_type q, work c) { q->push(c); }, named, child);
        else
          x.push(child);
      }
    });
    expect(j.t.all_reduce(sum, std::plus<>{}) == expected, "which items have run");
    expect(j.t.all_reduce(std::size_t(done.items), std::plus<>{}) == items, "how many items have run");
    j.t.fence();
    expect(x.empty(), "no item is left");
  }
}

}  // namespace

const std::vector<named_scene> queues = {
    {"list", lists}, {"queue", queues_of_all}, {"priority_queue", priority_queues}, {"work_queue", work_queues}};

}  // namespace random_operations
