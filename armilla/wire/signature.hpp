// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "armilla/wire/layout.hpp"

/// What a signature looks like to another program: a text that follows from the structure of its types alone, and its hash.
///
/// | type                              | text                                              |
/// |-----------------------------------|---------------------------------------------------|
/// | numbers                           | `bool`, `char`, `int32`, `uint64`, `float64`      |
/// | enums                             | `enum int32`: by their underlying type            |
/// | T[n], array                       | `int32[4]`                                        |
/// | pair, tuple                       | `(int32, float64)`                                |
/// | aggregates                        | `{int32, float64}`: by their members              |
/// | string; other sequences; sets; maps | `string`, `list<int32>`, `set<int32>`, `map<string, int32>` |
/// | optional, variant, view           | `optional<int32>`, `variant<int32, string>`, `view<float64>` |
/// | unique_ptr, filesystem::path, queue | as optional, as string, as the container in it  |
/// | an aggregate inside of itself     | `{int32, list<^1>}`: how many such aggregates up   |
/// | other values of the standard      | their name, size, alignment: `bitset size 24 align 8` |
/// | classes made of parts             | as their parts                                    |
/// | classes with private members      | the wire name that you give them, size, alignment |
///
/// Names of types play no part, so programs may call the same structure differently; two compilers agree on it.
namespace armilla {

namespace detail {
template <class T>
consteval const char* own_wire_name() {
  if constexpr (requires {
                  { T::wire_name } -> std::convertible_to<const char*>;
                })
    return T::wire_name;
  else
    return nullptr;
}
}  // namespace detail

/// The name between programs of a class whose members cannot be seen. Give it as a public member,
/// `static constexpr const char* wire_name = "geometry.polygon";`, or specialise this for a class that is not yours.
/// Change it when the meaning of the class's bytes changes. A class template's type arguments are added to it.
template <class T>
inline constexpr const char* wire_name = detail::own_wire_name<T>();

namespace detail {

/// Writes letters, or only counts them while `out` is null.
struct text_sink {
  char* out = nullptr;
  std::size_t size = 0;
  /// The aggregates around what is written, of which one may come again as a part of itself.
  const void* around[max_members] = {};
  std::size_t depth = 0;

  /// Whether `type` is around already, which is then written as ^ and how many levels up. Else it begins.
  constexpr bool enter(const void* type) {
    for (std::size_t i = depth; i-- > 0;)
      if (around[i] == type) {
        put('^');
        number(depth - i);
        return false;
      }
    if (depth < max_members) around[depth] = type;
    ++depth;
    return true;
  }
  constexpr void leave() { --depth; }

  constexpr void put(char c) {
    if (out != nullptr) out[size] = c;
    ++size;
  }
  constexpr void put(const char* text) {
    for (; *text != 0; ++text) put(*text);
  }
  constexpr void number(std::size_t n) {
    if (n >= 10) number(n / 10);
    put(char('0' + n % 10));
  }
};

template <class T>
concept complex_like = std::is_trivially_copyable_v<T> && requires(const T& x) {
  typename T::value_type;
  { x.real() } -> std::convertible_to<typename T::value_type>;
  { x.imag() } -> std::convertible_to<typename T::value_type>;
};
template <class T>
concept duration_like = std::is_trivially_copyable_v<T> && requires(const T& x) {
  typename T::rep;
  T::period::num;
  T::period::den;
  x.count();
};

template <class T>
constexpr void describe(auto& out);

template <class... T>
constexpr void describe_list(auto& out, type_list<T...>) {
  [[maybe_unused]] bool first = true;  // of no list
  ((first ? void(first = false) : out.put(", "), describe<std::remove_cv_t<T>>(out)), ...);
}

template <class T>
constexpr void describe_number(auto& out) {
  if constexpr (std::is_same_v<T, bool>)
    return out.put("bool");
  else if constexpr (std::is_same_v<T, char>)
    return out.put("char");
  else if constexpr (std::is_same_v<T, wchar_t> || std::is_same_v<T, char8_t> || std::is_same_v<T, char16_t> ||
                     std::is_same_v<T, char32_t>)
    out.put("char");
  else if constexpr (std::is_floating_point_v<T>)
    out.put("float");
  else
    out.put(std::is_signed_v<T> ? "int" : "uint");
  out.number(8 * sizeof(T));
}

template <class T>
constexpr void describe_size(auto& out) {
  out.put(" size ");
  out.number(sizeof(T));
  out.put(" align ");
  out.number(alignof(T));
}

template <template <class...> class C, class... P>
constexpr void describe_parameters(auto& out, const C<P...>*) {
  out.put('<');
  describe_list(out, type_list<P...>{});
  out.put('>');
}
constexpr void describe_parameters(auto&, const void*) {}

template <class T>
constexpr void describe_named(auto& out) {
  out.put(wire_name<T>);
  describe_parameters(out, static_cast<const T*>(nullptr));
  describe_size<T>(out);
}

/// Whether the members lie where their types alone would put them: no alignas, no bit-fields.
template <class T, class... M>
consteval bool lies_naturally(type_list<M...>) {
  std::size_t offset = 0, align = 1;
  ((offset = align_up(offset, alignof(M)) + sizeof(M), align = alignof(M) > align ? alignof(M) : align), ...);
  const std::size_t whole = align_up(offset == 0 ? 1 : offset, align);
  return sizeof(T) == whole && alignof(T) == align;
}

template <class T>
inline constexpr char aggregate_mark = 0;

template <class T>
constexpr void describe_aggregate(auto& out) {
  if (verdict_of<T>.recursive && !out.enter(&aggregate_mark<T>)) return;
  out.put('{');
  describe_list(out, member_types<T>{});
  out.put('}');
  if (verdict_of<T>.recursive) out.leave();
  if constexpr (kind_of<T> == kind::bytes && !lies_naturally<T>(member_types<T>{})) describe_size<T>(out);
}

template <class T, std::size_t... I>
constexpr void describe_tuple(auto& out, std::index_sequence<I...>) {
  out.put('(');
  describe_list(out, type_list<std::tuple_element_t<I, T>...>{});
  out.put(')');
}

template <class T>
constexpr void describe_container(auto& out) {
  if constexpr (map_like<T>) {
    out.put("map<");
    describe_list(out, type_list<typename T::key_type, typename T::mapped_type>{});
    out.put('>');
  } else if constexpr (requires { typename T::traits_type; } && std::is_same_v<typename T::value_type, char>) {
    out.put("string");
  } else {
    out.put(associative<T> ? "set<" : "list<");
    describe<typename T::value_type>(out);
    out.put('>');
  }
}

template <class T, class... P>
constexpr void describe_template(auto& out, const char* name) {
  out.put(name);
  out.put('<');
  describe_list(out, type_list<P...>{});
  out.put('>');
}
template <template <class...> class Variant, class... Alternative>
constexpr void describe_variant(auto& out, const Variant<Alternative...>*) {
  describe_template<void, Alternative...>(out, "variant");
}
template <class T>
constexpr void describe_view(auto& out, const view<T>*) {
  describe_template<void, T>(out, "view");
}

/// What says that a text is for the programs of one build: classes whose members cannot be seen have their names in it.
template <class Sink>
concept takes_any_name = requires { Sink::any_name; };

/// Classes that travel as bytes although their members cannot be seen.
template <class T>
constexpr void describe_opaque(auto& out) {
  if constexpr (complex_like<T>) {
    describe_template<T, typename T::value_type>(out, "complex");
  } else if constexpr (duration_like<T>) {
    describe_template<T, typename T::rep>(out, "duration");
    out.put(' ');
    out.number(std::size_t(T::period::num));
    out.put('/');
    out.number(std::size_t(T::period::den));
  } else if constexpr (standard_type_of<T> == standard_type::value) {
    constexpr std::string_view name = standard_name<T>();
    for (const char c : name) out.put(c);
    if constexpr (requires {
                    typename T::duration;
                    T().time_since_epoch();
                  }) {
      out.put('<');
      describe<typename T::duration>(out);
      out.put('>');
    }
    describe_size<T>(out);
  } else if constexpr (takes_any_name<std::remove_cvref_t<decltype(out)>>) {
    constexpr std::string_view name = type_name<T>;
    for (const char c : name) out.put(c);
    describe_size<T>(out);
  } else {
    static_assert(wire_name<T> != nullptr,
                  "armilla: a class with private members goes between programs only under a name: give it a member static "
                  "constexpr const char* wire_name, or specialise armilla::wire_name for it");
  }
}

/// T: without const.
template <class T>
constexpr void describe(auto& out) {
  constexpr kind how = kind_of<T>;
  if constexpr (std::is_void_v<T>)
    out.put("void");
  else if constexpr (is_wide_integer<T>)
    out.put(std::is_same_v<T, wide_signed> ? "int128" : "uint128");
  else if constexpr (std::is_arithmetic_v<T>)
    describe_number<T>(out);
  else if constexpr (wire_name<T> != nullptr)
    describe_named<T>(out);
  else if constexpr (std::is_enum_v<T>)
    out.put("enum "), describe_number<std::underlying_type_t<T>>(out);
  else if constexpr (std::is_bounded_array_v<T> || is_std_array<T>) {
    describe<std::remove_cv_t<typename element_of<T>::type>>(out);
    out.put('[');
    out.number(extent_of<T>);
    out.put(']');
  } else if constexpr (how == kind::tuple)
    describe_tuple<T>(out, std::make_index_sequence<std::tuple_size<T>::value>{});
  else if constexpr (how == kind::optional)
    describe_template<T, typename T::value_type>(out, "optional");
  else if constexpr (how == kind::owner)
    describe_template<T, typename T::element_type>(out, "optional");
  else if constexpr (how == kind::text)
    out.put("string");
  else if constexpr (how == kind::parts)
    describe<parts_of<T>>(out);
  else if constexpr (how == kind::adaptor)
    describe<typename T::container_type>(out);
  else if constexpr (how == kind::variant)
    describe_variant(out, static_cast<const T*>(nullptr));
  else if constexpr (how == kind::view)
    describe_view(out, static_cast<const T*>(nullptr));
  else if constexpr (how == kind::contiguous || how == kind::sequence || how == kind::associative)
    describe_container<T>(out);
  else if constexpr (how != kind::custom && !sendable_as_bytes<T> && reflectable<T>)
    describe_aggregate<T>(out);
  else
    describe_opaque<T>(out);
}

template <class Signature>
struct signature;

/// What `Writer::write(Sink&)` puts, as a constant of the program.
template <class Writer, class Sink = text_sink>
struct spelled_text {
  static constexpr std::size_t size = [] {
    Sink count{};
    Writer::write(count);
    return count.size;
  }();

  struct letters {
    char text[size + 1] = {};
  };
  static constexpr letters spelled = [] {
    letters all;
    Sink out{};
    out.out = all.text;
    Writer::write(out);
    return all;
  }();
};

template <class R, class... P>
struct written_signature {
  static constexpr void write(auto& out) {
    describe<std::remove_cvref_t<R>>(out);
    out.put('(');
    describe_list(out, type_list<std::decay_t<P>...>{});
    out.put(')');
  }
};

/// The signature of a method between programs: what is called by value, whatever the function's parameters look like.
template <class R, class... P>
struct signature<R(P...)> : spelled_text<written_signature<R, P...>> {
  /// As people read it: "float64(int32, string)".
  static constexpr const char* text = signature::spelled.text;

  static constexpr std::uint64_t hash = hash_of_text({text, signature::size});
};

}  // namespace detail
}  // namespace armilla
