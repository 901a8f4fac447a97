// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "armilla/async.hpp"
#include "armilla/call.hpp"
#include "armilla/collectives.hpp"
#include "armilla/dialect/stapl_rmi_inline.hpp"
#include "armilla/fence.hpp"
#include "armilla/hints.hpp"
#include "armilla/poll.hpp"
#include "armilla/rank.hpp"

/// STAPL's communication infrastructure: methods of objects on other nodes.
namespace armilla::stapl {

/// A subset of the nodes, or all in another order: the result of `armilla::world().split(...)`. As the first argument, in
/// `async_rmi(nodes, dest, ...)`, it makes the functions below about its members, numbered from 0; a node may be in several.
/// Objects are registered for it, `rmi_object(nodes, &object)`; a container takes its nodes, `pvector<int> v(n, nodes)`.
/// Paper: STAPL, section 5.1 (communication among subsets of nodes).
using communicator = team;

inline int get_num_nodes() { return int(ranks()); }
inline int get_node_id() { return int(rank()); }
inline int get_num_nodes(const communicator& nodes) { return int(nodes.size()); }
inline int get_node_id(const communicator& nodes) { return int(nodes.rank()); }

/// A one-way call: runs `method(arguments...)` of node `dest`'s object, and returns at once. `object` is this node's own object;
/// it names `dest`'s, if all nodes have registered theirs: a `parallel_task` while it is executed, a container, the object of an
/// `rmi_object`. Methods run one at a time on a node, except where one waits. Complete after `rmi_fence`, in order for one
/// destination. Errors: usage_error for an object that is not registered.
///
///     stapl::async_rmi(dest, this, &histogram::add, 7);      // an overloaded method by a cast
///
/// Paper: STAPL, section 5.
template <class T, class F, class C, class... A>
void async_rmi(int dest, T* object, F C::* method, A&&... arguments) {
  detail::translation_layer& layer = *detail::translation;
  async(dest, detail::request_to(layer, object, method, "async_rmi"), std::forward<A>(arguments)...);
  layer.request_written(dest);
}

template <class T, class F, class C, class... A>
void async_rmi(const communicator& nodes, int dest, T* object, F C::* method, A&&... arguments) {
  async_rmi(int(nodes.world_rank(dest)), object, method, std::forward<A>(arguments)...);
}

/// A two-way call: the same, and waits for what the method returns. Errors: what it throws, as remote_error.
template <class T, class F, class C, class... A>
auto sync_rmi(int dest, T* object, F C::* method, A&&... arguments) {
  return call(dest, detail::request_to(*detail::translation, object, method, "sync_rmi"), std::forward<A>(arguments)...).get();
}
template <class T, class F, class C, class... A>
auto sync_rmi(const communicator& nodes, int dest, T* object, F C::* method, A&&... arguments) {
  return sync_rmi(int(nodes.world_rank(dest)), object, method, std::forward<A>(arguments)...);
}
/// A two-way call that does not wait: the handle can be asked, `ready()`, and waited for, `get()`. Paper: STAPL, section 6.4.
template <class T, class F, class C, class... A>
[[nodiscard]] auto nonblocking_sync_rmi(int dest, T* object, F C::* method, A&&... arguments) {
  return call(dest, detail::request_to(*detail::translation, object, method, "nonblocking_sync_rmi"),
              std::forward<A>(arguments)...);
}

template <class T, class F, class C, class... A>
[[nodiscard]] auto nonblocking_sync_rmi(const communicator& nodes, int dest, T* object, F C::* method, A&&... arguments) {
  return nonblocking_sync_rmi(int(nodes.world_rank(dest)), object, method, std::forward<A>(arguments)...);
}

/// A one-way call to the objects of all nodes, this one's included.
template <class T, class F, class C, class... A>
void broadcast_rmi(const communicator& nodes, T* object, F C::* method, const A&... arguments) {
  async_all(nodes, detail::request_to(*detail::translation, object, method, "broadcast_rmi"), arguments...);
}
template <class T, class F, class C, class... A>
void broadcast_rmi(T* object, F C::* method, const A&... arguments) {
  broadcast_rmi(world(), object, method, arguments...);
}

/// A two-way call on all nodes, whose answers are collected: every node gives its `input`, and on each the method runs for all of
/// them, `method(input, output)`, node 0's first. No node continues before all have called. Errors: usage_error for a null
/// pointer.
template <class T, class F, class C, class Input, class Output>
void collect_rmi(const communicator& nodes, T* object, F C::* method, const Input& input, Output& output) {
  detail::require_object(object, method != nullptr, "collect_rmi");
  for (const Input& each : nodes.all_gather(input)) (object->*method)(each, output);
}
template <class T, class F, class C, class Input, class Output>
void collect_rmi(T* object, F C::* method, const Input& input, Output& output) {
  collect_rmi(world(), object, method, input, output);
}

/// In front of a request: its method may run beside others, and beside its node's own code while that computes, where nodes have
/// a progress thread (docs/guide/progress.md); elsewhere as any request. So the method touches nothing but atomics and what
/// the node leaves alone meanwhile, does not wait and sends nothing; `rmi_wait` does not see it. Such requests run one at a time
/// among themselves, in order for one destination. The object is registered so, `rmi_object object(&mine, stapl::non_atomic)`,
/// and is not asked for there: put a fence before its end. Paper: STAPL, section 5.1 (requests that need not be atomic).
struct non_atomic_request {};
inline constexpr non_atomic_request non_atomic;

template <class T, class F, class C, class... A>
void async_rmi(non_atomic_request, int dest, T* object, F C::* method, A&&... arguments) {
  async(dest, detail::request_beside(*detail::translation, dest, object, method, "async_rmi"), std::forward<A>(arguments)...);
}
template <class T, class F, class C, class... A>
void async_rmi(non_atomic_request how, const communicator& nodes, int dest, T* object, F C::* method, A&&... arguments) {
  async_rmi(how, int(nodes.world_rank(dest)), object, method, std::forward<A>(arguments)...);
}
template <class T, class F, class C, class... A>
auto sync_rmi(non_atomic_request, int dest, T* object, F C::* method, A&&... arguments) {
  return call(dest, detail::request_beside(*detail::translation, dest, object, method, "sync_rmi"), std::forward<A>(arguments)...)
      .get();
}
template <class T, class F, class C, class... A>
auto sync_rmi(non_atomic_request how, const communicator& nodes, int dest, T* object, F C::* method, A&&... arguments) {
  return sync_rmi(how, int(nodes.world_rank(dest)), object, method, std::forward<A>(arguments)...);
}

/// All nodes wait for each other, and until all requests, with those that they caused, have been invoked.
inline void rmi_fence() { fence(); }
/// Requests between these nodes, and those that they caused among them.
inline void rmi_fence(const communicator& nodes) { nodes.fence(); }
/// How nodes meet in a fence: each notifies each other, up and down a binary tree, or in exchanges of growing distance.
enum class fence_shape { flat, binary, hypercube };
/// A fence of this shape, the same on all nodes; without one the library or ARMILLA_FENCE chooses. Errors:
/// usage_error if nodes give different ones. Paper: STAPL, section 6.5.
void rmi_fence(const communicator& nodes, fence_shape how);
inline void rmi_fence(fence_shape how) { rmi_fence(world(), how); }
/// Waits until a request has been invoked on this node, since the last `rmi_wait`: one that came before is not missed.
inline void rmi_wait() { detail::translation->wait_for_request(); }
/// Invokes the requests that have arrived, for a node that computes long.
inline void rmi_poll() { poll(); }

/// Every n-th communication call polls; 0: none. Paper: STAPL, section 6.2.
inline void set_poll_every(int n) { detail::set_poll_period(n); }
/// Sends the one-way calls to a node after n of them: the paper tries 8 to 512. 0: when a buffer of the library is full, as
/// at the start. For this node. Paper: STAPL, section 6.3.
inline void set_aggregation_factor(int messages) { detail::translation->set_factor(messages); }

/// As long as one lives on every node, this node's object names those of the others. Made by all nodes together, in one
/// order. Requests that arrived before run at once: register an object that is ready. Put a fence before the end. Errors:
/// usage_error for a null pointer.
template <class T>
class rmi_object {
 public:
  explicit rmi_object(T* object) : registration_(object) {}
  rmi_object(const communicator& nodes, T* object) : registration_(object, nodes) {}
  /// For `non_atomic` requests, too. Cost: one exchange more.
  rmi_object(T* object, non_atomic_request how) : rmi_object(world(), object, how) {}
  rmi_object(const communicator& nodes, T* object, non_atomic_request) : registration_(object, nodes, true) {}

 private:
  detail::registration registration_;
};

/// A part of a parallel algorithm: each node has one, and `this` names those of the others. Paper: STAPL, section 5.
class parallel_task {
 public:
  virtual ~parallel_task() = default;
  virtual void execute() = 0;
};

/// Runs `task->execute()`, on all nodes together; returns after a fence. Errors: usage_error for a null pointer.
template <class T>
  requires std::is_base_of_v<parallel_task, T>
void execute_parallel_task(const communicator& nodes, T* task) {
  const detail::registration registered(task, nodes);
  task->execute();
  rmi_fence(nodes);
}
template <class T>
  requires std::is_base_of_v<parallel_task, T>
void execute_parallel_task(T* task) {
  execute_parallel_task(world(), task);
}

}  // namespace armilla::stapl

/// As the paper spells it: `stapl::async_rmi`.
namespace stapl = armilla::stapl;  // NOLINT(misc-unused-alias-decls)
