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

/// Whether what member `m` of `old` had is gone: it and the `copies` members behind it are not in `t`.
inline bool is_gone(const armilla::team& old, armilla::rank_t m, int copies, const armilla::team& t) {
  for (int k = 0; k <= std::max(1, std::min(copies, int(old.size()) - 1)); ++k)
    if (t.rank_of(old.world_rank((m + k) % old.size())) >= 0) return false;
  return true;
}

/// Dealt in blocks of `Turn`; 0: a block a member.
template <class Array, std::size_t Turn>
class numbers {
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
      if (const std::size_t i = x_.index_of_local(k); i != other) x_.local()[k] = value_of(i, step);
    if (x_.members().rank() == armilla::rank_t(step % x_.members().size())) x_.set(other, value_of(other, step));
  }
  std::uint64_t recover(const armilla::team& t, const std::map<long, armilla::team>& teams) {
    auto back = x_.recover(t);
    const armilla::placement was = was_.at(back.mark);
    compare(was, teams.at(long(back.mark)), t, back);
    x_ = std::move(back.container);
    was_[back.mark] = x_.placement();
    return back.mark;
  }
  std::size_t gone() const { return gone_; }
  void verify(long step) {
    for (std::size_t k = 0; k < x_.local().size(); ++k) {
      const std::size_t i = x_.index_of_local(k);
      require(i == std::size_t(step) * 7919 % x_.size() || x_.local()[k] == value_of(i, step), "an element in the end");
    }
  }

 protected:
  template <class Back>
  void compare(const armilla::placement& was, const armilla::team& old, const armilla::team& t, Back& back) {
    Array& y = back.container;
    require(y.size() == was.size() && y.members() == t, "the size");
    std::vector<bool> missing(was.size());
    for (const auto& [begin, end] : back.gone) std::fill(missing.begin() + long(begin), missing.begin() + long(end), true);
    for (std::size_t i = 0; i < was.size(); ++i)
      require(missing[i] == is_gone(old, was.member_of(i), copies_, t), "element " + std::to_string(i) + " is gone, or is not");
    gone_ = std::size_t(std::ranges::count(missing, true));
    for (std::size_t k = 0; k < y.local().size(); ++k) {
      const std::size_t i = y.index_of_local(k);
      auto& e = y.local()[k];
      require(e == (missing[i] ? 0 : value_of(i, long(back.mark))), "element " + std::to_string(i) + " is " + std::to_string(e >> 24) +
                                                              " of step " + std::to_string(e & 0xffffff) + " at mark " +
                                                              std::to_string(back.mark));
      e = value_of(i, long(back.mark));
    }
  }

  Array x_;
  int copies_ = 1;
  std::size_t gone_ = 0;
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
    for (std::uint64_t& e : x_.local()) e = value_of(first++, long(mark));
    for (std::size_t k = x_.local().size(); k < sizes[std::size_t(x_.members().rank())]; ++k) x_.push_back(value_of(first++, long(mark)));
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
