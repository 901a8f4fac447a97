// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <utility>

#include "armilla/distributed.hpp"
#include "armilla/object/made_object.hpp"

namespace armilla {
namespace detail {

[[noreturn, gnu::cold]] void throw_moved_from();

/// How the members of a team call what each of them has of a container.
struct container_name {
  object_id id;
  std::uint64_t team = no_team;

  static constexpr std::uint64_t no_team = ~std::uint64_t(0);
};

/// Returns the object of this name on this rank. Waits for one that other members have already made. usage_error if none exists.
void* find_container(const container_name& name);
/// This rank has no local part of it. Throws usage_error, or rank_lost if the rank that this one replaces had one.
[[noreturn, gnu::cold]] void throw_no_container(object_id part);

template <class Named>
class named_container;

}  // namespace detail

/// A name of a container on all members of its team: a small value that can be copied, stored and sent.
///
///     am::async(dest, [](am::array<int>::handle_type h) { h->local()[0] = 1; }, x.handle());
///
/// `*h` and `h->` are the container on the rank that runs them, wherever it was moved. Called functions reach the local elements
/// by it, and any element. Algorithms and fences are for code that all members run.
///
/// **Lifetime.** A fence before the end of the container completes the calls that name it. A call that arrives while its rank is
/// constructing the container waits; if it must not wait, put a barrier after the construction.
///
/// **Errors.** `usage_error` on a rank that is not a member, and after the end of the container.
///
/// **Cost.** A search in a table; no message.
template <class Container, class Named = Container>
class container_handle {
 public:
  container_handle() = default;
  Container& operator*() const { return static_cast<Container&>(**static_cast<Named**>(detail::find_container(name_))); }
  Container* operator->() const { return &**this; }

 private:
  friend detail::named_container<Named>;
  explicit container_handle(const detail::container_name& name) noexcept : name_(name) {}
  detail::container_name name_;
};

namespace detail {

/// A base of containers that handles name. The name goes with the elements where the container moves.
template <class Named>
class named_container {
 protected:
  named_container() = default;
  explicit named_container(const team& members, const making* how = nullptr) { be_named(members, how); }
  named_container(named_container&& other) noexcept : name_(std::move(other.name_)) { show_place(); }
  named_container& operator=(named_container&& other) noexcept {
    name_ = std::move(other.name_);
    show_place();
    return *this;
  }

  /// By all members together, once there are members. `how`: null if the library makes it for itself.
  void be_named(const team& members, const making* how = nullptr) {
    name_.reset(new distributed<Named*>(object_access::of_members<Named*>(members, nullptr)));
    note_object(object_access::id(*name_),
                {&typeid(Named), &**name_, true, sizeof(Named), &noted_extent<Named>, &noted_share<Named>}, how);
    show_place();
    note_share(static_cast<const Named*>(this));
  }
  bool named() const noexcept { return name_ != nullptr; }
  /// What becomes `other` keeps the name by which that is known.
  void keep_name_of(named_container& other) noexcept {
    if (!other.named()) return;
    name_ = std::move(other.name_);
    show_place();
  }
  template <class Handle>
  Handle make_handle() const {
    if (name_ == nullptr) [[unlikely]]
      throw_moved_from();
    return Handle({object_access::id(*name_), name_->members().id()});
  }

 private:
  void show_place() noexcept {
    if (name_ != nullptr) **name_ = static_cast<Named*>(this);
  }

  std::unique_ptr<distributed<Named*>> name_;
};

}  // namespace detail
}  // namespace armilla
