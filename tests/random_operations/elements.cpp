// SPDX-License-Identifier: Apache-2.0
// Arrays, vectors, bags, matrices, bitmaps.
#include "scenes.hpp"

namespace random_operations {
namespace {

/// One-way calls of every member to its own elements, in any order; with `together`, additions to all elements.
template <class T>
void change_elements(job& j, am::array<T>& x, std::vector<T>& model, int round, bool together) {
  if (model.empty()) return;
  for (std::size_t m = 0; m < j.members(); ++m) {
    dice d = j.of(m, round);
    const bool mine = m == j.me();
    for (int k = 0; k < 30; ++k) {
      const std::size_t any = d.below(model.size()), i = together ? any : any / j.members() * j.members() + m;
      const long by = d.value();
      const std::size_t what = together ? 0 : d.below(5);
      if (i >= model.size()) continue;
      if (what == 0) {
        if (mine) x.update(i, made_of<T>(by), plus{});
        model[i] = plus{}(model[i], made_of<T>(by));
      } else if (what == 1) {
        if (mine) x.set(i, made_of<T>(by));
        model[i] = made_of<T>(by);
      } else if (what == 2) {
        if (mine) x.visit(i, [](T& e, long n) { e = visited(e, n); }, by);
        model[i] = visited(model[i], by);
      } else if (what == 3) {
        if (mine) {
          const T now = x.call(i, [](T& e, long n) { return e = visited(e, n); }, by).get();
          expect(now == visited(model[i], by), "what a call returns");
        }
        model[i] = visited(model[i], by);
      } else if (mine) {
        expect(x.get(i).get() == model[i], "an element after calls of its rank");
      }
    }
  }
}

/// Stores, one for each element at most.
template <class T>
void store_elements(job& j, am::array<T>& x, std::vector<T>& model, int round) {
  for (std::size_t i = 0; i < model.size(); ++i) {
    dice d = j.of(i, round);
    if (!d.one_in(3)) continue;
    const T e = made_of<T>(d.value());
    if (i % j.members() == j.me()) {
      if (d.one_in(2))
        x.store(i, e);
      else
        x[i] = e;
    }
    model[i] = e;
  }
}

template <class T>
void check_elements(job& j, const am::array<T>& x, const std::vector<T>& model) {
  j.t.fence();
  expect(x.size() == model.size(), "the number of elements");
  expect(am::everything(x) == model, "the elements");
  for (std::size_t k = 0; k < x.local().size(); ++k)
    expect(x.local()[k] == model[x.index_of_local(k)], "an element of this rank");
  j.t.barrier();
}

template <class X, class T>
void reshape(job& j, X& x, std::vector<T>& model) {
  switch (j.all.below(6)) {
    case 0: {
      const std::size_t n = j.all.below(200);
      x.resize(n);
      model.resize(n);
      break;
    }
    case 1: x.redistribute(j.dealt()); break;
    case 2: x = x.clone(); break;
    case 3: {
      X other = x.like();
      swap(x, other);
      model.assign(model.size(), T{});
      break;
    }
    default: break;
  }
}

template <class T>
void arrays(job& j) {
  std::vector<T> model(j.all.below(150));
  am::array<T> x(model.size(), j.dealt());
  for (int round = 0; round < j.rounds; ++round) {
    if (j.all.one_in(3))
      store_elements(j, x, model, round);
    else
      change_elements(j, x, model, round, j.all.one_in(2));
    check_elements(j, x, model);
    reshape(j, x, model);
    check_elements(j, x, model);
  }
}

/// What members stage follows each one's own elements.
template <class T>
void grow(job& j, am::vector<T>& x, std::vector<T>& model, int round) {
  std::vector<T> grown;
  std::size_t next = 0;
  for (std::size_t m = 0; m < j.members(); ++m) {
    const std::size_t had = x.placement().count(am::rank_t(m));
    grown.insert(grown.end(), model.begin() + std::ptrdiff_t(next), model.begin() + std::ptrdiff_t(next + had));
    next += had;
    dice d = j.of(m, round);
    std::vector<T> more(d.below(20));
    for (T& e : more) e = made_of<T>(d.value());
    if (m == j.me()) {  // the last draws
      if (d.one_in(2))
        x.append(more);
      else
        for (const T& e : more) x.push_back(e);
    }
    grown.insert(grown.end(), more.begin(), more.end());
  }
  j.t.fence();
  model = grown;
}

template <class T>
void cut(job& j, am::vector<T>& x, std::vector<T>& model) {
  std::vector<T> left;
  std::size_t next = 0;
  for (std::size_t m = 0; m < j.members(); ++m) {
    const std::size_t had = x.placement().count(am::rank_t(m)), stay = std::min(had, std::size_t(10));
    left.insert(left.end(), model.begin() + std::ptrdiff_t(next), model.begin() + std::ptrdiff_t(next + stay));
    next += had;
  }
  x.keep_local(std::min(x.local().size(), std::size_t(10)));
  model = left;
}

template <class T>
void vectors(job& j) {
  std::vector<T> model;
  am::vector<T> x(0, am::on(j.t));
  for (int round = 0; round < j.rounds; ++round) {
    if (!x.placement().linear()) x.rebalance();
    grow(j, x, model, round);
    check_elements(j, x, model);
    change_elements(j, x, model, round, j.all.one_in(2));
    check_elements(j, x, model);
    if (model.size() > 300)
      cut(j, x, model);
    else if (j.all.one_in(3))
      x.rebalance();
    else
      reshape(j, x, model);
    check_elements(j, x, model);
  }
}

void bags(job& j) {
  std::vector<long> model;
  am::bag<long> x(am::on(j.t));
  for (int round = 0; round < j.rounds; ++round) {
    for (std::size_t m = 0; m < j.members(); ++m) {
      dice d = j.of(m, round);
      std::vector<long> more(d.below(d.one_in(4) ? 60 : 6));
      for (long& e : more) e = d.value();
      if (m == j.me()) x.push_range(more);
      model.insert(model.end(), more.begin(), more.end());
    }
    const std::size_t what = j.all.below(4);
    if (what == 0)
      x.rebalance();
    else
      j.t.fence();
    std::sort(model.begin(), model.end());
    expect(sorted_of_all(j.t, std::vector<long>(x.local().begin(), x.local().end())) == model, "the elements of a bag");
    expect(x.size() == model.size(), "the size of a bag");
    const std::vector<std::size_t> counts = j.t.all_gather(x.local().size());
    if (what == 0) expect(*std::ranges::max_element(counts) - *std::ranges::min_element(counts) <= 1, "an even bag");
    if (what == 1) x.clear(), model.clear();
    j.t.barrier();
  }
}

void check_matrix(job& j, am::matrix<long>& x, const std::vector<long>& model, std::size_t wide) {
  j.t.fence();
  x.exchange();
  const std::size_t rows = x.extent(0), columns = x.extent(1);
  const auto own = x.local();
  const auto at = [&](std::ptrdiff_t i, std::ptrdiff_t k) {
    const auto row = std::ptrdiff_t(own.origin(0)) + i, column = std::ptrdiff_t(own.origin(1)) + k;
    if (row < 0 || column < 0 || row >= std::ptrdiff_t(rows) || column >= std::ptrdiff_t(columns)) return;
    expect(own(i, k) == model[std::size_t(row) * columns + std::size_t(column)], "a cell or its halo");
  };
  if (own.extent(0) > 0 && own.extent(1) > 0)
    for (auto i = -std::ptrdiff_t(wide); i < std::ptrdiff_t(own.extent(0) + wide); ++i)
      for (auto k = -std::ptrdiff_t(wide); k < std::ptrdiff_t(own.extent(1) + wide); ++k) at(i, k);
  dice d = j.of(j.me(), -1);
  for (int k = 0; k < 20; ++k) {
    const std::size_t i = d.below(rows), c = d.below(columns);
    expect(x(i, c) == model[i * columns + c], "a cell of any rank");
  }
  expect(am::reduce(x, 0L, std::plus<>{}) == std::accumulate(model.begin(), model.end(), 0L), "the sum of the cells");
  j.t.barrier();
}

void matrices(job& j) {
  const std::size_t rows = 4 + j.all.below(20), columns = 4 + j.all.below(20), wide = j.all.below(2);
  am::matrix<long> x({rows, columns}, am::on(j.t, am::grid()), am::halo(wide));
  std::vector<long> model(rows * columns);
  for (int round = 0; round < j.rounds; ++round) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      dice d = j.of(i, round);
      if (!d.one_in(4)) continue;
      const long e = d.value();
      if (i % j.members() == j.me()) x(i / columns, i % columns) = e;
      model[i] = e;
    }
    check_matrix(j, x, model, wide);
    if (j.all.one_in(3)) x = x.clone();
    if (j.all.one_in(4)) {
      am::for_each(x, [](long& e) { e += 3; });
      for (long& e : model) e += 3;
    }
    check_matrix(j, x, model, wide);
  }
}

using bits = std::vector<bool>;

void change_bits(job& j, am::bitmap& x, bits& model, int round) {
  const std::size_t how = j.all.below(4);  // operations of all members on all bits commute: sets only, flips only
  for (std::size_t m = 0; m < j.members(); ++m) {
    dice d = j.of(m, round);
    for (int k = 0; k < 40; ++k) {
      const std::size_t any = d.below(model.size()), i = how < 2 ? any : any / j.members() * j.members() + m;
      const std::size_t what = how < 2 ? how : d.below(3);
      if (i >= model.size()) continue;
      if (m == j.me()) what == 0 ? x.set(i) : what == 1 ? x.flip(i) : x.reset(i);
      model[i] = what == 0 || (what == 1 && !model[i]);
    }
  }
  j.t.fence();
}

void check_bits(job& j, const am::bitmap& x, const bits& model) {
  const auto all = std::size_t(std::ranges::count(model, true));
  expect(x.count() == all, "how many bits are set");
  std::vector<std::size_t> set, expected;
  x.for_each_set([&](std::size_t i) { set.push_back(i); });
  for (std::size_t i = 0; i < model.size(); ++i)
    if (model[i]) expected.push_back(i);
  expect(sorted_of_all(j.t, set) == expected, "which bits are set");
  dice d = j.of(j.me(), -2);
  for (int k = 0; k < 20 && !model.empty(); ++k) {
    const std::size_t i = d.below(model.size());
    expect(x.test(i) == model[i], "a bit");
  }
  j.t.barrier();
}

void combine_bits(job& j, am::bitmap& x, bits& model, int round) {
  am::bitmap other(model.size(), j.t);
  bits others(model.size());
  change_bits(j, other, others, round + 1'000'000);
  const std::size_t how = j.all.below(3);
  how == 0 ? x.or_with(other) : how == 1 ? x.and_with(other) : x.xor_with(other);
  for (std::size_t i = 0; i < model.size(); ++i)
    model[i] = how == 0 ? model[i] || others[i] : how == 1 ? model[i] && others[i] : model[i] != others[i];
}

void bitmaps(job& j) {
  bits model(1 + j.all.below(700));
  am::bitmap x(model.size(), j.t);
  for (int round = 0; round < j.rounds; ++round) {
    change_bits(j, x, model, round);
    check_bits(j, x, model);
    const std::size_t i = j.all.below(model.size());
    const bool was = x.test_and_set(i);
    expect(j.t.all_reduce(int(!was), std::plus<>{}) == int(!model[i]), "who has set a bit first");
    model[i] = true;
    if (j.all.one_in(3)) combine_bits(j, x, model, round);
    if (j.all.one_in(5)) x = x.clone();
    if (j.all.one_in(8)) x.clear(), model.assign(model.size(), false);
    check_bits(j, x, model);
  }
}

}  // namespace

const std::vector<named_scene> elements = {{"array", arrays<long>},
                                           {"array_of_texts", arrays<std::string>},
                                           {"vector", vectors<long>},
                                           {"vector_of_texts", vectors<std::string>},
                                           {"bag", bags},
                                           {"matrix", matrices},
                                           {"bitmap", bitmaps}};

}  // namespace random_operations
