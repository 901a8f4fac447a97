// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "armilla/algorithm/elementwise/compress.hpp"
#include "armilla/algorithm/elementwise/copy_inline.hpp"
#include "armilla/algorithm/elementwise/in_order.hpp"
#include "armilla/algorithm/elementwise/order_rules.hpp"
#include "armilla/algorithm/elementwise/pile.hpp"
#include "armilla/fold.hpp"
#include "armilla/vector.hpp"

/// What the algorithms that keep some of the elements do inside.
namespace armilla::detail {

/// So many elements are looked at before they are appended to their lists: they stay in the nearest cache, and need 8 KiB of a
/// fiber's stack.
template <class T, std::size_t Lists>
inline constexpr std::size_t few_to_deal = 8192 / (sizeof(T) * (Lists + 1));

/// Deals elements [first, end) of a piece to lists; `k` tells where it is if `which` throws. Budget: no branch an element.
template <class T, std::size_t Lists, class C, class Which>
void deal_some(const C& c, std::size_t& k, std::size_t end, std::array<pile<T>, Lists>& lists, Which& which) {
  T dealt[Lists + 1][few_to_deal<T, Lists>];
  std::size_t counts[Lists + 1] = {};
  for (; k < end; ++k) {
    const std::size_t list = which(c, k);
    if constexpr (Lists == 1) {
      dealt[0][counts[0]] = c[k];
      counts[0] += std::size_t(list == 0);
    } else {
      dealt[list][counts[list]++] = c[k];
    }
  }
  for (std::size_t l = 0; l < Lists; ++l) lists[l].append(dealt[l], counts[l]);
}

template <class T>
void append_values(pile<T>& to, const std::vector<indexed_element<T>>& all, failure& why) try {
  for (const auto& e : all) to.push_back(value_of(e));
} catch (const detail::passing&) { throw; } catch (...) {
  why.note();
}

/// The elements of this member in lists, in their order: which(cursor, k) gives the number of an element's, or `Lists` for none
/// of them.
template <std::size_t Lists, class V, class Which>
auto collect_own(const V& range, failure& why, Which which) {
  using T = typename V::value_type;
  const auto v = range.reading();  // where others have them, they come ahead and are not put back
  std::array<pile<T>, Lists> lists;
  enter(v);
  walk(v, why, [&](const auto c, std::size_t n, const indices& at) {
    if constexpr (filters<std::remove_const_t<decltype(c)>> || sizeof(T) > 64) {
      each_of_piece(c, n, at, why, [&](std::size_t k) {
        const std::size_t list = which(c, k);
        if (list < Lists) lists[list].push_back(c[k]);
      });
    } else {
      std::size_t k = 0;
      try {
        while (k < n) deal_some(c, k, std::min(n, k + few_to_deal<T, Lists>), lists, which);
      } catch (const detail::passing&) { throw; } catch (...) {
        why.note(at(k));
      }
    }
    return !why.happened();
  });
  return lists;
}

/// The same, and what all members have of a list, one behind the other, is in the order of indices. Where elements are dealt in
/// turn each member looks at its own, and what it keeps goes to the one that has an even share of the indices.
template <std::size_t Lists, class V, class Which>
auto collect(const V& v, const char* operation, failure& why, Which which) {
  if (v.ordered()) return collect_own<Lists>(v, why, which);
  using T = typename V::value_type;
  std::array<std::vector<indexed_element<T>>, Lists> found;
  enter(v);
  walk(v, why, [&](const auto c, std::size_t n, const indices& at) {
    each_of_piece(c, n, at, why, [&](std::size_t k) {
      const std::size_t list = which(c, k);
      if (list < Lists) found[list].push_back(make_indexed<T>(at(k), c[k]));
    });
    return !why.happened();
  });
  std::array<pile<T>, Lists> lists;
  for (std::size_t l = 0; l < Lists; ++l)
    append_values(lists[l], in_index_order(v.members(), operation, v.extent(), std::move(found[l]), why), why);
  return lists;
}

/// The indices of the elements in the list, ascending over all members.
template <class V, class Which>
pile<std::size_t> collect_indices(const V& v, const char* operation, failure& why, Which which) {
  std::vector<indexed_element<std::size_t>> found;
  pile<std::size_t> all;
  enter(v);
  walk(v, why, [&](const auto c, std::size_t n, const indices& at) {
    each_of_piece(c, n, at, why, [&](std::size_t k) {
      if (which(c, k) != 0) return;
      if (v.ordered())
        all.push_back(at(k));
      else
        found.push_back(make_indexed(at(k), at(k)));
    });
    return !why.happened();
  });
  if (!v.ordered()) append_values(all, in_index_order(v.members(), operation, v.extent(), std::move(found), why), why);
  return all;
}

template <class P>
auto kept_if(P& predicate, bool wanted) {
  return [&predicate, wanted](const auto& c, std::size_t k) { return bool(apply_at(predicate, c, k)) == wanted ? 0U : 1U; };
}

/// Of each run of equal elements the first.
template <class V, class Same>
pile<typename V::value_type> first_of_equals(const V& range, failure& why, Same& same) {
  using T = typename V::value_type;
  const auto v = range.reading();
  pile<T> kept;
  meet(v.members());  // the last element of another member is looked at
  std::optional<T> last;
  std::size_t seen = npos;
  walk_in_order(v, why, [&](const auto c, std::size_t n, const indices& at) {
    if (at(0) != 0 && seen != at(0)) last = element_at(v, at(0) - 1);
    each_of_piece(c, n, at, why, [&](std::size_t k) {
      const T now = c[k];
      if (!last || !bool(std::invoke(same, *last, now))) kept.push_back(now);
      last = now;
    });
    seen = at(0) + n;
    return !why.happened();
  });
  return kept;
}

/// Writes what each member has, `mine` and then `more`, to out[first, first + all.all), one behind the other. Where the elements
/// of `out` are dealt in turn, each run of them would cost a message: there they go into blocks first, and each member reads its
/// own. Collective.
template <class V, class T>
void write_all(const V& out, std::size_t first, const part_counts& all, std::span<const T> mine, failure& why,
               std::span<const T> more = {}) {
  if (out.ordered()) {
    write_at(out, first + all.before, mine, why);
    return write_at(out, first + all.before + mine.size(), more, why);
  }
  vector<typename V::value_type> in_blocks(all.all, on(out.members(), blocks(all.each)));
  std::copy(more.begin(), more.end(), std::copy(mine.begin(), mine.end(), in_blocks.local().begin()));
  copy_sized(views::all(in_blocks).reading(), views::slice(out, first, first + all.all));
}

/// Writes what all members keep into `out`, one behind the other, and returns how many elements that are. What this member keeps
/// may be in two pieces.
template <class V, class T>
std::size_t write_kept(const V& out, const char* operation, algorithm_call& why, const pile<T>& kept, const pile<T>& more = {}) {
  const part_counts all = count_of_all(out.members(), operation, why, kept.size() + more.size());
  require_room(operation, all.all, out.extent());
  write_all(out, 0, all, kept.elements(), why, more.elements());
  finish(out.members(), operation, why);
  return all.all;
}

/// The same into the range itself. A vector whose elements go from member to member is cut off on each member.
template <class R, class T>
std::size_t keep_only(R& r, const char* operation, algorithm_call& why, const pile<T>& kept) {
  if constexpr (requires { r.keep_local(kept.size()); }) {
    if (r.placement().linear()) {
      agree(r.members(), operation, why);
      std::copy(kept.begin(), kept.end(), r.local().begin());
      r.keep_local(kept.size());
      return r.size();
    }
    const std::size_t n = write_kept(views::all(r), operation, why, kept);
    r.resize(n);
    return n;
  } else {
    return write_kept(views::all(r), operation, why, kept);
  }
}

/// Which elements of this rank are kept, one bit for each: 1/32 of the room that a copy of numbers would take. No bits if there
/// is no memory for them, which is noted.
class kept_bits {
 public:
  kept_bits(std::size_t n, failure& why) {
    try {
      words_ = std::make_unique_for_overwrite<std::uint64_t[]>((n + 63) / 64);
      n_ = n;
    } catch (const detail::passing&) { throw; } catch (...) {
      why.note();
    }
  }

  void set_first(bool bit) { words_[0] = bit ? 1 : 0; }
  /// Bit k becomes test(k), from `k` on; all before are set. `k` tells where it is if `test` throws. Calls come_to(k) for
  /// every 64. Budget: a byte an element, from which many bits are made at once, so that cheap tests become vector instructions.
  template <class Test, class ComeTo>
  void set(std::size_t& k, Test test, ComeTo come_to) {
    flag flags[64] = {};
    while (k < n_) {
      const std::size_t begin = k / 64 * 64;
      if (k == begin && n_ - begin >= 64) {
        come_to(k);
        for (std::size_t j = 0; j < 64; ++j, ++k) {
          unsigned chosen = 0;
          if (bool(test(begin + j))) chosen = 0x80;
          flags[j] = flag(chosen);
        }
        words_[begin / 64] = word_of_flags(flags);
      } else {
        if (k == begin) words_[begin / 64] = 0;
        for (const std::size_t end = std::min(n_, begin + 64); k < end; ++k)
          words_[begin / 64] |= std::uint64_t(bool(test(k))) << (k - begin);
      }
    }
  }
  void invert() noexcept { invert(0, n_); }
  /// [begin, end), which begins with a word, and ends with one or at the last element.
  void invert(std::size_t begin, std::size_t end) noexcept {
    for (std::size_t w = begin / 64; w < (end + 63) / 64; ++w) words_[w] = ~words_[w];
    if (end % 64 != 0) words_[end / 64] &= (std::uint64_t{1} << end % 64) - 1;
  }
  std::size_t count() const noexcept { return count(0, n_); }
  /// Those among [begin, end), as for invert.
  std::size_t count(std::size_t begin, std::size_t end) const noexcept {
    std::size_t sum = 0;
    for (std::size_t w = begin / 64; w < (end + 63) / 64; ++w) sum += std::size_t(std::popcount(words_[w]));
    return sum;
  }
  const std::uint64_t* words(std::size_t begin) const noexcept { return &words_[begin / 64]; }

  /// Goes through the elements that are kept, from `begin` on.
  class places {
   public:
    places(const kept_bits& bits, std::size_t begin) : next_(bits.words(begin)), base_(begin - 64) {}
    std::size_t next() noexcept {
      while (left_ == 0) {
        left_ = *next_++;
        base_ += 64;
      }
      const std::size_t place = base_ + std::size_t(std::countr_zero(left_));
      left_ &= left_ - 1;
      return place;
    }

   private:
    const std::uint64_t* next_;
    std::uint64_t left_ = 0;
    std::size_t base_;
  };

 private:
  /// A byte that does not lie where elements do, as far as a compiler knows. Its highest bit counts: a condition as a number that
  /// is not 1 becomes vector instructions, 1 does not by g++ 12.
  enum class flag : unsigned char {};
  static std::uint64_t word_of_flags(const flag (&flags)[64]) noexcept {
    std::uint64_t word = 0;
#ifdef __SSE2__
    using sixteen [[gnu::vector_size(16)]] = char;
    for (unsigned j = 0; j < 64; j += 16) {
      sixteen some;
      std::memcpy(&some, flags + j, sizeof some);
      word |= std::uint64_t(unsigned(__builtin_ia32_pmovmskb128(some))) << j;
    }
#else
    for (unsigned j = 0; j < 8; ++j) {
      std::uint64_t eight = 0;
      for (unsigned b = 0; b < 8; ++b) eight |= std::uint64_t(flags[8 * j + b]) << (8 * b);
      word |= ((eight >> 7) * 0x0102040810204080) >> 56 << (8 * j);
    }
#endif
    return word;
  }

  std::unique_ptr<std::uint64_t[]> words_;
  std::size_t n_ = 0;
};

/// Elements of this rank go straight to their final places: both are containers whose parts go from member to member, and not
/// the same one.
template <class In, class Out>
concept may_copy_at_once = requires(const In& in, const Out& out) {
  { in.places() } -> std::same_as<const typename In::value_type*>;
  { out.places() } -> std::same_as<typename Out::value_type*>;
};
template <class In, class Out>
bool copies_at_once(const In& in, const Out& out) {
  if constexpr (may_copy_at_once<In, Out>)
    return in.ordered() && out.ordered() && in.common().where != out.common().where;
  else
    return false;
}

/// So many elements are written before the next are looked at: they stay in a cache where two outputs read them.
inline constexpr std::size_t marked_at_once = 32768;
/// With an input of this many bytes the output does not stay in caches.
inline constexpr std::size_t more_than_caches = std::size_t{1} << 25;

/// This rank's part of a container whose parts go from member to member.
template <class In>
struct own_part {
  explicit own_part(const In& in)
      : n(in.common().where->count(in.members().rank())),
        first(in.next_on(in.members().rank(), 0)),
        from(n > 0 ? in.places() : nullptr) {}
  /// The bits of test(k) from element `k` on.
  template <class Test>
  void mark(kept_bits& bits, std::size_t k, failure& why, Test test) const {
    const in_functions here;
    try {
      bits.set(k, test, [this](std::size_t at) {
        if constexpr (compressible<typename In::value_type>) ask_ahead(from + at, sizeof(typename In::value_type));
      });
    } catch (const detail::passing&) { throw; } catch (...) {
      why.note(first + k);
    }
  }
  /// Those of [begin, end) that are marked to `out` from `at` on; returns how many that are.
  template <class Out>
  std::size_t write(const kept_bits& bits, std::size_t begin, std::size_t end, const Out& out, std::size_t at,
                    failure& why) const {
    using T = typename In::value_type;
    const std::size_t kept = bits.count(begin, end);
    kept_bits::places places(bits, begin);
    walk_between(out, at, at + kept, why, [&](const auto c, std::size_t m, const indices&) {
      if constexpr (std::is_same_v<decltype(c), T* const> && compressible<T>)
        if (m == kept) {
          using word = moved_word<sizeof(T)>;
          compress(reinterpret_cast<const word*>(from + begin), end - begin, bits.words(begin), reinterpret_cast<word*>(c), kept,
                   n >= more_than_caches / sizeof(T));
          return true;
        }
      for (std::size_t k = 0; k < m; ++k) c[k] = from[places.next()];
      return true;
    });
    return kept;
  }
  std::size_t n, first;
  const typename In::value_type* from;
};

template <class In, class Out>
std::size_t copy_marked(const own_part<In>& mine, const kept_bits& bits, const Out& out, const char* operation,
                        algorithm_call& why) {
  const part_counts all = count_of_all(out.members(), operation, why, bits.count());
  require_room(operation, all.all, out.extent());
  for (std::size_t k = 0, at = all.before; k < mine.n; k += marked_at_once)
    at += mine.write(bits, k, std::min(mine.n, k + marked_at_once), out, at, why);
  finish(out.members(), operation, why);
  return all.all;
}

/// Each element that is not the same as the one before it, which another member may have.
template <class In, class Same>
void mark_changes(const own_part<In>& mine, const In& in, kept_bits& bits, failure& why, Same& same) {
  if (mine.n == 0 || why.happened()) return;
  try {
    const in_functions here;
    const bool change = mine.first == 0 || !bool(std::invoke(same, element_at(in, mine.first - 1), mine.from[0]));
    bits.set_first(change);
  } catch (const passing&) { throw; } catch (...) {
    return why.note(mine.first);
  }
  mine.mark(bits, 1, why, [&](std::size_t k) { return !bool(std::invoke(same, mine.from[k - 1], mine.from[k])); });
}

template <class In, class Out, class Same>
std::size_t copy_unique(const In& in, const Out& out, Same& same) {
  algorithm_call why("unique_copy", out, in);
  if constexpr (may_copy_at_once<In, Out>)
    if (copies_at_once(in, out)) {
      const own_part<In> mine(in);
      meet(in.members());  // the last element of another member is looked at
      count_elements(mine.n);
      kept_bits bits(mine.n, why);
      mark_changes(mine, in, bits, why, same);
      return copy_marked(mine, bits, out, "unique_copy", why);
    }
  return write_kept(out, "unique_copy", why, first_of_equals(in, why, same));
}

template <class In, class Out, class P>
std::size_t copy_some(const In& in, const Out& out, const char* operation, P& predicate, bool wanted) {
  require_one_team(in, out);
  algorithm_call why(operation, out, in);
  if constexpr (may_copy_at_once<In, Out>)
    if (copies_at_once(in, out)) {
      count_elements(in.common().where->count(in.members().rank()));
      const own_part<In> mine(in);
      kept_bits bits(mine.n, why);
      mine.mark(bits, 0, why, [&](std::size_t k) { return bool(apply_at(predicate, mine.from, k)); });
      if (!wanted) bits.invert();
      return copy_marked(mine, bits, out, operation, why);
    }
  return write_kept(out, operation, why, collect<1>(in, operation, why, kept_if(predicate, wanted))[0]);
}

/// All elements of a range without a size.
template <class In, class Out>
std::size_t copy_in_order(const In& in, const Out& out) {
  require_one_team(in, out);
  algorithm_call why("copy", out, in);
  const auto first_list = [](const auto&, std::size_t) { return 0U; };
  return write_kept(out, "copy", why, collect<1>(in, "copy", why, first_list)[0]);
}

template <class R, class P>
std::size_t remove_some(R& r, const char* operation, P& predicate) {
  const auto v = require_sized(views::all(r));
  algorithm_call why(operation, v);
  return keep_only(r, operation, why, collect<1>(v, operation, why, kept_if(predicate, false))[0]);
}

template <class T>
auto equal_to(const T& value) {
  return [&value](const auto& e) { return e == value; };
}

/// A vector of what each member has.
template <class T>
vector<T> as_vector(const team& t, const char* operation, failure& why, const pile<T>& mine) {
  const part_counts all = count_of_all(t, operation, why, mine.size());
  vector<T> made(all.all, on(t, blocks(all.each)));
  std::copy(mine.begin(), mine.end(), made.local().begin());
  agree(t, operation, why);
  return made;
}

template <class In, class OutTrue, class OutFalse, class P>
std::pair<std::size_t, std::size_t> partition_marked(const In& in, const OutTrue& yes, const OutFalse& no, algorithm_call& why,
                                                     P& predicate) {
  const own_part<In> mine(in);
  count_elements(mine.n);
  kept_bits bits(mine.n, why);
  mine.mark(bits, 0, why, [&](std::size_t k) { return bool(apply_at(predicate, mine.from, k)); });
  const std::size_t kept = bits.count();
  const part_counts first = count_of_all(yes.members(), "partition_copy", why, kept);
  const part_counts second = count_of_all(no.members(), "partition_copy", why, mine.n - kept);
  require_room("partition_copy", first.all, yes.extent());
  require_room("partition_copy", second.all, no.extent());
  std::size_t at = first.before, other = second.before;
  for (std::size_t k = 0; k < mine.n; k += marked_at_once) {  // the second finds them in a cache
    const std::size_t end = std::min(mine.n, k + marked_at_once);
    at += mine.write(bits, k, end, yes, at, why);
    bits.invert(k, end);
    other += mine.write(bits, k, end, no, other, why);
  }
  finish(in.members(), "partition_copy", why);
  return {first.all, second.all};
}

template <class In, class OutTrue, class OutFalse, class P>
std::pair<std::size_t, std::size_t> partition_into(const In& in, const OutTrue& yes, const OutFalse& no, P& predicate) {
  require_one_team(in, yes);
  require_one_team(in, no);
  require_apart("partition_copy", yes, yes.extent(), no, no.extent());
  algorithm_call why("partition_copy", yes, no, in);
  if constexpr (may_copy_at_once<In, OutTrue> && may_copy_at_once<In, OutFalse>)
    if (copies_at_once(in, yes) && copies_at_once(in, no)) return partition_marked(in, yes, no, why, predicate);
  const auto lists = collect<2>(in, "partition_copy", why, kept_if(predicate, true));
  const part_counts first = count_of_all(yes.members(), "partition_copy", why, lists[0].size());
  const part_counts second = count_of_all(no.members(), "partition_copy", why, lists[1].size());
  require_room("partition_copy", first.all, yes.extent());
  require_room("partition_copy", second.all, no.extent());
  write_all(yes, 0, first, lists[0].elements(), why);
  write_all(no, 0, second, lists[1].elements(), why);
  finish(in.members(), "partition_copy", why);
  return {first.all, second.all};
}

/// The first index from which on `predicate` holds for no element; it holds for all before. `rule` says so of those elements.
template <class V, class P>
std::size_t first_without(const V& v, const char* operation, std::string_view rule, P&& predicate) {
  algorithm_call why(operation, v);
  if constexpr (checked)
    meet(v.members());  // the last element of another member is looked at
  else
    enter(v);
  require_neighbors(v, operation, why, rule, "sort or partition the range first", [&predicate](const auto& e, const auto& next) {
    return !bool(std::invoke(predicate, e)) && bool(std::invoke(predicate, next));
  });
  std::size_t found = v.extent();
  walk(v, why, [&](const auto c, std::size_t n, const indices& at) {
    std::size_t low = 0, high = n;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (bool(apply_at(predicate, c, middle)))
        low = middle + 1;
      else
        high = middle;
    }
    if (low < n) found = at(low);
    return low == n;
  });
  return agree(v.members(), operation, why, found, [](std::size_t a, std::size_t b) { return a < b ? a : b; });
}

}  // namespace armilla::detail
