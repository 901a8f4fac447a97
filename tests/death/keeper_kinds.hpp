// SPDX-License-Identifier: Apache-2.0
#pragma once
// The containers of keeper.cpp. An element says its index and the step in which it was written.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>

inline void require(bool good, const std::string& what) {
  if (good) return;
  std::printf("rank %d WRONG: %s\n", int(armilla::rank()), what.c_str());
  std::fflush(stdout);
  throw std::logic_error(what);
}

inline std::uint64_t value_of(std::size_t i, long step) { return std::uint64_t(i) << 24 | std::uint64_t(step); }
inline std::string text_of(std::size_t i, long step) {
  return std::string(i % 40, 'x') + std::to_string(i) + " of " + std::to_string(step);
}
template <class T>
T element_of(std::size_t i, long step) {
  if constexpr (std::is_same_v<T, std::string>)
    return text_of(i, step);
  else
    return value_of(i, step);
}
inline std::string shown(std::uint64_t e) { return std::to_string(e >> 24) + " of step " + std::to_string(e & 0xffffff); }
inline std::string shown(const std::string& e) { return "'" + e + "'"; }

/// A step is kept once more where elements were gone: marks of one step follow each other.
inline long step_of(std::uint64_t mark) { return long(mark / 16); }

/// What a checkpoint has, as the test knows it.
template <class Places>
struct known {
  Places places;              ///< where the elements were
  std::vector<bool> missing;  ///< by element
};

inline armilla::rank_t first_on_second_host = 0;  ///< from this rank on all are there; 0: there is none

/// How far behind their owners copies lie: so far that they are on another host, as long as there are such members; then nearest
/// first.
inline std::vector<armilla::rank_t> distances(const armilla::team& old) {
  armilla::rank_t on_first = 0;
  for (armilla::rank_t m = 0; m < old.size(); ++m)
    on_first += first_on_second_host == 0 || old.world_rank(m) < first_on_second_host;
  const armilla::rank_t n = old.size(), width = std::max(on_first, n - on_first);
  std::vector<armilla::rank_t> all;
  for (armilla::rank_t d = 1; d < n; ++d) all.push_back(d);
  std::ranges::stable_partition(all, [&](armilla::rank_t d) { return d % width == 0; });
  return all;
}

/// Whether what member `m` of `old` had is gone: it and those that keep its `copies` are not in `t`.
inline bool is_gone(const armilla::team& old, armilla::rank_t m, int copies, const armilla::team& t) {
  std::vector<armilla::rank_t> behind = distances(old);
  if (behind.size() > std::size_t(copies)) behind.resize(std::size_t(copies));
  behind.push_back(0);
  return std::ranges::none_of(behind, [&](armilla::rank_t d) { return t.rank_of(old.world_rank((m + d) % old.size())) >= 0; });
}

/// Dealt in blocks of `Turn`; 0: a block a member.
template <class Array, std::size_t Turn>
class numbers {
  using value = typename Array::value_type;

 public:
  static constexpr bool raw = false;
  numbers(const armilla::team& t, std::size_t n) : x_(n, armilla::on(t, Turn == 0 ? armilla::blocks() : armilla::cyclic(Turn))) {}

  void keep(int copies) {
    copies_ = copies;
    x_.keep(copies);
  }
  void checkpoint(std::uint64_t mark) {
    note(mark, x_.placement());
    x_.checkpoint(mark);
  }
  /// One element is written by a one-way call of another member, which must be in a checkpoint that follows.
  void advance(long step) {
    x_.members().fence();
    if (x_.size() == 0) return;
    const std::size_t other = std::size_t(step) * 7919 % x_.size();
    for (std::size_t k = 0; k < x_.local().size(); ++k)
      if (const std::size_t i = x_.index_of_local(k); i != other) x_.local()[k] = element_of<value>(i, step);
    if (x_.members().rank() == armilla::rank_t(step % x_.members().size())) x_.set(other, element_of<value>(other, step));
  }
  /// What a recovery on `t` gives, of a checkpoint that was made on `old`.
  void expect(std::uint64_t mark, const armilla::team& old, const armilla::team& t) {
    next_mark_ = mark;
    next_ = was_.at(mark);
    for (std::size_t i = 0; i < next_.places.size(); ++i)
      if (is_gone(old, next_.places.member_of(i), copies_, t)) next_.missing[i] = true;
    next_.places = next_.places.over(t.size());
  }
  void adopt() { was_[next_mark_] = next_; }
  std::uint64_t recover(const armilla::team& t) {
    auto back = x_.recover(t);
    x_ = std::move(back.container);
    require(x_.size() == next_.places.size() && x_.members() == t && x_.placement() == next_.places, "the size");
    std::vector<bool> missing(x_.size());
    for (const auto& [begin, end] : back.gone) std::fill(missing.begin() + long(begin), missing.begin() + long(end), true);
    require(missing == next_.missing, "other elements are gone");
    gone_ = std::size_t(std::ranges::count(missing, true));
    for (std::size_t k = 0; k < x_.local().size(); ++k) {
      const std::size_t i = x_.index_of_local(k);
      const auto& e = x_.local()[k];
      require(e == (missing[i] ? value() : element_of<value>(i, step_of(back.mark))),
              "element " + std::to_string(i) + " is " + shown(e) + " at mark " + std::to_string(back.mark));
    }
    return back.mark;
  }
  std::size_t gone() const { return gone_; }
  void verify(long step) {
    for (std::size_t k = 0; k < x_.local().size(); ++k) {
      const std::size_t i = x_.index_of_local(k);
      require(i == std::size_t(step) * 7919 % x_.size() || x_.local()[k] == element_of<value>(i, step), "an element in the end");
    }
  }

 protected:
  void note(std::uint64_t mark, const armilla::placement& places) { was_[mark] = {places, std::vector<bool>(places.size())}; }

  Array x_;
  int copies_ = 1;
  std::size_t gone_ = 0;
  std::map<std::uint64_t, known<armilla::placement>> was_;
  known<armilla::placement> next_;
  std::uint64_t next_mark_ = 0;
};

/// It grows at each checkpoint: what is staged gets its indices by the fence in that.
class growing_numbers : public numbers<armilla::vector<std::uint64_t>, 0> {
 public:
  using numbers::numbers;
  void advance(long step) {
    for (std::size_t k = 0; k < x_.local().size(); ++k) x_.local()[k] = value_of(x_.index_of_local(k), step);
  }
  void checkpoint(std::uint64_t mark) {
    std::vector<std::size_t> sizes;
    std::size_t first = 0;
    for (armilla::rank_t m = 0; m < x_.members().size(); ++m) {
      if (m == x_.members().rank()) first = armilla::placement(sizes.empty() ? std::vector<std::size_t>(1) : sizes).size();
      sizes.push_back(x_.placement().count(m) + (mark * 31 + std::uint64_t(m) * 17) % 500);
    }
    for (std::uint64_t& e : x_.local()) e = value_of(first++, step_of(mark));
    for (std::size_t k = x_.local().size(); k < sizes[std::size_t(x_.members().rank())]; ++k)
      x_.push_back(value_of(first++, step_of(mark)));
    note(mark, armilla::placement(sizes));
    x_.checkpoint(mark);
  }
};

/// Taken from memory as it is, without a checkpoint.
class raw_numbers {
 public:
  static constexpr bool raw = true;
  raw_numbers(const armilla::team& t, std::size_t n) : x_(n, armilla::on(t)) {}
  void advance(long step) {
    for (std::size_t k = 0; k < x_.local().size(); ++k) x_.local()[k] = value_of(x_.index_of_local(k), step);
  }
  /// Members are within a step of each other, and one that died has done a part of one.
  void recover(const armilla::team& t, long done) {
    ++tries_;
    auto back = x_.recover(t, armilla::raw);
    require(back.gone.empty() && back.container.size() == x_.size() && back.container.members() == t, "the size");
    for (std::size_t k = 0; k < back.container.local().size(); ++k) {
      const std::size_t i = back.container.index_of_local(k);
      auto& e = back.container.local()[k];
      const long step = long(e & 0xffffff);
      require(((e >> 24) == i || e == 0) && step >= done - 2 - 2 * tries_ && step <= done + 2,
              "element " + std::to_string(i) + " is " + std::to_string(e >> 24) + " of step " + std::to_string(step) +
                  " behind " + std::to_string(done));
      e = value_of(i, done);
    }
    x_ = std::move(back.container);
  }
  std::size_t gone() const { return 0; }
  void verify(long step) const {
    for (std::size_t k = 0; k < x_.local().size(); ++k)
      require(x_.local()[k] == value_of(x_.index_of_local(k), step), "an element in the end");
  }

 private:
  armilla::array<std::uint64_t> x_;
  long tries_ = 0;
};

/// With a halo, in two dimensions.
class plate {
 public:
  static constexpr bool raw = false;
  plate(const armilla::team& t, std::size_t n) : x_({n / 100 + 1, 37}, armilla::on(t, armilla::grid()), armilla::halo(1)) {}
  void keep(int copies) {
    copies_ = copies;
    x_.keep(copies);
  }
  void advance(long step) {
    fill(step);
    x_.exchange();
  }
  /// What is kept stays with the name.
  void checkpoint(std::uint64_t mark) {
    armilla::matrix<std::uint64_t> y = x_.like();
    armilla::swap(x_, y);
    fill(step_of(mark));
    was_[mark] = {x_.plan().shape, std::vector<bool>(x_.size())};
    x_.checkpoint(mark);
  }
  void expect(std::uint64_t mark, const armilla::team& old, const armilla::team& t) {
    next_mark_ = mark;
    next_ = was_.at(mark);
    for (std::size_t i = 0; i < next_.missing.size(); ++i)
      if (is_gone(old, next_.places.member_of(next_.places.cell_of(i)), copies_, t)) next_.missing[i] = true;
    next_.places = armilla::detail::shape_over(next_.places, t.size());
  }
  void adopt() { was_[next_mark_] = next_; }
  std::uint64_t recover(const armilla::team& t) {
    auto back = x_.recover(t);
    x_ = std::move(back.container);
    require(x_.size() == next_.missing.size() && x_.plan().shape == next_.places && x_.members() == t, "the extents");
    std::vector<bool> missing(x_.size());
    for (const auto& [begin, end] : back.gone)
      for (std::size_t r = begin[0]; r < end[0]; ++r)
        for (std::size_t c = begin[1]; c < end[1]; ++c) missing[x_.index_of({r, c})] = true;
    require(missing == next_.missing, "other cells are gone");
    gone_ = std::size_t(std::ranges::count(missing, true));
    const auto cells = x_.local();
    for (std::size_t r = 0; r < cells.extent(0); ++r)
      for (std::size_t c = 0; c < cells.extent(1); ++c) {
        const std::size_t i = x_.index_of({cells.origin(0) + r, cells.origin(1) + c});
        require(cells(r, c) == (missing[i] ? 0 : value_of(i, step_of(back.mark))),
                "cell " + std::to_string(i) + " is " + shown(cells(r, c)));
      }
    return back.mark;
  }
  std::size_t gone() const { return gone_; }
  void verify(long step) const {
    const auto cells = x_.local();
    for (std::size_t c = 0; c < (cells.extent(0) == 0 ? 0 : cells.extent(1)); ++c)
      require(cells(0, c) == value_of(x_.index_of({cells.origin(0), cells.origin(1) + c}), step), "a cell in the end");
  }

 private:
  void fill(long step) {
    const auto cells = x_.local();
    for (std::size_t r = 0; r < cells.extent(0); ++r)
      for (std::size_t c = 0; c < cells.extent(1); ++c)
        cells(r, c) = value_of(x_.index_of({cells.origin(0) + r, cells.origin(1) + c}), step);
  }
  armilla::matrix<std::uint64_t> x_;
  int copies_ = 1;
  std::size_t gone_ = 0;
  std::map<std::uint64_t, known<armilla::detail::grid_shape<2>>> was_;
  known<armilla::detail::grid_shape<2>> next_;
  std::uint64_t next_mark_ = 0;
};

/// Keys from 0 on, each with a text of the step, in a map; those that the step leaves out are not there.
template <class Map, bool Multi>
class words {
  static constexpr bool has_values = requires(Map& x) { x.insert(0L, std::string()); };

 public:
  static constexpr bool raw = false;
  words(const armilla::team& t, std::size_t n) : x_(t), n_(n / 100) {}
  void keep(int copies) {
    copies_ = copies;
    x_.keep(copies);
  }
  /// Each member says what it has to say of its share, wherever it lies.
  void advance(long step) {
    const armilla::team& t = x_.members();
    for (std::size_t i = std::size_t(t.rank()); i < n_; i += std::size_t(t.size())) {
      x_.erase(long(i));
      if (!is_there(i, step)) continue;
      if constexpr (!has_values) {
        x_.insert(long(i));
        if (Multi) x_.insert(long(i));
      } else if constexpr (Multi)
        x_.insert(long(i), text_of(i, 0)), x_.insert(long(i), text_of(i, step));
      else
        x_.insert_or_assign(long(i), text_of(i, step));
    }
  }
  void checkpoint(std::uint64_t mark) {
    was_[mark] = {{}, std::vector<bool>(n_)};
    x_.checkpoint(mark);
  }
  void expect(std::uint64_t mark, const armilla::team& old, const armilla::team& t) {
    next_mark_ = mark;
    next_ = was_.at(mark);
    for (std::size_t i = 0; i < n_; ++i) {
      const armilla::rank_t owner = owner_of(i, old);
      if (!is_gone(old, owner, copies_, t)) continue;
      if (is_there(i, step_of(mark)) && !next_.missing[i]) next_.places.push_back(old.world_rank(owner));
      next_.missing[i] = true;
    }
    std::ranges::sort(next_.places);
    next_.places.erase(std::unique(next_.places.begin(), next_.places.end()), next_.places.end());
  }
  void adopt() { was_[next_mark_] = next_; }
  std::uint64_t recover(const armilla::team& t) {
    auto back = x_.recover(t);
    x_ = std::move(back.container);
    require(back.gone == next_.places, "other parts are gone");
    gone_ = back.gone.size();
    std::size_t all = 0;
    for (std::size_t i = 0; i < n_; ++i) all += is_there(i, step_of(back.mark)) && !next_.missing[i] ? (Multi ? 2 : 1) : 0;
    require(x_.size() == all && x_.members() == t,
            "the size is " + std::to_string(x_.size()) + " in place of " + std::to_string(all));
    return back.mark;
  }
  /// By messages, in which a loss may be met.
  void check(std::uint64_t mark) {
    const armilla::team& t = x_.members();
    for (std::size_t i = std::size_t(t.rank()); i < n_; i += std::size_t(t.size())) {
      if constexpr (!has_values) {
        const bool there = is_there(i, step_of(mark)) && !next_.missing[i];
        require(x_.count(long(i)).get() == (there ? (Multi ? 2 : 1) : 0), "key " + std::to_string(i));
        continue;
      } else {
        const auto found = x_.find(long(i)).get();
        require(found.has_value() == (is_there(i, step_of(mark)) && !next_.missing[i]), "key " + std::to_string(i));
        if constexpr (Multi)
          require(!found || *found == std::vector<std::string>{text_of(i, 0), text_of(i, step_of(mark))},
                  "values of key " + std::to_string(i));
        else
          require(!found || *found == text_of(i, step_of(mark)), "the value of key " + std::to_string(i));
      }
    }
    t.barrier();  // before anything is changed
  }
  std::size_t gone() const { return gone_; }
  void verify(long) const {}

 private:
  static armilla::rank_t owner_of(std::size_t i, const armilla::team& t) {
    return armilla::rank_t(armilla::detail::by_hash{std::size_t(t.size())}.member_of(i, armilla::hash{}(long(i))));
  }
  static bool is_there(std::size_t i, long step) { return (i + std::size_t(step)) % 5 != 0; }
  Map x_;
  std::size_t n_;
  int copies_ = 1;
  std::size_t gone_ = 0;
  std::map<std::uint64_t, known<std::vector<armilla::rank_t>>> was_;  // with the ranks whose parts are gone
  known<std::vector<armilla::rank_t>> next_;
  std::uint64_t next_mark_ = 0;
};

/// Texts in an order, of which each rank has some: in a list, or in a map from their indices. They are dealt evenly when they
/// are recovered.
template <class Container>
class in_order {
  static constexpr bool has_keys = requires(Container& x) {
    x.erase(0L);
    x.rebalance();
  };
  struct state {
    std::vector<std::size_t> there;      ///< elements that are not gone
    std::vector<armilla::rank_t> owner;  ///< of each of them, a member
    std::vector<armilla::rank_t> gone;   ///< ranks whose elements are
  };

 public:
  static constexpr bool raw = false;
  in_order(const armilla::team& t, std::size_t n) : x_(t), n_(n / 100) {}
  void keep(int copies) {
    copies_ = copies;
    x_.keep(copies);
  }
  void advance(long step) {
    const armilla::team& t = x_.members();
    if constexpr (!has_keys) x_.clear_local();
    for (std::size_t i = first_of(t.rank(), t); i < first_of(t.rank() + 1, t); ++i)
      if constexpr (has_keys)
        x_.insert_or_assign(long(i), text_of(i, step));
      else
        x_.push_local(text_of(i, step));
  }
  void checkpoint(std::uint64_t mark) {
    x_.members().fence();
    state now;
    for (std::size_t i = 0; i < n_; ++i) now.there.push_back(i);
    const std::vector<std::size_t> sizes = x_.members().all_gather(std::size_t(x_.local().size()));
    for (armilla::rank_t m = 0; m < x_.members().size(); ++m) now.owner.insert(now.owner.end(), sizes[std::size_t(m)], m);
    require(now.owner.size() == n_, "elements before a checkpoint");
    was_[mark] = now;
    x_.checkpoint(mark);
  }
  void expect(std::uint64_t mark, const armilla::team& old, const armilla::team& t) {
    const state& was = was_.at(mark);
    next_mark_ = mark;
    next_ = {{}, {}, was.gone};
    for (std::size_t k = 0; k < was.there.size(); ++k) {
      const armilla::rank_t r = old.world_rank(was.owner[k]);
      if (!is_gone(old, was.owner[k], copies_, t))
        next_.there.push_back(was.there[k]);
      else if (next_.gone.empty() || next_.gone.back() != r)
        next_.gone.push_back(r);
    }
    const std::size_t all = next_.there.size(), ranks = std::size_t(t.size());
    for (std::size_t m = 0; m < ranks; ++m)
      next_.owner.insert(next_.owner.end(), all * (m + 1) / ranks - all * m / ranks, armilla::rank_t(m));
  }
  void adopt() { was_[next_mark_] = next_; }
  std::uint64_t recover(const armilla::team& t) {
    auto back = x_.recover(t);
    x_ = std::move(back.container);
    require(back.gone == next_.gone, "other parts are gone");
    require(x_.size() == next_.there.size() && x_.members() == t, "the size is " + std::to_string(x_.size()));
    return back.mark;
  }
  void check(std::uint64_t mark) {
    const armilla::team& t = x_.members();
    std::size_t k = std::size_t(std::ranges::find(next_.owner, t.rank()) - next_.owner.begin());
    for (const auto& each : x_.local()) {
      require(k < next_.there.size() && next_.owner[k] == t.rank(), "an element is on another rank");
      const std::size_t i = next_.there[k++];
      if constexpr (has_keys)
        require(each.first == long(i) && each.second == text_of(i, step_of(mark)), "key " + std::to_string(i));
      else
        require(each == text_of(i, step_of(mark)), "element " + std::to_string(i));
    }
    require(k == next_.owner.size() || next_.owner[k] != t.rank(), "an element is not there");
    t.barrier();  // before another rank inserts
  }
  std::size_t gone() const { return next_.gone.size(); }
  void verify(long) const {}

 private:
  std::size_t first_of(armilla::rank_t m, const armilla::team& t) const { return n_ * std::size_t(m) / std::size_t(t.size()); }
  Container x_;
  std::size_t n_;
  int copies_ = 1;
  std::map<std::uint64_t, state> was_;
  state next_;
  std::uint64_t next_mark_ = 0;
};
