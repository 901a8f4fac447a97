// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "armilla/error.hpp"
#include "armilla/view.hpp"
#include "armilla/wire/define_type.hpp"
#include "armilla/wire/layout.hpp"
#include "armilla/wire/shared_range.hpp"
#include "armilla/wire/small_copy.hpp"
#include "armilla/wire/watermark.hpp"

// Values to bytes. One walk over a value (`write`) serves two sinks: the sizer counts what the encoder then writes, so that
// the two cannot differ. The offset starts at a constant: for types of fixed size all of this folds into plain moves.
namespace armilla::detail {

/// Counts.
class sizer {
 public:
  sizer() = default;
  explicit sizer(const shared_range& here) : here_(here) {}

  const shared_range& stable() const { return here_; }
  void align(std::size_t unit) { offset_ = align_up(offset_, unit); }
  void bytes(const void*, std::size_t n) { offset_ += n; }
  std::size_t size() const { return offset_; }

  /// An object that may contain itself begins, ends.
  void enter() {
    if (++nesting_ > max_nesting) throw_nesting();
  }
  void leave() { --nesting_; }

 private:
  [[noreturn, gnu::cold]] static void throw_nesting();

  std::size_t offset_ = 0;
  int nesting_ = 0;
  shared_range here_;
};

/// Writes to `out`, which is 8-aligned and has `encoded_size` bytes for what will be put.
class encoder {
 public:
  explicit encoder(std::byte* out) : out_(out) {}
  encoder(std::byte* out, const shared_range& here) : out_(out), here_(here) {}
  /// The bytes are read while they are written: long ones raise `mark`, which counts from `before` bytes in front of `out`.
  encoder(std::byte* out, const shared_range& here, watermark* mark, std::size_t before)
      : out_(out), here_(here), mark_(mark), before_(before) {}

  const shared_range& stable() const { return here_; }

  /// How often these bytes will be read, for what is counted: once in a message, by each member in a collective.
  std::uint32_t readers() const { return readers_; }
  void set_readers(std::uint32_t n) { readers_ = n; }

  template <class T>
  void put(const T& value);

  /// Bytes written so far, and where the next one goes.
  std::size_t size() const { return offset_; }
  std::byte* position() const { return out_ + offset_; }

  void align(std::size_t unit) { offset_ = align_up(offset_, unit); }
  /// One value of at most 64 bytes.
  template <class T>
  void small(const T& value) {
    copy_small<bytes_size<T>, alignof(T)>(out_ + offset_, &value);
    offset_ += bytes_size<T>;
  }
  void bytes(const void* from, std::size_t n) {
    if (mark_ != nullptr && n >= watermark::piece) [[unlikely]]
      copy_in_pieces(*mark_, before_ + offset_, out_ + offset_, from, n);
    else if (n != 0)
      std::memcpy(out_ + offset_, from, n);
    offset_ += n;
  }

 private:
  std::byte* out_;
  std::size_t offset_ = 0;
  shared_range here_;
  watermark* mark_ = nullptr;
  std::size_t before_ = 0;
  std::uint32_t readers_ = 1;
};

template <class Sink, class T>
void write_value(Sink& out, const T& value);

template <class Sink>
void write_count(Sink& out, std::size_t n) {
  const count_t count = n;
  out.align(sizeof count);
  out.bytes(&count, sizeof count);
}

/// An element of a container; one that takes nothing takes a byte, so that a count can be judged by the bytes left.
template <class Sink, class T>
void write_element(Sink& out, const T& value) {
  if constexpr (layout<T>::least == 0) out.bytes("", 1);
  write_value(out, value);
}

template <class Sink, class T>
void write_array(Sink& out, const T& value) {
  for (const auto& element : value) write_value(out, element);
}

template <class Sink, class T, std::size_t... I>
void write_tuple(Sink& out, const T& value, std::index_sequence<I...>) {
  using std::get;
  (write_value(out, get<I>(value)), ...);
}

template <class Sink, class T>
void write_optional(Sink& out, const T& value) {
  const unsigned char there = value.has_value() ? 1 : 0;
  out.bytes(&there, 1);
  if (there != 0) write_value(out, *value);
}

template <class Sink, class T>
void write_owned(Sink& out, const T& value) {
  const unsigned char there = value ? 1 : 0;
  out.bytes(&there, 1);
  if (there != 0) write_value(out, *value);
}

template <class Sink, class T, std::size_t... I>
void write_alternative(Sink& out, const T& value, std::index_sequence<I...>) {
  const auto index = static_cast<variant_index_t>(value.index());
  out.align(sizeof index);
  out.bytes(&index, sizeof index);
  static_cast<void>(((index == I && (write_value(out, *get_if<I>(&value)), true)) || ...));
}

template <class Sink, template <class...> class Variant, class... Alternative>
void write_variant(Sink& out, const Variant<Alternative...>& value) {
  static_assert(sizeof...(Alternative) < 65535);
  if (value.valueless_by_exception()) throw_usage("send", "a variant without a value cannot be sent; assign it one");
  write_alternative(out, value, std::index_sequence_for<Alternative...>{});
}

/// A count and n elements that lie in one block.
template <class Sink, class Element>
void write_block(Sink& out, const Element* elements, std::size_t n) {
  write_count(out, n);
  if constexpr (travels_as_bytes<Element> && bytes_size<Element> != 0)
    out.bytes(elements, n * sizeof(Element));
  else
    for (std::size_t i = 0; i < n; ++i) write_element(out, elements[i]);
}

template <class T>
std::size_t count_of(const T& value) {
  if constexpr (requires { value.size(); }) {
    return value.size();
  } else {
    std::size_t n = 0;
    for (auto i = value.begin(); i != value.end(); ++i) ++n;
    return n;
  }
}

template <class Sink, class T>
void write_elements(Sink& out, const T& value) {
  write_count(out, count_of(value));
  using element = typename T::value_type;
  using std::begin, std::end;
  for (auto i = begin(value), last = end(value); i != last; ++i) {
    const element& e = *i;  // vector<bool> makes a bool here
    if constexpr (map_like<T>) {
      write_value(out, e.first);
      write_element(out, e.second);
    } else {
      write_element(out, e);
    }
  }
}

template <class Sink, class T>
void write_view(Sink& out, const view<T>& value) {
  if (view_access::received(value)) [[unlikely]]
    throw_usage("send", "a view that was received cannot be sent on: its elements end with the body; send view.copy()");
  if (out.stable().holds(value.data(), value.size_bytes())) [[unlikely]] {
    write_count(out, value.size() | stable_view_bit);
    write_count(out, std::size_t(reinterpret_cast<const std::byte*>(value.data()) - out.stable().base));
    return;
  }
  write_count(out, value.size());
  out.align(view_align<T>);
  if constexpr (requires { out.leave_out(value.data(), value.size_bytes()); })
    if (out.leave_out(value.data(), value.size_bytes())) return;
  out.bytes(value.data(), value.size_bytes());
}

/// What `define_type` gets when the value is counted or written.
template <class Sink>
class type_writer {
 public:
  explicit type_writer(Sink& out) : out_(out) {}

  const Sink& sink() const { return out_; }

  template <class T>
  void local(const T& member) {
    require_sendable_value<T>();
    write_value(out_, member);
  }

  template <class T, class Count>
  void dynamic(T* const& elements, const Count& count) {
    require_sendable_value<T>();
    const std::size_t n = checked_count(count);
    if (n != 0 && elements == nullptr) throw_usage("send", "define_type: a null pointer with a count above 0; make the count 0");
    write_block(out_, static_cast<const T*>(elements), n);
  }

 private:
  Sink& out_;
};

template <class Sink, class T>
void write_listed(Sink& out, const T& value) {
  if constexpr (requires { out.enter(); }) out.enter();
  if constexpr (kind_of<T> == kind::parts) {
    const parts_of<T>& parts = sendable_as_parts<T>::parts(value);
    write_value(out, parts);
  } else {
    static_assert(kind_of<T> == kind::custom);
    type_writer<Sink> list(out);
    list_members(const_cast<T&>(value), list);  // one list for reading and writing; the writer changes nothing
  }
  if constexpr (requires { out.enter(); }) out.leave();
}

template <class Sink, class T>
void write_value(Sink& out, const T& value) {
  constexpr kind how = kind_of<T>;
  if constexpr (how == kind::bytes) {
    out.align(bytes_align<T>);
    if constexpr (bytes_size<T> <= 64 && requires { out.small(value); })
      out.small(value);
    else
      out.bytes(&value, bytes_size<T>);
  } else if constexpr (how == kind::array) {
    write_array(out, value);
  } else if constexpr (how == kind::tuple) {
    write_tuple(out, value, std::make_index_sequence<std::tuple_size<T>::value>{});
  } else if constexpr (how == kind::aggregate) {
    if constexpr (verdict_of<T>.recursive && requires { out.enter(); }) out.enter();
    visit_members(value, [&](const auto&... member) { (write_value(out, member), ...); });
    if constexpr (verdict_of<T>.recursive && requires { out.enter(); }) out.leave();
  } else if constexpr (how == kind::optional) {
    write_optional(out, value);
  } else if constexpr (how == kind::owner) {
    write_owned(out, value);
  } else if constexpr (how == kind::variant) {
    write_variant(out, value);
  } else if constexpr (how == kind::contiguous) {
    write_block(out, value.data(), value.size());
  } else if constexpr (how == kind::sequence || how == kind::associative) {
    write_elements(out, value);
  } else if constexpr (how == kind::adaptor) {
    write_value(out, inside_adaptor<T>::of(value));
  } else if constexpr (how == kind::text) {
    write_block(out, value.native().data(), value.native().size());
  } else if constexpr (how == kind::view) {
    write_view(out, value);
  } else {
    write_listed(out, value);
  }
}

template <class T>
inline void encoder::put(const T& value) {
  require_sendable<T>();
  write_value(*this, value);
}

/// Exactly what `encode` writes, rounded up to 8. A constant where all sizes are.
template <class... A>
std::size_t encoded_size(const A&... argument) {
  (require_sendable<A>(), ...);
  if constexpr (fixed_size<A...>) {
    return packed_size<A...>;
  } else {
    sizer count;
    (write_value(count, argument), ...);
    return align_up(count.size(), arguments_align);
  }
}

/// The same when the elements of long views may stay where they are.
template <class... A>
std::size_t encoded_size_beside(const shared_range& stable, const A&... argument) {
  sizer count(stable);
  (write_value(count, argument), ...);
  return align_up(count.size(), arguments_align);
}

/// Writes all arguments to `out`: 8-aligned, `encoded_size(argument...)` bytes.
template <class... A>
void encode(std::byte* out, const A&... argument) {
  encoder to(out);
  (to.put(argument), ...);
}

}  // namespace armilla::detail
