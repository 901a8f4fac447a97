// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "armilla/container/image/save.hpp"
#include "armilla/container/place/owned_state.hpp"
#include "armilla/fence.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

/// What arrays and vectors do with all of their elements.
namespace armilla::detail {

/// Copies the elements of `from` to the same indices of `to`, as many as both have; each member fills what it has of `to`.
void copy_elements(const container_state& from, const container_state& to, std::size_t bytes);

template <class T>
void copy_elements(const element_state<T>& from, const element_state<T>& to) {
  if constexpr (lies_in_segments<T>) {
    copy_elements(from, to, sizeof(T));
  } else {
    const std::size_t most = std::min(from.where.size(), to.where.size());
    for (std::size_t i = to.where.next_on(to.me, 0); i < most;) {
      scratch fetched;
      std::size_t n = std::min({most, to.where.run_at(i).end, from.where.run_at(i).end}) - i, whole = n;
      const T* const source = from.template window<const T>(&from, i, n, fetched);
      T* const into = to.template window<T>(&to, i, whole, fetched);
      for (std::size_t k = 0; k < n; ++k) into[k] = copy_of(source[k]);
      i = to.where.next_on(to.me, i + n);
    }
  }
}

template <class T>
element_state<T> make_container(const team& t, placement p) {
  note_type(t, mark_of<T>());
  if constexpr (lies_in_segments<T>)
    return container_state(t, std::move(p), sizeof(T), alignof(T), sign_of_type<T>, [](std::byte* at, std::size_t n) {
      T* const first = reinterpret_cast<T*>(at);
      for (std::size_t i = 0; i < n; ++i) ::new (static_cast<void*>(first + i)) T();
    });
  else
    return owned_state<T>(t, std::move(p));
}

/// What a file says of a sequence of T.
template <class T>
saved_type saved_sequence() {
  static_assert(sendable_value<T>,
                "armilla: elements that are saved must be sendable: what points into memory means nothing in a file");
  return {saved_kind::sequence, lies_in_segments<T> ? sizeof(T) : 0, element_name<T>::text};
}

/// What a member has of a sequence.
template <class T, class Values>
void put_elements(piece_writer& to, const Values& values) {
  for (const T& each : values) {
    if constexpr (lies_in_segments<T>) {
      to.put_raw(&each, 1, sizeof(T));
    } else {
      column<T>::put(to.keys, each);
      to.end_element();
    }
  }
}
template <class T>
T take_element(column_rest& keys) {
  if constexpr (lies_in_segments<T>)
    return from_bytes<T>(keys.take(sizeof(T)));
  else
    return T(column<T>::take(keys));
}
/// The elements of an image from number `first` to `end` go to `take`, one by one.
template <class T, class Take>
void take_elements(image_reader& from, std::uint64_t first, std::uint64_t end, Take take) {
  from.each_piece_of(first, end, [&](column_rest& keys, column_rest&, std::uint64_t n, std::uint64_t number) {
    for (; n != 0; --n, ++number) {
      T each = take_element<T>(keys);
      if (number >= first && number < end) take(std::move(each));
    }
  });
}
/// Collective: as many of the elements on each member, in order. The image is whole if it returns.
template <class T>
std::vector<kept_as<T>> take_share(image_reader& from) {
  std::vector<kept_as<T>> mine;
  const auto [first, end] = from.deal_evenly();
  take_elements<T>(from, first, end, [&mine](T&& each) { mine.push_back(std::move(each)); });
  from.agree();
  return mine;
}

template <class T>
void save_elements(const element_state<T>& s, const std::string& path) {
  if (!s.members) throw_moved_from();
  const object_operation name("save", &s);
  s.members.fence();
  if (!s.where.linear()) {
    element_state<T> in_blocks = make_container<T>(s.members, placement(s.where.size(), s.members.size(), blocks()));
    copy_elements<T>(s, in_blocks);
    meet(s.members);
    save_elements<T>(in_blocks, path);
  } else if constexpr (lies_in_segments<T>) {
    save_raw(s.members, path, saved_sequence<T>(), {}, first_of<T>(s), s.count());
  } else {
    const std::span<const T> mine(first_of<T>(s), s.count());
    save_walked(s.members, path, saved_sequence<T>(), {}, [&](piece_writer& to) { put_elements<T>(to, mine); });
  }
}

/// Fills what this member has, which lies in one run, from a file.
template <class T>
void fill_from(saved_file& file, element_state<T>& s) {
  if (s.count() == 0) return;
  T* const mine = first_of<T>(s);
  const std::uint64_t first = s.where.index_of(s.me, 0);
  if constexpr (lies_in_segments<T>)
    file.read(first, s.count(), mine);
  else
    take_elements<T>(file, first, first + s.count(), [to = mine](T&& each) mutable { *to++ = std::move(each); });
}

/// What a container becomes that is `now` so.
template <class T>
element_state<T> load_elements(const element_state<T>& now, const std::string& path) {
  const object_operation name("load", &now);
  const team members = now.members ? now.members : world();
  members.fence();
  saved_file file(members, path, saved_sequence<T>());
  const std::size_t n = std::size_t(file.elements());
  const placement even(n, members.size(), blocks());
  const placement dealt = !now.members ? even : n == now.where.size() ? now.where : now.where.resized(n);
  element_state<T> read = make_container<T>(members, dealt.linear() ? dealt : even);
  fill_from<T>(file, read);
  file.agree();
  if (dealt.linear()) return read;
  element_state<T> moved = make_container<T>(members, dealt);
  copy_elements<T>(read, moved);
  meet(members);
  return moved;
}

}  // namespace armilla::detail
