// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "armilla/container/files/hdf5_file.hpp"
#include "armilla/wire/kinds.hpp"
#include "armilla/wire/member_names.hpp"
#include "armilla/wire/reflect.hpp"

/// Elements of datasets that are not numbers: strings, bool, aggregates, and std::array in them.
namespace armilla::detail {

template <class T>
consteval bool is_hdf5_value();
template <class... M>
consteval bool are_hdf5_values(type_list<M...>) {
  return sizeof...(M) != 0 && (is_hdf5_value<M>() && ...);
}
template <class T>
consteval bool is_hdf5_value() {
  if constexpr (is_hdf5_number<T> || std::is_same_v<T, bool> || std::is_same_v<T, std::string>)
    return true;
  else if constexpr (is_std_array<T>)
    return std::tuple_size_v<T> != 0 && !is_std_array<typename T::value_type> && is_hdf5_value<typename T::value_type>();
  else if constexpr (reflectable<T>)
    return are_hdf5_values(member_types<T>{});
  else
    return false;
}
template <class T>
concept hdf5_record = !is_hdf5_number<T> && !is_std_array<T> && is_hdf5_value<T>();

/// Adds the nodes of a T. Sizes of texts and places are not known yet.
template <class T>
void add_hdf5_nodes(std::vector<hdf5_node>& all, std::string_view name) {
  using kind = hdf5_type::kind;
  if constexpr (is_std_array<T>) {
    const std::size_t at = all.size();
    add_hdf5_nodes<typename T::value_type>(all, name);
    all[at].array = std::uint32_t(std::tuple_size_v<T>);
  } else if constexpr (is_hdf5_number<T>) {
    all.push_back({.name = name, .type = hdf5_type_of<T>()});
  } else if constexpr (std::is_same_v<T, bool>) {
    all.push_back({.name = name, .type = {kind::truth, 1}});
  } else if constexpr (std::is_same_v<T, std::string>) {
    all.push_back({.name = name, .type = {kind::text, 1}, .character = 1});  // UTF-8
  } else {
    all.push_back({.name = name, .type = {kind::compound, 0}, .members = std::uint32_t(member_count<T>)});
    std::size_t k = 0;
    [&]<class... M>(type_list<M...>) { (add_hdf5_nodes<M>(all, member_names<T>[k++]), ...); }(member_types<T>{});
  }
}

/// Calls f(node, part, base) for all parts of a value that are not compounds. `node` is that of the value, and goes behind it;
/// `base` is by how much its place differs from that of the node: an element of an array is behind the first one.
template <class T, class F>
void each_hdf5_part(T& value, const hdf5_node*& node, std::uint64_t base, F& f) {
  using plain = std::remove_const_t<T>;
  if constexpr (is_std_array<plain>) {
    const hdf5_node* const first = node;
    for (auto& element : value) {
      node = first;
      each_hdf5_part(element, node, base, f);
      base += room_of(*first);
    }
  } else if constexpr (is_hdf5_number<plain> || std::is_same_v<plain, bool> || std::is_same_v<plain, std::string>) {
    f(*node++, value, base);
  } else {
    ++node;
    visit_members(value, [&](auto&... member) { (each_hdf5_part(member, node, base, f), ...); });
  }
}

/// How elements of type T are in memory when they are read or written: their nodes, one behind the other.
template <hdf5_record T>
class hdf5_layout {
 public:
  hdf5_layout() { add_hdf5_nodes<T>(nodes, {}); }

  /// Makes room for the texts of the element.
  void measure(const T& element) {
    const hdf5_node* node = nodes.data();
    const auto f = [&](const hdf5_node& n, const auto& part, std::uint64_t) {
      if constexpr (std::is_same_v<decltype(part), const std::string&>)
        measure_hdf5_text(nodes[std::size_t(&n - nodes.data())], part);
    };
    each_hdf5_part(element, node, 0, f);
  }
  void put(const T& element, std::byte* to) const {
    const hdf5_node* node = nodes.data();
    const auto f = [&](const hdf5_node& n, const auto& part, std::uint64_t base) {
      std::byte* const at = to + n.at + base;
      if constexpr (std::is_same_v<decltype(part), const std::string&>) {
        std::memset(at, 0, n.type.bytes);
        std::memcpy(at, part.data(), part.size());
      } else {
        std::memcpy(at, &part, sizeof part);
      }
    };
    each_hdf5_part(element, node, 0, f);
  }
  void take(T& element, const std::byte* from) const {
    const hdf5_node* node = nodes.data();
    const auto f = [&](const hdf5_node& n, auto& part, std::uint64_t base) {
      const std::byte* const at = from + n.at + base;
      if constexpr (std::is_same_v<decltype(part), std::string&>)
        part = hdf5_text_at(n, at);
      else
        std::memcpy(&part, at, sizeof part);
    };
    each_hdf5_part(element, node, 0, f);
  }

  /// When all have their places.
  std::uint64_t bytes() const noexcept { return room_of(nodes[0]) * std::max<std::uint64_t>(1, nodes[0].array); }

  std::vector<hdf5_node> nodes;
};

/// Numbers are read and written as they are in memory.
struct no_hdf5_layout {};
template <class T>
struct hdf5_layout_choice {
  using type = no_hdf5_layout;
};
template <hdf5_record T>
struct hdf5_layout_choice<T> {
  using type = hdf5_layout<T>;
};

}  // namespace armilla::detail
