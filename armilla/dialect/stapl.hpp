// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/dialect/stapl_rmi.hpp"
#include "armilla/run.hpp"

/// STAPL's communication infrastructure in its names. The containers and algorithms on top, which take longer to compile, have
/// headers of their own beside this one, `armilla/dialect/stapl_*.hpp`.
///
/// | STAPL                                                  | here                                             |
/// |--------------------------------------------------------|--------------------------------------------------|
/// | `get_num_nodes()`, `get_node_id()`                     | the same                                         |
/// | `async_rmi(dest, object, method, args...)`, `sync_rmi` | the same                                         |
/// | a non-blocking `sync_rmi` with a handle                | `nonblocking_sync_rmi`                           |
/// | `broadcast_rmi(object, method, args...)`               | the same                                         |
/// | `collect_rmi(object, method, input, output)`           | the same                                         |
/// | subsets of nodes                                       | a `communicator` before `dest` or `object`       |
/// | `rmi_fence()`, `rmi_wait()`, `rmi_poll()`              | the same; `rmi_fence(fence_shape::binary)`       |
/// | requests that need not be atomic                       | `async_rmi(non_atomic, dest, ...)`               |
/// | the aggregation factor, a poll every n calls           | `set_aggregation_factor(n)`, `set_poll_every(n)` |
/// | `parallel_task`, `execute_parallel_task(&task)`        | the same                                         |
/// | `pvector<T>`; `v[i]` gives a `pvector_reference<T>`    | the same, of `stapl_pvector.hpp`                 |
/// | `plist`, `pset`, `pmap`                                | the same, of `stapl_containers.hpp`              |
/// | `pgraph`; `prange`                                     | `stapl_pgraph.hpp`; `stapl_prange.hpp`           |
/// | `p_sort p_copy p_find p_merge p_for_each`              | the same, of `stapl_algorithms.hpp`, which       |
/// | `p_inner_product p_accumulate`                         | brings the pvector as well                       |
/// | `p_` and every other algorithm                         | the same, of `stapl_every_algorithm.hpp`         |
/// | `define_type(t)` with `t.local`, `t.dynamic`           | the same, in all of the library                  |
///
/// A node is a rank; all nodes execute the function that `armilla::run` is given.
/// Paper: STAPL, sections 4 to 6.
namespace armilla::stapl {}
