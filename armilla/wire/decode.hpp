// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include "armilla/error.hpp"
#include "armilla/view.hpp"
#include "armilla/wire/define_type.hpp"
#include "armilla/wire/layout.hpp"
#include "armilla/wire/shared_range.hpp"
#include "armilla/wire/watermark.hpp"

// Bytes to values. Nothing that the bytes say is believed: every length is held against the bytes that are left before
// anything is made of it, in arithmetic that cannot overflow, and nothing larger than what the bytes can fill is allocated.
namespace armilla::detail {

/// Reads the values of one message in the order in which they were put. `bytes` is 8-aligned. Throws `decode_error` that
/// names `sender`. A view that is read lies in `bytes`.
class decoder {
 public:
  decoder(const std::byte* bytes, std::size_t size, rank_t sender = no_rank)
      : bytes_(bytes), size_(size), ready_(size), sender_(sender) {}

  /// The bytes are still being written: `mark`, which counts from `before` bytes in front of them, tells how far.
  void set_mark(const watermark* mark, std::size_t before) {
    mark_ = mark;
    before_ = before;
    if (mark != nullptr) ready_ = 0;
  }

  template <class T>
  T get();

  std::size_t remaining() const { return offset_ < size_ ? size_ - offset_ : 0; }
  const std::byte* position() const { return bytes_ + offset_; }

  /// The next n bytes from a multiple of `unit`; they are there. n is a constant or was held against `remaining()`, so that
  /// the sum cannot overflow.
  const std::byte* take(std::size_t n, std::size_t unit) {
    const std::size_t at = align_up(offset_, unit);
    if (at + n > ready_) [[unlikely]] {
      if (mark_ == nullptr || at + n > size_) throw_short(sender_, offset_, size_, n);
      ready_ = await(*mark_, before_, size_, at + n);
    }
    offset_ = at + n;
    return bytes_ + at;
  }

  /// Whether the next n bytes may not all be there yet.
  bool comes_in_pieces(std::size_t n) const { return mark_ != nullptr && offset_ + n > ready_; }
  /// Waits for the next n bytes; how many are there then.
  std::size_t await_ready(std::size_t n) {
    if (offset_ + n > ready_) {
      if (offset_ + n > size_) throw_short(sender_, offset_, size_, n);
      ready_ = await(*mark_, before_, size_, offset_ + n);
    }
    return ready_ - offset_;
  }

  /// A count of elements of which each takes at least `least` bytes.
  std::size_t take_count(std::size_t least);

  void judge_count(count_t count, std::size_t least) const {
    if (count > remaining() / (least == 0 ? 1 : least)) [[unlikely]]
      throw_count(sender_, remaining(), count);
  }

  /// `n` elements of `size` bytes that stayed with the sender; their offset comes next.
  const std::byte* take_at_sender(std::size_t n, std::size_t size, std::size_t align);
  /// From now on values are read only to come behind them: what they give holds nothing, and takes no memory. So the next message
  /// is found behind one that cannot be taken out.
  void pass_over() { passes_over_ = true; }
  bool passes_over() const { return passes_over_; }
  /// Behind the next value.
  template <class T>
  void pass();

  /// What of the sender's memory can be read here.
  void set_sender_memory(const shared_range& there) { there_ = there; }

  [[noreturn, gnu::cold]] void throw_bad(const char* what) const;

  /// A value was well formed, but means nothing here: once all have been read, `text`, which lives on, becomes an error.
  void complain(const char* text) { complaint_ = text; }
  const char* complaint() const { return complaint_; }

  void enter() {
    if (++nesting_ > max_nesting) throw_bad("objects nest too deep");
  }
  void leave() { --nesting_; }

 private:
  // By value: the address of a decoder on the hot path must not be taken, so that it stays in registers.
  [[noreturn, gnu::cold]] static void throw_short(rank_t sender, std::size_t offset, std::size_t size, std::size_t wanted);
  [[noreturn, gnu::cold]] static void throw_count(rank_t sender, std::size_t left, count_t count);
  [[gnu::cold]] static std::size_t await(const watermark& mark, std::size_t before, std::size_t size, std::size_t wanted);

  const std::byte* bytes_;
  std::size_t size_;
  std::size_t ready_;  ///< of them, those that are known to be there
  std::size_t offset_ = 0;
  rank_t sender_;
  int nesting_ = 0;
  const char* complaint_ = nullptr;
  shared_range there_;
  const watermark* mark_ = nullptr;
  std::size_t before_ = 0;
  bool passes_over_ = false;
};

inline std::size_t decoder::take_count(std::size_t least) {
  count_t count;
  std::memcpy(&count, take(sizeof count, sizeof count), sizeof count);
  judge_count(count, least);
  return count;
}

template <class T>
T read(decoder& in);

/// A value from its bytes, also if T has no default constructor. Any byte but 0 makes a true bool.
template <class T>
T from_bytes(const std::byte* from) {
  if constexpr (std::is_same_v<T, bool>) {
    return *from != std::byte{0};
  } else if constexpr (std::is_trivially_default_constructible_v<T>) {
    T value;
    if constexpr (bytes_size<T> > 0) std::memcpy(static_cast<void*>(&value), from, bytes_size<T>);
    return value;
  } else {
    struct image {
      alignas(T) std::byte bytes[sizeof(T)];
    } copy{};
    if constexpr (bytes_size<T> > 0) std::memcpy(copy.bytes, from, bytes_size<T>);
    return std::bit_cast<T>(copy);
  }
}

/// Into a member or element that exists; the only way for T[n].
template <class T>
void read_into(decoder& in, T& target) {
  if constexpr (!std::is_array_v<T>)
    target = read<T>(in);
  else if constexpr (travels_as_bytes<T>)
    std::memcpy(static_cast<void*>(&target), in.take(sizeof target, bytes_align<T>), sizeof target);
  else
    for (auto& element : target) read_into(in, element);
}

template <class T>
T read_element(decoder& in) {
  if constexpr (layout<T>::least == 0) in.take(1, 1);
  return read<T>(in);
}

template <class T>
T read_array(decoder& in) {
  T value{};
  for (auto& element : value) read_into(in, element);
  return value;
}

template <class T, std::size_t... I>
T read_tuple(decoder& in, std::index_sequence<I...>) {
  return T{read<std::remove_cv_t<std::tuple_element_t<I, T>>>(in)...};  // braces: from left to right
}

template <class T, class... M>
T read_members(decoder& in, type_list<M...>) {
  if constexpr (requires { T{}; }) {
    T value{};
    visit_members(value, [&](auto&... member) { (read_into(in, member), ...); });
    return value;
  } else {
    return T{read<M>(in)...};
  }
}

template <class T>
T read_aggregate(decoder& in) {
  if constexpr (verdict_of<T>.recursive) {
    in.enter();
    T value = read_members<T>(in, member_types<T>{});
    in.leave();
    return value;
  } else {
    return read_members<T>(in, member_types<T>{});
  }
}

template <class T>
T read_owned(decoder& in) {
  using owned = typename T::element_type;
  const std::byte there = *in.take(1, 1);
  if (there > std::byte{1}) in.throw_bad("an owner has neither something nor nothing");
  if (in.passes_over() && there != std::byte{0}) [[unlikely]]
    return read<std::remove_const_t<owned>>(in), T{};
  return there == std::byte{0} ? T{} : T(new owned(read<std::remove_const_t<owned>>(in)));
}

template <class T>
T read_optional(decoder& in) {
  const std::byte there = *in.take(1, 1);
  if (there > std::byte{1}) in.throw_bad("an optional is neither there nor not");
  return there == std::byte{0} ? T{} : T(std::in_place, read<typename T::value_type>(in));
}

template <class T, std::size_t I, class Alternative>
T read_alternative(decoder& in) {
  return T(std::in_place_index<I>, read<Alternative>(in));
}

template <template <class...> class Variant, class... Alternative, std::size_t... I>
Variant<Alternative...> read_variant(decoder& in, const Variant<Alternative...>*, std::index_sequence<I...>) {
  using reader = Variant<Alternative...> (*)(decoder&);
  static constexpr reader readers[] = {&read_alternative<Variant<Alternative...>, I, Alternative>...};
  const auto index = from_bytes<variant_index_t>(in.take(sizeof(variant_index_t), alignof(variant_index_t)));
  if (index >= sizeof...(I)) in.throw_bad("a variant has an alternative that its type has not");
  return readers[index](in);
}

template <template <class...> class Variant, class... Alternative>
Variant<Alternative...> read_variant(decoder& in, const Variant<Alternative...>* tag) {
  return read_variant(in, tag, std::index_sequence_for<Alternative...>{});
}

/// Room for n elements, or for as many as the bytes left would fill: a small element on the wire may be a large one here.
template <class T>
void reserve(T& c, std::size_t n, std::size_t bytes_left) {
  if constexpr (requires { c.reserve(n); }) {
    const std::size_t justified = bytes_left / sizeof(typename T::value_type) + 16;
    c.reserve(n < justified ? n : justified);
  }
}

/// Adds elements behind the last one, also of a list that is linked forward only.
template <class T>
class appender {
 public:
  explicit appender(T& c) : c_(c), last_(first(c)) {}
  void add(typename T::value_type&& e) {
    if constexpr (sequence<T>)
      c_.push_back(std::move(e));
    else
      last_ = c_.insert_after(last_, std::move(e));
  }

 private:
  static auto first(T& c) {
    if constexpr (sequence<T>)
      return 0;
    else
      return c.before_begin();
  }
  T& c_;
  decltype(first(std::declval<T&>())) last_;
};

template <class T>
T read_sequence(decoder& in) {
  using element = typename T::value_type;
  std::size_t n = in.take_count(layout<element>::least);
  T c;
  if (in.passes_over()) [[unlikely]] {
    for (; n != 0; --n) static_cast<void>(read_element<element>(in));
    return c;
  }
  reserve(c, n, in.remaining());
  appender<T> to(c);
  for (; n != 0; --n) to.add(read_element<element>(in));
  return c;
}

/// A valarray, whose length is fixed when it is made. `n` was held against the bytes; elements that are larger here than there
/// are collected first.
template <class T>
T read_valarray(decoder& in) {
  using element = typename T::value_type;
  const std::vector<element> all = read_sequence<std::vector<element>>(in);
  T c(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) c[i] = all[i];
  return c;
}

/// Takes what there is while the sender still writes the rest. n has been judged.
template <class T>
T read_in_pieces(decoder& in, std::size_t n) {
  using element = typename T::value_type;
  T c;
  c.reserve(n);
  while (n != 0) {
    const std::size_t there = in.await_ready(sizeof(element)) / sizeof(element);
    const std::size_t part = there < n ? there : n;
    const auto* first = reinterpret_cast<const element*>(in.take(part * sizeof(element), 1));
    c.insert(c.end(), first, first + part);
    n -= part;
  }
  return c;
}

/// One copy into a fresh block, which is not filled with zeros before.
template <class T>
T read_contiguous(decoder& in) {
  using element = typename T::value_type;
  if constexpr (bytes_size<element> == 0 || alignof(element) > arguments_align) {
    return read_sequence<T>(in);
  } else {
    const std::size_t n = in.take_count(sizeof(element));
    if constexpr (requires(T c, const element* e) { c.reserve(n), c.insert(c.end(), e, e); })
      if (in.comes_in_pieces(n * sizeof(element)) && !in.passes_over()) [[unlikely]]
        return read_in_pieces<T>(in, n);
    const auto* first = reinterpret_cast<const element*>(in.take(n * sizeof(element), 1));
    return T(first, in.passes_over() ? first : first + n);
  }
}

template <class T>
T read_associative(decoder& in) {
  T c;
  if constexpr (map_like<T>) {
    using mapped = typename T::mapped_type;
    std::size_t n = in.take_count(layout<typename T::key_type>::least + (layout<mapped>::least == 0 ? 1 : layout<mapped>::least));
    if (!in.passes_over()) reserve(c, n, in.remaining());
    for (; n != 0; --n) {
      auto key = read<typename T::key_type>(in);
      if (in.passes_over()) [[unlikely]] {
        static_cast<void>(read_element<mapped>(in));
        continue;
      }
      c.emplace_hint(c.end(), std::move(key), read_element<mapped>(in));
    }
  } else {
    std::size_t n = in.take_count(layout<typename T::value_type>::least);
    if (in.passes_over()) [[unlikely]] {
      for (; n != 0; --n) static_cast<void>(read_element<typename T::value_type>(in));
      return c;
    }
    reserve(c, n, in.remaining());
    for (; n != 0; --n) c.emplace_hint(c.end(), read_element<typename T::value_type>(in));
  }
  return c;
}

/// A queue, stack or priority_queue.
template <class T>
T read_adaptor(decoder& in) {
  T whole;
  inside_adaptor<T>::of(whole) = read<typename T::container_type>(in);
  return whole;
}

template <class T>
view<T> read_view(decoder& in, const view<T>*) {
  count_t count;
  std::memcpy(&count, in.take(sizeof count, sizeof count), sizeof count);
  if ((count & stable_view_bit) != 0) [[unlikely]] {
    const std::size_t n = std::size_t(count & ~stable_view_bit);
    return view_access::receive<T>(in.take_at_sender(n, sizeof(T), alignof(T)), n);
  }
  in.judge_count(count, sizeof(T));
  return view_access::receive<T>(in.take(count * sizeof(T), view_align<T>), count);
}

/// What `define_type` gets when a value is read.
class type_reader {
 public:
  explicit type_reader(decoder& in) : in_(in) {}

  /// See decoder::complain.
  void complain(const char* text) { in_.complain(text); }

  template <class T>
  void local(T& member) {
    require_sendable_value<T>();
    read_into(in_, member);
  }

  /// The elements come to life before they are read, and the count with them: whatever fails then, the object is whole.
  template <class T, class Count>
  void dynamic(T*& elements, Count&& count) {
    require_sendable_value<T>();
    const std::size_t n = in_.take_count(layout<T>::least);
    if (static_cast<std::size_t>(static_cast<std::remove_cvref_t<Count>>(n)) != n)
      in_.throw_bad("a count does not fit its variable");
    if constexpr (!settable_count<Count>) {
      if (static_cast<std::size_t>(count) != n) in_.throw_bad("a dynamic member has another size than its type says");
    }
    if (in_.passes_over()) [[unlikely]]
      return pass_block<T>(n);
    elements = n == 0 ? nullptr : new T[n]();
    if constexpr (settable_count<Count>) count = static_cast<std::remove_cvref_t<Count>>(n);
    read_block(elements, n);
  }

 private:
  template <class T>
  void pass_block(std::size_t n) {
    if constexpr (travels_as_bytes<T> && bytes_size<T> != 0)
      in_.take(n * sizeof(T), 1);
    else
      for (; n != 0; --n) static_cast<void>(read_element<T>(in_));
  }
  template <class T>
  void read_block(T* elements, std::size_t n) {
    if constexpr (travels_as_bytes<T> && bytes_size<T> != 0) {
      if (n != 0) std::memcpy(static_cast<void*>(elements), in_.take(n * sizeof(T), 1), n * sizeof(T));
    } else {
      for (std::size_t i = 0; i < n; ++i) elements[i] = read_element<T>(in_);
    }
  }

  decoder& in_;
};

template <class T>
T read_custom(decoder& in) {
  T value{};
  type_reader list(in);
  in.enter();
  list_members(value, list);
  in.leave();
  return value;
}

template <class T, class Parts, std::size_t... I>
T make_of(Parts& parts, std::index_sequence<I...>) {
  using std::get;
  return sendable_as_parts<T>::make(std::move(get<I>(parts))...);
}

/// A class that `sendable_as_parts` makes of its parts.
template <class T>
T read_parts(decoder& in) {
  in.enter();
  auto parts = read<parts_of<T>>(in);
  in.leave();
  if constexpr (std::is_default_constructible_v<T>)
    if (in.passes_over()) [[unlikely]]
      return T();
  if constexpr (kind_of<parts_of<T>> == kind::tuple)
    return make_of<T>(parts, std::make_index_sequence<std::tuple_size<parts_of<T>>::value>{});
  else
    return sendable_as_parts<T>::make(std::move(parts));
}

template <class T>
T read(decoder& in) {
  constexpr kind how = kind_of<T>;
  if constexpr (how == kind::bytes)
    return from_bytes<T>(in.take(bytes_size<T>, bytes_align<T>));
  else if constexpr (how == kind::array)
    return read_array<T>(in);
  else if constexpr (how == kind::tuple)
    return read_tuple<T>(in, std::make_index_sequence<std::tuple_size<T>::value>{});
  else if constexpr (how == kind::aggregate)
    return read_aggregate<T>(in);
  else if constexpr (how == kind::optional)
    return read_optional<T>(in);
  else if constexpr (how == kind::owner)
    return read_owned<T>(in);
  else if constexpr (how == kind::variant)
    return read_variant(in, static_cast<const T*>(nullptr));
  else if constexpr (how == kind::contiguous)
    return read_contiguous<T>(in);
  else if constexpr (how == kind::sequence && standard_type_of<T> == standard_type::array)
    return read_valarray<T>(in);
  else if constexpr (how == kind::sequence)
    return read_sequence<T>(in);
  else if constexpr (how == kind::associative)
    return read_associative<T>(in);
  else if constexpr (how == kind::adaptor)
    return read_adaptor<T>(in);
  else if constexpr (how == kind::text)
    return T(read<typename T::string_type>(in));
  else if constexpr (how == kind::view)
    return read_view(in, static_cast<const T*>(nullptr));
  else if constexpr (how == kind::parts)
    return read_parts<T>(in);
  else
    return read_custom<T>(in);
}

template <class T>
inline T decoder::get() {
  require_sendable<T>();
  return read<T>(*this);
}

template <class T>
void decoder::pass() {
  pass_over();
  static_cast<void>(read<T>(*this));
}

}  // namespace armilla::detail
