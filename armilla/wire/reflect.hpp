// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

// The members of an aggregate without a word from its author: counted by trying initialisers, reached by structured
// bindings.
namespace armilla::detail {

inline constexpr std::size_t max_members = 24;

/// Initialises any member, but is not the aggregate itself: T{any} must not be a copy of T.
template <class T>
struct any_member {
  std::size_t position;
  template <class U>
    requires(!std::is_same_v<U, T>)
  constexpr operator U() const;  // NOLINT(google-explicit-constructor): being converted is its purpose
};

/// Initialises a base class of T and nothing else.
template <class T>
struct any_base {
  template <class U>
    requires(std::is_base_of_v<U, T> && !std::is_same_v<U, T>)
  constexpr operator U() const;  // NOLINT(google-explicit-constructor): as above
};

/// Whether T{{}, {}, ... any, any ...} compiles: {} stands for exactly one member also where that is an array (which
/// would swallow several `any`), `any` for members that {} cannot make.
// clang-format off
template <class T, std::size_t Braces, std::size_t... Rest>
consteval bool takes(std::index_sequence<Rest...>) {
  if constexpr (Braces == 0) return requires { T{any_member<T>{Rest}...}; };
  else if constexpr (Braces == 1) return requires { T{{}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 2) return requires { T{{}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 3) return requires { T{{}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 4) return requires { T{{}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 5) return requires { T{{}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 6) return requires { T{{}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 7) return requires { T{{}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 8) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 9) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 10) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 11) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 12) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 13) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 14) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 15) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 16) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 17) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 18) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 19) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 20) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 21) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 22) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 23) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 24) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else if constexpr (Braces == 25) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, any_member<T>{Rest}...}; };
  else return false;
}
// clang-format on

template <class T, std::size_t Braces>
consteval std::size_t count_braces() {
  if constexpr (Braces <= max_members && takes<T, Braces + 1>(std::index_sequence<>{}))
    return count_braces<T, Braces + 1>();
  else
    return Braces;
}

template <class T, std::size_t Braces, std::size_t Rest>
consteval std::size_t count_rest() {
  if constexpr (Braces + Rest <= max_members && takes<T, Braces>(std::make_index_sequence<Rest + 1>{}))
    return count_rest<T, Braces, Rest + 1>();
  else
    return Braces + Rest;
}

/// Down from above: T has members that must be initialised, so that no shorter list compiles.
template <class T, std::size_t Rest>
consteval std::size_t count_down() {
  if constexpr (Rest == 0 || takes<T, 0>(std::make_index_sequence<Rest>{}))
    return Rest;
  else
    return count_down<T, Rest - 1>();
}

template <class T>
consteval std::size_t count_members() {
  if constexpr (requires { T{}; })
    return count_rest<T, count_braces<T, 0>(), 0>();
  else
    return count_down<T, max_members + 1>();
}

/// Members of the aggregate T; max_members + 1 stands for "more".
template <class T>
inline constexpr std::size_t member_count = count_members<T>();

/// Whether the aggregate T has a base class: then its members cannot be bound.
template <class T>
inline constexpr bool has_base = requires { T{any_base<T>{}}; };

/// Whether `visit_members` can take T apart.
template <class T>
concept reflectable = std::is_aggregate_v<T> && std::is_class_v<T> && !has_base<T> && member_count<T> <= max_members;

/// visit(member...) with references to all members of `whole`, in the order of declaration.
template <class T, class F>
constexpr decltype(auto) visit_members(T& whole, F&& visit) {
  constexpr std::size_t count = member_count<std::remove_cv_t<T>>;
  if constexpr (count == 0) {
    return visit();
  } else if constexpr (count == 1) {
    auto& [a] = whole;
    return visit(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = whole;
    return visit(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = whole;
    return visit(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = whole;
    return visit(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = whole;
    return visit(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = whole;
    return visit(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = whole;
    return visit(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = whole;
    return visit(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = whole;
    return visit(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = whole;
    return visit(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = whole;
    return visit(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = whole;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = whole;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = whole;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = whole;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (count == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = whole;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  } else if constexpr (count == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = whole;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
  } else if constexpr (count == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = whole;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  } else if constexpr (count == 19) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = whole;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  } else if constexpr (count == 20) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = whole;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
  } else if constexpr (count == 21) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = whole;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
  } else if constexpr (count == 22) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = whole;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
  } else if constexpr (count == 23) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = whole;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
  } else if constexpr (count == 24) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = whole;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
  }
}

template <class... T>
struct type_list {};

struct list_types {
  template <class... M>
  constexpr type_list<M...> operator()(const M&...) const {
    return {};
  }
};

/// The types of its members, without const.
template <reflectable T>
using member_types = decltype(visit_members(std::declval<T&>(), list_types{}));

template <bool Value>
struct truth {
  static constexpr bool value = Value;
};
struct take_references {
  template <class... M>
  void operator()(M&...) const;
};

// clang-format off
template <class T>
constexpr auto bind_members(T& whole, take_references take = {}) {
  constexpr std::size_t count = member_count<T>;
  if constexpr (count == 0) return truth<true>{};
  if constexpr (count == 1) { auto& [a] = whole; return truth<requires { take(a); }>{}; }
  else if constexpr (count == 2) { auto& [a, b] = whole; return truth<requires { take(a, b); }>{}; }
  else if constexpr (count == 3) { auto& [a, b, c] = whole; return truth<requires { take(a, b, c); }>{}; }
  else if constexpr (count == 4) { auto& [a, b, c, d] = whole; return truth<requires { take(a, b, c, d); }>{}; }
  else if constexpr (count == 5) { auto& [a, b, c, d, e] = whole; return truth<requires { take(a, b, c, d, e); }>{}; }
  else if constexpr (count == 6) { auto& [a, b, c, d, e, f] = whole; return truth<requires { take(a, b, c, d, e, f); }>{}; }
  else if constexpr (count == 7) { auto& [a, b, c, d, e, f, g] = whole; return truth<requires { take(a, b, c, d, e, f, g); }>{}; }
  else if constexpr (count == 8) { auto& [a, b, c, d, e, f, g, h] = whole; return truth<requires { take(a, b, c, d, e, f, g, h); }>{}; }
  else if constexpr (count == 9) { auto& [a, b, c, d, e, f, g, h, i] = whole; return truth<requires { take(a, b, c, d, e, f, g, h, i); }>{}; }
  else if constexpr (count == 10) { auto& [a, b, c, d, e, f, g, h, i, j] = whole; return truth<requires { take(a, b, c, d, e, f, g, h, i, j); }>{}; }
  else if constexpr (count == 11) { auto& [a, b, c, d, e, f, g, h, i, j, k] = whole; return truth<requires { take(a, b, c, d, e, f, g, h, i, j, k); }>{}; }
  else if constexpr (count == 12) { auto& [a, b, c, d, e, f, g, h, i, j, k, l] = whole; return truth<requires { take(a, b, c, d, e, f, g, h, i, j, k, l); }>{}; }
  else if constexpr (count == 13) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = whole; return truth<requires { take(a, b, c, d, e, f, g, h, i, j, k, l, m); }>{}; }
  else if constexpr (count == 14) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = whole; return truth<requires { take(a, b, c, d, e, f, g, h, i, j, k, l, m, n); }>{}; }
  else if constexpr (count == 15) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = whole; return truth<requires { take(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o); }>{}; }
  else if constexpr (count == 16) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = whole; return truth<requires { take(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p); }>{}; }
  else if constexpr (count == 17) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = whole; return truth<requires { take(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q); }>{}; }
  else if constexpr (count == 18) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = whole; return truth<requires { take(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r); }>{}; }
  else if constexpr (count == 19) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = whole; return truth<requires { take(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s); }>{}; }
  else if constexpr (count == 20) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = whole; return truth<requires { take(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t); }>{}; }
  else if constexpr (count == 21) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = whole; return truth<requires { take(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u); }>{}; }
  else if constexpr (count == 22) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = whole; return truth<requires { take(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v); }>{}; }
  else if constexpr (count == 23) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = whole; return truth<requires { take(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w); }>{}; }
  else if constexpr (count == 24) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = whole; return truth<requires { take(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x); }>{}; }
}
// clang-format on

/// Whether all members can be read in place: none is a bit-field.
template <reflectable T>
inline constexpr bool members_are_addressable = decltype(bind_members(std::declval<T&>()))::value;

}  // namespace armilla::detail
