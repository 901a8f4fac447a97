// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace armilla::detail {

/// Whether updates of such keys and values can meet before they travel: a place for one is made before there is any.
template <class Key, class Value>
concept combinable = std::default_initializable<Key> && std::default_initializable<Value> && std::movable<Key> &&
                     std::movable<Value> && std::copy_constructible<Value>;

/// Where updates with one operation meet before they travel: each key has one place, and a key that comes to a place that is
/// taken sends the other on its way. So keys that come often stay, and the memory is bounded.
///
/// It looks at each window of updates: where more than half of them found no partner, it is of no use, and is left out for the
/// next sixteen windows.
template <class Key, class Value>
class combiner {
 public:
  struct place {
    std::uint64_t hash = 0;
    bool used = false;
    Key key{};
    Value value{};
  };

  /// `places`: a power of two; 0: updates do not meet.
  explicit combiner(std::size_t places) : size_(places) {}

  /// Whether the next update is to look here. Budget: one test and a counter.
  bool on() noexcept {
    if (skip_ == 0) [[likely]]
      return size_ != 0;
    return --skip_ == 0 && size_ != 0;
  }
  bool empty() const noexcept { return used_ == 0; }
  std::size_t size() const noexcept { return size_; }

  /// The place of keys with that hash.
  place& at(std::uint64_t hash) {
    if (places_ == nullptr) [[unlikely]]
      places_ = std::make_unique<place[]>(size_);
    return places_[std::size_t(hash) & (size_ - 1)];
  }
  place& number(std::size_t i) noexcept { return places_[i]; }

  void fill(place& at, std::uint64_t hash) noexcept {
    at.hash = hash;
    at.used = true;
    ++used_;
  }
  void free(place& at) noexcept {
    at.used = false;
    --used_;
  }

  /// An update has found a partner, or has not. True: this window has shown that few do, and all places are to be freed.
  bool judge(bool met) noexcept {
    alone_ += !met;
    if (++seen_ < 2 * size_) [[likely]]
      return false;
    const bool useless = alone_ * 2 > seen_;
    if (useless) skip_ = 16 * seen_;
    seen_ = alone_ = 0;
    return useless;
  }

 private:
  std::unique_ptr<place[]> places_;
  std::size_t size_;
  std::size_t used_ = 0;
  std::size_t seen_ = 0, alone_ = 0, skip_ = 0;
};

/// For types that cannot meet.
struct no_combiner {
  struct place {};
  explicit no_combiner(std::size_t) {}
  static constexpr bool on() noexcept { return false; }
  static constexpr bool empty() noexcept { return true; }
};

}  // namespace armilla::detail
