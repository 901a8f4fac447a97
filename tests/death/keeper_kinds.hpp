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

/// What is missing in checkpoints that were made of those that were recovered.
using holes = std::map<std::uint64_t, std::vector<bool>>;
/// Those of `mark`, and of those that are gone now.
inline std::vector<bool>& with_holes(holes& all, std::uint64_t mark, const std::vector<bool>& gone) {
  std::vector<bool>& of_mark = all[mark];
  of_mark.resize(gone.size());
  for (std::size_t i = 0; i < gone.size(); ++i) of_mark[i] = of_mark[i] || gone[i];
  return of_mark;
}

/// Whether what member `m` of `old` had is gone: it and the `copies` members behind it are not in `t`.
inline bool is_gone(const armilla::team& old, armilla::rank_t m, int copies, const armilla::team& t) {
  for (int k = 0; k <= std::max(1, std::min(copies, int(old.size()) - 1)); ++k)
    if (t.rank_of(old.world_rank((m + k) % old.size())) >= 0) return false;
  return true;
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
    was_[mark] = x_.placement();
    x_.checkpoint(mark);
  }
  /// One element is written by a statement of another member, which must be in a checkpoint that follows.
  void advance(long step) {
    x_.members().fence();
    if (x_.size() == 0) return;
    const std::size_t other = std::size_t(step) * 7919 % x_.size();
    for (std::size_t k = 0; k < x_.local().size(); ++k)
      if (const std::size_t i = x_.index_of_local(k); i != other) x_.local()[k] = element_of<value>(i, step);
    if (x_.members().rank() == armilla::rank_t(step % x_.members().size())) x_.set(other, element_of<value>(other, step));
  }
  std::uint64_t recover(const armilla::team& t, const std::map<std::uint64_t, armilla::team>& teams) {
    auto back = x_.recover(t);
    const armilla::placement was = was_.at(back.mark);
    compare(was, teams.at(back.mark), t, back);
    x_ = std::move(back.container);
    was_[back.mark] = x_.placement();
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
  template <class Back>
  void compare(const armilla::placement& was, const armilla::team& old, const armilla::team& t, Back& back) {
    Array& y = back.container;
    require(y.size() == was.size() && y.members() == t, "the size");
    std::vector<bool> missing(was.size());
    for (const auto& [begin, end] : back.gone) std::fill(missing.begin() + long(begin), missing.begin() + long(end), true);
    std::vector<bool> expected;
    for (std::size_t i = 0; i < was.size(); ++i) expected.push_back(is_gone(old, was.member_of(i), copies_, t));
    require(missing == with_holes(holes_, back.mark, expected), "other elements are gone");
    gone_ = std::size_t(std::ranges::count(missing, true));
    for (std::size_t k = 0; k < y.local().size(); ++k) {
      const std::size_t i = y.index_of_local(k);
      auto& e = y.local()[k];
      require(e == (missing[i] ? value() : element_of<value>(i, step_of(back.mark))),
              "element " + std::to_string(i) + " is " + shown(e) + " at mark " + std::to_string(back.mark));
    }
  }

  Array x_;
  int copies_ = 1;
  std::size_t gone_ = 0;
  holes holes_;
  std::map<std::uint64_t, armilla::placement> was_;
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
    for (std::size_t k = x_.local().size(); k < sizes[std::size_t(x_.members().rank())]; ++k) x_.push_back(value_of(first++, step_of(mark)));
    was_[mark] = armilla::placement(sizes);
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
    auto back = x_.recover(t, armilla::raw);
    require(back.gone.empty() && back.container.size() == x_.size() && back.container.members() == t, "the size");
    for (std::size_t k = 0; k < back.container.local().size(); ++k) {
      const std::size_t i = back.container.index_of_local(k);
      auto& e = back.container.local()[k];
      const long step = long(e & 0xffffff);
      require(((e >> 24) == i || e == 0) && step >= done - 2 && step <= done + 2, "element " + std::to_string(i) + " is " + std::to_string(e >> 24) + " of step " + std::to_string(step) + " behind " + std::to_string(done));
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
    blocks_of_[mark].clear();
    for (std::size_t i = 0; i < x_.size(); ++i) blocks_of_[mark].push_back(x_.rank_of(x_.cell_of(i)));
    x_.checkpoint(mark);
  }
  std::uint64_t recover(const armilla::team& t, const std::map<std::uint64_t, armilla::team>& teams) {
    auto back = x_.recover(t);
    auto& y = back.container;
    require(y.size() == x_.size() && y.extent(1) == x_.extent(1) && y.members() == t, "the extents");
    std::vector<bool> missing(y.size());
    for (const auto& [begin, end] : back.gone)
      for (std::size_t r = begin[0]; r < end[0]; ++r)
        for (std::size_t c = begin[1]; c < end[1]; ++c) missing[y.index_of({r, c})] = true;
    const armilla::team old = teams.at(back.mark);
    std::vector<bool> expected;
    for (std::size_t i = 0; i < y.size(); ++i) expected.push_back(is_gone(old, old.rank_of(blocks_of_.at(back.mark)[i]), copies_, t));
    require(missing == with_holes(holes_, back.mark, expected), "other cells are gone");
    gone_ = std::size_t(std::ranges::count(missing, true));
    const auto cells = y.local();
    for (std::size_t r = 0; r < cells.extent(0); ++r)
      for (std::size_t c = 0; c < cells.extent(1); ++c) {
        const std::size_t i = y.index_of({cells.origin(0) + r, cells.origin(1) + c});
        require(cells(r, c) == (missing[i] ? 0 : value_of(i, step_of(back.mark))), "cell " + std::to_string(i) + " is " + shown(cells(r, c)));
      }
    x_ = std::move(y);
    for (std::size_t i = 0; i < x_.size(); ++i) blocks_of_[back.mark][i] = x_.rank_of(x_.cell_of(i));
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
      for (std::size_t c = 0; c < cells.extent(1); ++c) cells(r, c) = value_of(x_.index_of({cells.origin(0) + r, cells.origin(1) + c}), step);
  }
  armilla::matrix<std::uint64_t> x_;
  int copies_ = 1;
  std::size_t gone_ = 0;
  holes holes_;
  std::map<std::uint64_t, std::vector<armilla::rank_t>> blocks_of_;
};

/// Keys from 0 on, each with a text of the step; those that the step leaves out are not there.
template <class Map, bool Multi>
class words {
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
      if constexpr (Multi)
        x_.insert(long(i), text_of(i, 0)), x_.insert(long(i), text_of(i, step));
      else
        x_.insert_or_assign(long(i), text_of(i, step));
    }
  }
  void checkpoint(std::uint64_t mark) {
    owner_[mark].clear();
    holes_.erase(mark);
    gone_ranks_.erase(mark);
    for (std::size_t i = 0; i < n_; ++i) owner_[mark].push_back(x_.rank_of(long(i)));
    x_.checkpoint(mark);
  }
  std::uint64_t recover(const armilla::team& t, const std::map<std::uint64_t, armilla::team>& teams) {
    auto back = x_.recover(t);
    const Map& y = back.container;
    const armilla::team old = teams.at(back.mark);
    const std::vector<armilla::rank_t>& owner = owner_.at(back.mark);
    std::vector<armilla::rank_t> gone = gone_ranks_[back.mark];
    std::vector<bool> missing;
    for (std::size_t i = 0; i < n_; ++i) {
      missing.push_back(is_gone(old, old.rank_of(owner[i]), copies_, t));
      if (missing[i] && !had_holes(back.mark, i) && is_there(i, step_of(back.mark))) gone.push_back(owner[i]);
    }
    missing = with_holes(holes_, back.mark, missing);
    std::ranges::sort(gone);
    gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
    require(back.gone == gone, "other parts are gone");
    gone_ranks_[back.mark] = gone;
    gone_ = gone.size();
    std::size_t all = 0;
    for (std::size_t i = 0; i < n_; ++i) all += is_there(i, step_of(back.mark)) && !missing[i] ? (Multi ? 2 : 1) : 0;
    require(y.size() == all && y.members() == t, "the size is " + std::to_string(y.size()) + " in place of " + std::to_string(all));
    x_ = std::move(back.container);
    for (std::size_t i = 0; i < n_; ++i) owner_[back.mark][i] = x_.rank_of(long(i));
    return back.mark;
  }
  /// By messages, in which a loss may be met.
  void check(std::uint64_t mark) {
    const armilla::team& t = x_.members();
    for (std::size_t i = std::size_t(t.rank()); i < n_; i += std::size_t(t.size())) {
      const auto found = x_.find(long(i)).get();
      require(found.has_value() == (is_there(i, step_of(mark)) && !had_holes(mark, i)), "key " + std::to_string(i));
      if constexpr (Multi)
        require(!found || *found == std::vector<std::string>{text_of(i, 0), text_of(i, step_of(mark))}, "values of key " + std::to_string(i));
      else
        require(!found || *found == text_of(i, step_of(mark)), "the value of key " + std::to_string(i));
    }
    t.barrier();  // before anything is changed
  }
  std::size_t gone() const { return gone_; }
  void verify(long) const {}

 private:
  bool had_holes(std::uint64_t mark, std::size_t i) const {
    const auto of_mark = holes_.find(mark);
    return of_mark != holes_.end() && of_mark->second[i];
  }
  static bool is_there(std::size_t i, long step) { return (i + std::size_t(step)) % 5 != 0; }
  Map x_;
  std::size_t n_;
  int copies_ = 1;
  std::size_t gone_ = 0;
  holes holes_;
  std::map<std::uint64_t, std::vector<armilla::rank_t>> owner_, gone_ranks_;
};
