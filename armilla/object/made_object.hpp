// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "armilla/base/values/made_text.hpp"
#include "armilla/base/values/owned.hpp"
#include "armilla/named.hpp"
#include "armilla/object/table.hpp"

namespace armilla {
class phase;
class team;
}  // namespace armilla

/// Which objects that members of a team make together are on this rank, where the program made them, and what it calls them. For
/// texts only: nothing of it is sent, and no call looks at it.
namespace armilla::detail {

struct object_label;
struct making_scope;

/// How large an object is: "1,000 elements", "100 x 200 cells".
struct object_extent {
  std::size_t dimensions = 0;  ///< 0: not known
  std::array<std::size_t, 4> extents{};
  const char *one = "element", *many = "elements";
};

/// What this rank has of an object: its elements, and their bytes, without what elements allocate for themselves.
struct object_share {
  std::uint64_t elements = 0, bytes = 0;
};

/// What is known of an object whoever made it.
struct noted_object {
  const std::type_info* type;
  const void* at;  ///< the object; or, where it moves, the pointer that it keeps to itself
  bool moves;
  std::size_t bytes;
  object_extent (*extent)(const void* object);          ///< null: not known
  object_share (*share)(const void* object) = nullptr;  ///< null: not known
};

template <class C>
object_extent noted_extent(const void* object) {
  [[maybe_unused]] const C& x = *static_cast<const C*>(object);
  if constexpr (requires { x.edges(); })
    return {1, {x.size()}, "vertex", "vertices"};
  else if constexpr (requires { x.extent(0); }) {
    object_extent all{std::tuple_size_v<typename C::point>, {}, "cell", "cells"};
    for (std::size_t d = 0; d < all.dimensions; ++d) all.extents[d] = x.extent(d);
    return all;
  } else if constexpr (requires { x.rows(), x.columns(); })
    return {2, {x.rows(), x.columns()}, "cell", "cells"};
  else if constexpr (requires { x.size(); })
    return {1, {x.size()}};
  else
    return {};
}

template <class C>
object_share noted_share(const void* object) {
  [[maybe_unused]] const C& x = *static_cast<const C*>(object);
  const auto of = [](std::size_t n, std::size_t bytes) { return object_share{n, n * bytes}; };
  if constexpr (requires { x.local_share(); })
    return x.local_share();
  else if constexpr (requires { x.state().count(); })
    return of(x.state().count(), sizeof(typename C::value_type));
  else if constexpr (requires { x.plan().mine.cells.volume(); })
    return of(x.plan().mine.cells.volume(), sizeof(typename C::value_type));
  else if constexpr (requires { x.part().inner.value.size(); })  // the column of each, too
    return of(x.part().inner.value.size() + x.part().border.value.size(), sizeof(typename C::value_type) + sizeof(std::size_t));
  else if constexpr (requires { x.edges(), x.local().size(); })
    return of(x.local().size(), 0);
  else if constexpr (requires { x.first_local(), x.local().size_bytes(); })
    return {8 * x.local().size_bytes(), x.local().size_bytes()};
  else if constexpr (requires { x.local().front().cells.size(); }) {
    std::size_t cells = 0;
    for (const auto& tile : x.local()) cells += tile.cells.size();
    return of(cells, sizeof(typename C::value_type));
  } else
    return {};
}

/// All members of a team construct an object: errors of collectives, and what is said of waits, name it until the end of the
/// scope. A constructor makes it in the call of another one:
///
///     list(const team& t, const made_at& at) : list(t, making(at, typeid(list), t)) {}
///
/// Cost: an allocation, and a search in a table.
class making {
 public:
  /// Of an empty team: collectives throw what they throw.
  making(const made_at& at, const std::type_info& type, const team& members);
  ~making();
  making(const making&) = delete;
  const std::shared_ptr<const object_label>& label() const noexcept { return label_; }

 private:
  std::shared_ptr<const object_label> label_;
  owned<making_scope> scope_;
};

/// The running fiber is in the operation `name` on the object that `inside` points into, until the end of the scope: as
/// `named_algorithm`, with what the object is called.
class object_operation {
 public:
  object_operation(const char* name, const void* inside);
  ~object_operation();
  object_operation(const object_operation&) = delete;
  /// "save of "words" (am::map<string, long>, 10 elements, count.cpp:3)"
  const char* text() const noexcept;

 private:
  owned<making_scope> scope_;
};

/// While it lives statistics and traces show what the running fiber does as a phase `am::NAME`, with the objects that it is
/// about. Only where they are asked for.
class shown_operation {
 public:
  explicit shown_operation(const char* name, std::string_view before = "am::");
  ~shown_operation();
  shown_operation(const shown_operation&) = delete;
  void add(const void* inside);

 private:
  const void* fiber_;
  owned<phase> phase_;
  std::vector<std::shared_ptr<const object_label>> about_;
  friend void operate_on(const void* inside);
};
/// The operation that the running fiber is in, if it is shown, is about the object that `inside` points into.
void operate_on(const void* inside);

/// Data that another language keeps, on all ranks: the same tables show it as a container while it lives. `place`: the line that
/// made it.
class shown_data {
 public:
  shown_data(std::string_view name, std::string_view type, std::string_view place);
  ~shown_data();
  shown_data(const shown_data&) = delete;
  /// What this rank has of it from now on.
  void resize(const object_share& share) noexcept;

 private:
  object_id id_;
  object_share share_{};
};

/// The objects of one name, type and line on this rank.
struct object_row {
  std::string name, type, place;
  std::uint64_t made = 0;        ///< how many there were
  std::uint64_t operations = 0;  ///< shown ones about them
  object_share share{};          ///< of those that are there; of the last one that was there, if none is left
};
/// Those that are there, by name, type and line.
std::vector<object_row> objects_here();
/// Also those that have ended, of which statistics know.
std::vector<object_row> objects_ever_here();
/// Those that are there and not exposed, as the reply to client_request::objects.
std::string list_of_objects();
/// Attached clients see the object that `inside` points into under a name that it is exposed by.
void note_exposed(const void* inside) noexcept;
/// The share of the object that `inside` points into has changed. Only statistics keep it.
void note_share(const void* inside) noexcept;

/// What the operation is on that the running fiber is in; empty: in none, or not known.
std::string operated_on();

/// From now on errors find the object on this rank, until `id` is removed from the table of objects. `how`: null if the library
/// made it for itself.
void note_object(object_id id, const noted_object& kind, const making* how);
/// The same of an object whose construction waits for nobody.
void note_object(object_id id, const noted_object& kind, const made_at& at, const std::type_info& type);
/// The object that `inside` points into is made where `at` says.
void call_as(const void* inside, const made_at& at, const std::type_info& type);
/// `made` takes the place of `old`, and is called as that was.
void call_as(const void* made, const void* old) noexcept;
/// `id` is no more; for a while it is still known what it was.
void forget_object(object_id id) noexcept;

/// What errors call the object that `inside` points into, or that is named `id`: `"temperature" (am::vector<double>, 1,000
/// elements, heat.cpp:31)`. Of one inside of another it is the outer one. Empty: not known.
std::string described(const void* inside);
std::string described(object_id id);
/// The same in front of what is said of it: with ": " behind it.
std::string about(const void* inside);

/// The name alone that the program gave it. Throws usage_error if it gave none.
std::string required_name(const void* inside, const char* operation);

/// usage_error of the object that `inside` points into; of `otherwise` if none is known.
[[noreturn, gnu::cold]] void throw_usage_of(const void* inside, const char* otherwise, std::string_view text);
[[noreturn, gnu::cold]] void throw_usage_of(object_id id, const char* otherwise, std::string_view text);

}  // namespace armilla::detail
