// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#include "armilla/hints.hpp"
#include "armilla/member_pointer.hpp"
#include "armilla/per_rank.hpp"

// What the templates of stapl_rmi.hpp are made of.
namespace armilla::stapl::detail {

using armilla::detail::object_id;

/// Knows by which name the other nodes' objects go that belong to an object of this node: the paper's address translation. And
/// what a node counts of its requests.
class translation_layer {
 public:
  /// By all nodes together, in one order. `object` stays where it is until `remove`.
  void add(const team& members, const std::type_info& type, void* object);
  /// Its address on each node, for requests that do not ask for it there.
  void add_places(const team& members, const void* object);
  void remove(const void* object);
  /// usage_error for an object that no node has registered. Cost: a comparison for the object that was named last.
  object_id name_of(const void* object, const char* operation) {
    if (object != last_object_) [[unlikely]]
      look_up(object, operation);
    return last_name_;
  }

  void request_invoked() noexcept { ++invoked_; }
  /// The complement of the address of node `dest`'s object: it must not look like an address here. usage_error where
  /// there is none.
  std::uint64_t place_of(const void* object, int dest, const char* operation) const;
  /// Waits until a request has run here after the last one that this has seen.
  void wait_for_request();

  void set_factor(int messages);
  /// A request for `dest` was written: sends what waits once there are as many as the factor says.
  void request_written(rank_t dest) {
    if (factor_ != 0 && ++written_[std::size_t(dest)] >= factor_) [[unlikely]]
      send(dest);
  }

 private:
  void look_up(const void* object, const char* operation);
  void send(rank_t dest);

  std::unordered_map<const void*, object_id> names_;
  std::unordered_map<const void*, std::vector<std::uint64_t>> places_;
  const void* last_object_ = this;  // which no program registers
  object_id last_name_{};
  std::vector<int> written_;  // for each node, since they were sent
  int factor_ = 0;            // 0: as the library's own bounds say
  std::uint64_t invoked_ = 0, seen_ = 0;
};
[[gnu::visibility("default")]] inline per_rank<translation_layer> translation;

void set_poll_period(int n);
/// usage_error for a null pointer to an object, or to a member.
void require_object(const void* object, bool member, const char* operation);

/// A method of the object that a name translates to.
template <class F, class C, class T>
struct request : armilla::detail::pointed_member_of_part<F, C, T> {
  using method = armilla::detail::pointed_member_of_part<F, C, T>;

  template <class... A>
  decltype(auto) run(void* found, A&&... arguments) const {
    translation->request_invoked();
    return method::run(found, std::forward<A>(arguments)...);
  }
  template <class... A>
    requires std::is_invocable_v<const method&, A...>
  decltype(auto) operator()(A&&... arguments) const {
    translation->request_invoked();
    return method::operator()(std::forward<A>(arguments)...);
  }
};

template <class T, class F, class C>
request<F, C, T> request_to(translation_layer& layer, const T* object, F C::* method, const char* operation) {
  static_assert(std::is_base_of_v<C, T>, "armilla: the method belongs to another class than the object");
  return {{layer.name_of(object, operation), armilla::detail::portable_member<F, C>::of(method, operation)}};
}

/// A method of the object that is there, as one node of the program sent it to another. It may run beside the node, so it reads
/// no table to see whether the object is still registered.
template <class F, class C, class T>
struct placed_request {
  std::uint64_t place;
  armilla::detail::portable_member<F, C> member;

  template <class... A>
    requires std::is_invocable_v<F C::*, T&, A...>
  auto operator()(A&&... arguments) const {
    T& object = *reinterpret_cast<T*>(~place);
    return (object.*member.get())(std::forward<A>(arguments)...);
  }
};

template <class T, class F, class C>
auto request_beside(const translation_layer& layer, int dest, const T* object, F C::* method, const char* operation) {
  static_assert(std::is_base_of_v<C, T>, "armilla: the method belongs to another class than the object");
  return safe(placed_request<F, C, T>{layer.place_of(object, dest, operation),
                                      armilla::detail::portable_member<F, C>::of(method, operation)});
}

/// An object that all nodes registered together, until its end.
class registration {
 public:
  template <class T>
  explicit registration(T* object, const team& members = world(), bool with_places = false) : object_(object) {
    require_object(object, true, "stapl");
    if (with_places) translation->add_places(members, object);  // first: requests may come as soon as it has a name
    translation->add(members, typeid(T), object);
  }
  ~registration() {
    if (armilla::detail::current != nullptr) translation->remove(object_);
  }
  registration(const registration&) = delete;
  registration& operator=(const registration&) = delete;

 private:
  const void* object_;
};

}  // namespace armilla::stapl::detail
