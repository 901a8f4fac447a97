// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/order/sort_core.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <string_view>
#include <vector>

#include "armilla/algorithm/order/selection.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/place/algorithm_call.hpp"
#include "armilla/container/place/state.hpp"
#include "armilla/transfer.hpp"

namespace armilla::detail {
namespace {

/// Room for elements that are bytes.
class element_room {
 public:
  element_room(std::size_t bytes, std::size_t alignment)
      : alignment_(std::align_val_t{alignment}), begin_(static_cast<std::byte*>(::operator new(bytes, alignment_))) {}
  element_room(const std::vector<std::byte>& filled_with, std::size_t alignment) : element_room(filled_with.size(), alignment) {
    if (!filled_with.empty()) std::memcpy(begin_, filled_with.data(), filled_with.size());
  }
  ~element_room() { ::operator delete(begin_, alignment_); }
  element_room(const element_room&) = delete;
  std::byte* begin() const noexcept { return begin_; }

 private:
  std::align_val_t alignment_;
  std::byte* begin_;
};

/// Fewer elements than these are sorted by each member for itself.
std::size_t few_elements(std::size_t members) { return std::max<std::size_t>(2048, 64 * members); }

std::byte* room_of(const container_state& s) { return global_ptr<std::byte>(s.blocks.at(s.me)).local(); }

/// The first and the last element of a member's part, and how the part is in order. One element is in order.
struct part_ends {
  std::uint64_t n = 0;
  found_order order = found_order::sorted;
  const std::byte *first = nullptr, *last = nullptr;
};

/// All members' ends. Those of small elements fit into a line, so that all are there after one round.
class ends_of_all {
 public:
  ends_of_all(const team& t, const sort_functions& of, const part_ends& mine) {
    if (of.size <= sizeof(small::first))
      gather_small(t, of, mine);
    else
      gather_large(t, of, mine);
  }
  const std::vector<part_ends>& all() const noexcept { return all_; }

 private:
  struct small {
    std::uint64_t first, last, n;
    found_order order;
  };
  void gather_small(const team& t, const sort_functions& of, const part_ends& mine) {
    small s{0, 0, mine.n, mine.order};
    if (mine.n > 0) {
      std::memcpy(&s.first, mine.first, of.size);
      std::memcpy(&s.last, mine.last, of.size);
    }
    small_ = t.all_gather(s);
    for (const small& p : small_)
      all_.push_back({p.n, p.order, reinterpret_cast<const std::byte*>(&p.first), reinterpret_cast<const std::byte*>(&p.last)});
  }
  void gather_large(const team& t, const sort_functions& of, const part_ends& mine) {
    const std::size_t members = std::size_t(t.size()),
                      stride = (2 * of.size + 16 + of.alignment - 1) / of.alignment * of.alignment;
    const element_room own(stride, of.alignment);
    large_.emplace(members * stride, of.alignment);
    std::memset(own.begin(), 0, stride);
    if (mine.n > 0) {
      std::memcpy(own.begin(), mine.first, of.size);
      std::memcpy(own.begin() + of.size, mine.last, of.size);
    }
    std::memcpy(own.begin() + 2 * of.size, &mine.n, sizeof mine.n);
    std::memcpy(own.begin() + 2 * of.size + 8, &mine.order, sizeof mine.order);
    t.all_gather(std::span<const std::byte>(own.begin(), stride), std::span<std::byte>(large_->begin(), members * stride));
    for (std::size_t m = 0; m < members; ++m) {
      const std::byte* const at = large_->begin() + m * stride;
      part_ends p{0, found_order::none, at, at + of.size};
      std::memcpy(&p.n, at + 2 * of.size, sizeof p.n);
      std::memcpy(&p.order, at + 2 * of.size + 8, sizeof p.order);
      all_.push_back(p);
    }
  }

  std::vector<small> small_;
  std::optional<element_room> large_;
  std::vector<part_ends> all_;
};

/// Shows elements that are bytes.
class shown_bytes final : public offer_exchange {
 public:
  shown_bytes(const team& t, const sort_functions& of, std::size_t searches)
      : t_(t),
        of_(of),
        alignment_(std::max(of.alignment, alignof(offer))),
        stride_((of.size + sizeof(offer) + alignment_ - 1) / alignment_ * alignment_),
        mine_(searches * stride_, alignment_),
        all_(searches * stride_ * std::size_t(t.size()), alignment_) {
    std::memset(mine_.begin(), 0, searches * stride_);
  }
  shown show(std::span<const cut> cuts, std::span<const offer> mine, std::vector<offer>& all) override {
    for (std::size_t k = 0; k < mine.size(); ++k) {
      std::byte* const to = mine_.begin() + k * stride_;
      if (mine[k].stands_for > 0)
        std::memcpy(to, static_cast<const std::byte*>(cuts[k].part) + mine[k].place * of_.size, of_.size);
      std::memcpy(to + of_.size, &mine[k], sizeof(offer));
    }
    all.resize(mine.size() * std::size_t(t_.size()));
    t_.all_gather(std::span<const std::byte>(mine_.begin(), mine.size() * stride_),
                  std::span<std::byte>(all_.begin(), all.size() * stride_));
    for (std::size_t i = 0; i < all.size(); ++i) std::memcpy(&all[i], all_.begin() + i * stride_ + of_.size, sizeof(offer));
    return {all_.begin(), stride_};
  }

 private:
  const team& t_;
  const sort_functions& of_;
  std::size_t alignment_, stride_;
  element_room mine_, all_;
};

/// The elements of a member dealt into buckets, in the member's segment. Behind each bucket is room for one element, so that a
/// bucket may be written to before it is known whether it gets anything.
class dealt {
 public:
  dealt(const team& t, const void* part, const placement& where, const border_groups& groups, const void* sample,
        const sort_functions& of, const void* order)
      : size_(of.size), room_(room_for(t, where, groups.buckets(), of)), borders_(groups.buckets() + 1) {
    const std::size_t n = where.count(t.rank());
    std::vector<std::size_t> next(borders_.size());
    std::vector<std::uint16_t> bucket(of.remembers ? n : 0);
    dealing d{groups, sample, part, n, mine(), borders_.data(), next.data(), bucket.data()};
    of.deal(order, d);
  }
  /// Where bucket b begins among the elements, not counting the room between buckets.
  std::size_t begin(std::size_t b) const noexcept { return borders_[b]; }
  std::size_t size(std::size_t b) const noexcept { return borders_[b + 1] - borders_[b]; }
  std::byte* bucket(std::size_t b) noexcept { return mine() + (borders_[b] + b) * size_; }
  const std::vector<std::uint64_t>& borders() const noexcept { return borders_; }
  /// Where the elements of a member are.
  global_ptr<const std::byte> at(rank_t m) const { return global_ptr<const std::byte>(room_.blocks.at(m)); }

 private:
  static container_state room_for(const team& t, const placement& where, std::size_t buckets, const sort_functions& of) {
    std::vector<std::size_t> sizes;
    for (rank_t m = 0; m < t.size(); ++m) sizes.push_back(where.count(m) + buckets);
    return {t, placement(std::move(sizes)), of.size, of.alignment, [](std::byte*, std::size_t) {}};
  }
  std::byte* mine() const { return room_of(room_); }

  std::size_t size_;
  container_state room_;
  std::vector<std::uint64_t> borders_;
};

/// The parts of all members, one behind the other, as one sequence that is to be in order. Each member keeps as many as it has.
class parts_sort {
 public:
  parts_sort(const team& t, void* part, const placement& where, const char* operation, const sort_functions& of,
             const void* order, failure& why)
      : t_(t),
        part_(static_cast<std::byte*>(part)),
        mine_(where.count(t.rank())),
        where_(where),
        n_(where.size()),
        operation_(operation),
        of_(of),
        order_(order),
        why_(why) {
    std::size_t before = 0;
    for (rank_t m = 0; m + 1 < t.size(); ++m) wanted_.push_back(before += where.count(m));
  }

  // Of the work, a fifth each is to deal the elements into buckets and to take a share; the rest is the sort of that.
  bool run(bool stable) {
    const std::size_t members = std::size_t(t_.size());
    const bool evens_out = members > 1 && one_has_most();
    if (!evens_out) expect_work(mine_, "elements");
    if (members > 1 && n_ < few_elements(members)) {
      sort_few(stable);
      return true;
    }
    found_order found = order_of_parts(stable);
    if (members == 1 && found == found_order::none) sort(part_, mine_, stable);
    found = agree(t_, operation_, why_, found, [](found_order a, found_order b) { return a == b ? a : found_order::none; });
    if (found == found_order::reversed) {
      reverse_parts();
      agree(t_, operation_, why_);
    } else if (members > 1 && found == found_order::none) {
      if (evens_out) return false;
      if (!sort_by_sample(stable)) sort_by(border_groups(wanted_.size()), nullptr, stable);
    }
    return true;
  }

 private:
  erased_order comes_first() const noexcept { return {order_, of_.first}; }
  void sort(std::byte* first, std::size_t n, bool stable) { of_.sort(order_, first, n, stable); }
  /// The elements `mine` of all members; `n` is how many that are.
  element_room gather(const std::byte* mine, std::size_t many, std::size_t& n) {
    std::vector<std::size_t> counts(std::size_t(t_.size()));
    const std::vector<std::byte> all = t_.all_gather_v(std::span<const std::byte>(mine, many * of_.size), counts);
    n = all.size() / of_.size;
    return {all, of_.alignment};
  }

  /// A copy there and back takes as long as a third of the sort.
  bool one_has_most() const noexcept {
    std::size_t most = 0;
    for (rank_t m = 0; m < t_.size(); ++m) most = std::max(most, where_.count(m));
    return double(most) * double(t_.size()) > 1.5 * double(n_);
  }

  void sort_few(bool stable) {
    std::size_t n = 0;
    const element_room all = gather(part_, mine_, n);
    sort(all.begin(), n, stable);
    if (!alike_on_all(mark_of_bytes(all.begin(), of_.remembers ? n * of_.size : 0)))
      t_.broadcast(std::span<std::byte>(all.begin(), n * of_.size), 0);
    const std::size_t first = t_.rank() == 0 ? 0 : wanted_[std::size_t(t_.rank()) - 1];
    if (mine_ > 0) std::memcpy(part_, all.begin() + first * of_.size, mine_ * of_.size);
    meet(t_);
  }

  /// The agreement after what all members have computed by the comparator, each for itself: whether they came to the same. They
  /// do unless it answers as it pleases.
  bool alike_on_all(std::uint64_t mark) {
    struct marks {
      std::uint64_t first, alike;
    };
    const auto both = [](const marks& a, const marks& b) {
      return marks{a.first, std::uint64_t((a.alike & b.alike) != 0 && a.first == b.first)};
    };
    return agree(t_, operation_, why_, marks{mark, 1}, both).alike != 0;
  }
  static std::uint64_t mark_of_bytes(const std::byte* first, std::size_t n) {
    return std::hash<std::string_view>{}({reinterpret_cast<const char*>(first), n});
  }

  /// How the parts of all members, one behind the other, are in order. Equal elements are in both orders, unless they must stay.
  found_order order_of_parts(bool stable) {
    part_ends mine;
    if (mine_ > 0) mine = {mine_, of_.found(order_, part_, mine_, stable), part_, part_ + (mine_ - 1) * of_.size};
    const ends_of_all ends(t_, of_, mine);
    const erased_order first = comes_first();
    bool sorted = true, reversed = true;
    const part_ends* before = nullptr;
    for (const part_ends& p : ends.all()) {
      if (p.n == 0) continue;
      sorted = sorted && p.order == found_order::sorted && (before == nullptr || !first(p.first, before->last));
      const bool may_turn =
          p.order == found_order::reversed || p.n == 1 || (p.order == found_order::sorted && !stable && !first(p.first, p.last));
      const auto opposite = [&](const std::byte* a, const std::byte* b) { return stable ? !first(a, b) : first(b, a); };
      reversed = reversed && may_turn && (before == nullptr || !opposite(p.first, before->last));
      if (!sorted && !reversed) return found_order::none;
      before = &p;
    }
    return sorted ? found_order::sorted : found_order::reversed;
  }

  /// `to` becomes this member's elements from the last to the first.
  void turn_round(std::byte* to) const {
    for (std::size_t k = 0; k < mine_; ++k) std::memcpy(to + k * of_.size, part_ + (mine_ - 1 - k) * of_.size, of_.size);
  }
  /// The elements of all members in the opposite order; each member has as many as before. Each shows its part turned round, and
  /// takes what belongs to it in runs: memory once more that of the elements.
  void reverse_parts() {
    if (t_.size() == 1) return reverse_here();
    const container_state turned(t_, where_, of_.size, of_.alignment, [](std::byte*, std::size_t) {});
    turn_round(room_of(turned));
    meet(t_);
    std::size_t begin = 0;  // of this member's part
    for (rank_t m = 0; m < t_.rank(); ++m) begin += where_.count(m);
    std::size_t behind = n_;
    for (rank_t m = 0; m < t_.size(); ++m) {
      const std::size_t first = behind - where_.count(m);  // where the first of what m shows belongs
      const std::size_t from = std::max(first, begin), end = std::min(behind, begin + mine_);
      behind = first;
      if (from >= end) continue;
      take(part_ + (from - begin) * of_.size, end - from, global_ptr<const std::byte>(turned.blocks.at(m)), from - first, m);
    }
    sync_memory();
    count_elements(mine_);
  }
  void reverse_here() {
    const element_room one(of_.size, of_.alignment);
    for (std::size_t low = 0, high = mine_; low + 1 < high; ++low) {
      std::byte *const a = part_ + low * of_.size, *const b = part_ + --high * of_.size;
      std::memcpy(one.begin(), a, of_.size);
      std::memcpy(a, b, of_.size);
      std::memcpy(b, one.begin(), of_.size);
    }
  }
  /// `n` elements of member m, the first of which is number `first` from `from` on.
  void take(std::byte* to, std::size_t n, const global_ptr<const std::byte>& from, std::size_t first, rank_t m) {
    get(std::span<std::byte>(to, n * of_.size), from + std::ptrdiff_t(first * of_.size));
    if (m != t_.rank()) count_moved(n);
  }

  bool sort_by_sample(bool stable) {
    const std::vector<std::size_t> places = sample_places(mine_, n_, std::size_t(t_.size()));
    std::vector<std::byte> chosen(places.size() * of_.size);
    for (std::size_t k = 0; k < places.size(); ++k) std::memcpy(&chosen[k * of_.size], part_ + places[k] * of_.size, of_.size);
    std::size_t many = 0;
    const element_room sample = gather(chosen.data(), places.size(), many);
    sort(sample.begin(), many, false);
    const border_groups groups(sample.begin(), many, of_.size, wanted_, n_, comes_first());
    return alike_on_all(groups.mark()) && sort_by(groups, sample.begin(), stable);
  }

  /// False on all, and nothing has changed: a border does not lie in its bucket.
  bool sort_by(const border_groups& groups, const std::byte* sample, bool stable) {
    dealt mine(t_, part_, where_, groups, sample, of_, order_);
    count_work(mine_ / 5);
    agree(t_, operation_, why_);
    std::vector<cut> cuts;
    std::vector<std::uint64_t> all = mine.borders();
    t_.all_reduce(std::span<std::uint64_t>(all), std::plus<>{});
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const std::size_t b = 2 * g + 1;
      for (std::size_t k = groups[g].begin; k < groups[g].end; ++k)
        if (wanted_[k] < all[b] || wanted_[k] > all[b + 1]) return false;
      sort(mine.bucket(b), mine.size(b), stable);
      for (std::size_t k = groups[g].begin; k < groups[g].end; ++k)
        cuts.push_back({mine.bucket(b), mine.size(b), wanted_[k] - all[b]});
    }
    shown_bytes offers(t_, of_, cuts.size());
    const bool found = find_cuts(t_, cuts, of_.size, comes_first(), offers, why_);
    if (cuts_agreed(t_, operation_, why_, found))
      take_share(mine, groups, begins_of_shares(mine, groups, cuts));
    else
      take_share(mine, groups, begins_of_own_elements());
    count_work(mine_ / 5);
    sort(part_, mine_, stable);
    count_work(mine_ - 2 * (mine_ / 5));
    agree(t_, operation_, why_);
    return true;
  }

  /// Where among this member's elements those for each member begin, and the end.
  std::vector<std::uint64_t> begins_of_shares(const dealt& mine, const border_groups& groups, std::span<const cut> cuts) const {
    std::vector<std::uint64_t> begins{0};
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (std::size_t k = groups[g].begin; k < groups[g].end; ++k) begins.push_back(mine.begin(2 * g + 1) + cuts[k].lower);
    begins.push_back(mine_);
    return begins;
  }
  /// The same where each keeps what it has.
  std::vector<std::uint64_t> begins_of_own_elements() const {
    std::vector<std::uint64_t> begins(std::size_t(t_.size()) + 1, mine_);
    std::fill_n(begins.begin(), std::size_t(t_.rank()) + 1, 0);
    return begins;
  }

  /// What a member has for which other: where its shares begin, and its buckets.
  void take_share(const dealt& mine, const border_groups& groups, std::vector<std::uint64_t> shown) {
    const std::size_t members = std::size_t(t_.size()), me = std::size_t(t_.rank()), buckets = groups.buckets();
    shown.insert(shown.end(), mine.borders().begin(), mine.borders().end());
    const std::vector<std::uint64_t> of_all = t_.all_gather_v(shown);
    std::byte* to = part_;
    for (std::size_t m = 0; m < members; ++m) {
      const std::uint64_t* const of = of_all.data() + m * shown.size();
      const std::uint64_t* const borders = of + members + 1;
      for (std::size_t b = 0; b < buckets; ++b) {
        const std::size_t first = std::max(of[me], borders[b]), end = std::min(of[me + 1], borders[b + 1]);
        if (first >= end) continue;
        take(to, end - first, mine.at(rank_t(m)), first + b, rank_t(m));
        to += (end - first) * of_.size;
      }
    }
    sync_memory();
    count_elements(mine_);
  }

  const team& t_;
  std::byte* part_;
  std::size_t mine_;  // elements
  const placement& where_;
  std::size_t n_;
  const char* operation_;
  const sort_functions& of_;
  const void* order_;
  failure& why_;
  std::vector<std::size_t> wanted_;  // how many elements lie before each border between members
};

}  // namespace

bool sort_parts(const team& t, void* part, const placement& where, const char* operation, bool stable, const sort_functions& of,
                const void* order, failure& why) {
  return parts_sort(t, part, where, operation, of, order, why).run(stable);
}

}  // namespace armilla::detail
