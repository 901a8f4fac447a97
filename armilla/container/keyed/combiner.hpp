// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
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

/// Where updates with one operation meet before they travel: each key has one place. A key that comes to a place that another
/// has goes on its way at once, and takes a unit of the other's weight; where there is none left, it takes the place, and the
/// other leaves. A key's weight grows each time it meets itself. So keys that come often stay.
///
/// It begins small, and grows while keys are in each other's way, up to its bound: a phase of few updates touches little memory.
/// At the bound it looks at each window of updates: where fewer than a third of those that found their place taken met their
/// own key there, it is of no use, and is left out for the next 32 windows.
template <class Key, class Value>
class combiner {
 public:
  struct place {
    std::uint64_t hash = 0;
    bool used = false;
    std::uint8_t weight = 0;
    Key key{};
    Value value{};
  };
  enum class outcome { met, alone, displaced };

  /// As many places as the caches of a core hold beside what a program does else.
  static constexpr std::size_t fitting = std::bit_floor((std::size_t(1) << 20) / sizeof(place) | 1);

  /// `most`: places, a power of two; 0: updates do not meet.
  explicit combiner(std::size_t most)
      : most_(most), size_(most < at_first ? most : at_first), left_(2 * size_), skip_(most == 0 ? ~std::size_t{0} : 0) {}

  /// Whether the next update is to look here. Budget: one test.
  bool on() noexcept { return skip_ == 0 || --skip_ == 0; }
  bool empty() const noexcept { return used_ == 0; }
  std::size_t size() const noexcept { return size_; }

  /// The number of the place of keys with that hash. It stays until the next `judge`.
  std::size_t number_of(std::uint64_t hash) const noexcept { return std::size_t(hash) & (size_ - 1); }
  place& number(std::size_t i) {
    if (places_ == nullptr) [[unlikely]]
      places_ = std::make_unique<place[]>(size_);
    return places_[i];
  }

  void fill(place& at, std::uint64_t hash) noexcept {
    at.hash = hash;
    at.used = true;
    at.weight = 0;
    ++used_;
  }
  void free(place& at) noexcept {
    at.used = false;
    --used_;
  }
  void strengthen(place& at) noexcept { at.weight = std::uint8_t(at.weight + (at.weight < heaviest)); }
  /// Whether it stays where another key wants its place.
  bool resists(place& at) noexcept { return at.weight != 0 && at.weight-- != 0; }

  /// What has become of an update. True: this window has shown that few meet, and all places are to be freed. May move places.
  /// Budget: of one that met, a counter.
  bool judge(outcome what) {
    alone_ += what == outcome::alone;
    displaced_ += what == outcome::displaced;
    return --left_ == 0 && end_window();
  }

 private:
  static constexpr std::size_t at_first = 512;
  static constexpr std::uint8_t heaviest = 3;

  [[gnu::noinline]] bool end_window() {
    const std::size_t seen = 2 * size_, met = seen - alone_ - displaced_;
    const bool crowded = displaced_ * 8 > seen, useless = displaced_ > 2 * met, grows = crowded && size_ < most_;
    alone_ = displaced_ = 0;
    if (grows)
      grow();
    else if (useless)
      skip_ = 32 * seen;
    left_ = 2 * size_;
    return useless && !grows;
  }
  /// Two keys that have different places have so among more places, too.
  void grow() {
    const std::size_t before = size_, after = most_ / 4 < before ? most_ : before * 4;
    auto few = std::exchange(places_, std::make_unique<place[]>(after));
    size_ = after;
    for (std::size_t i = 0; i < before; ++i)
      if (few[i].used) places_[number_of(few[i].hash)] = std::move(few[i]);
  }

  std::unique_ptr<place[]> places_;
  std::size_t most_, size_;
  std::size_t used_ = 0;
  std::size_t left_, skip_;  // updates of this window; updates that pass by
  std::size_t alone_ = 0, displaced_ = 0;
};

/// For types that cannot meet.
struct no_combiner {
  static constexpr std::size_t fitting = 0;
  explicit no_combiner(std::size_t) {}
  static constexpr bool on() noexcept { return false; }
  static constexpr bool empty() noexcept { return true; }
};

}  // namespace armilla::detail
