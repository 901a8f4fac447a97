// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "armilla/am/endpoint/outbox.hpp"
#include "armilla/base/values/collective_pattern.hpp"
#include "armilla/base/values/limits.hpp"
#include "armilla/dialect/stapl_containers.hpp"
#include "armilla/dialect/stapl_pgraph.hpp"
#include "armilla/dialect/stapl_prange.hpp"
#include "armilla/dialect/stapl_pvector.hpp"
#include "armilla/dialect/stapl_rmi.hpp"
#include "armilla/error.hpp"

namespace armilla::stapl::detail {

void translation_layer::add(const team& members, const std::type_info& type, void* object) {
  last_object_ = this;
  const object_id id = armilla::detail::name_next_object(members, type, armilla::detail::part_owners::all, "stapl");
  names_[object] = id;  // first: a request that came before runs at once, and may call others through the object
  try {
    armilla::detail::register_object(id, type, object);
  } catch (const armilla::detail::passing&) { throw; } catch (...) {
    remove(object);
    throw;
  }
}

void translation_layer::add_places(const team& members, const void* object) {
  std::vector<std::uint64_t> places(std::size_t(ranks()), 0);
  const auto all = members.all_gather(~std::uint64_t(reinterpret_cast<std::uintptr_t>(object)));
  for (std::size_t i = 0; i < all.size(); ++i) places[std::size_t(members.world_rank(rank_t(i)))] = all[i];
  places_[object] = std::move(places);
}

std::uint64_t translation_layer::place_of(const void* object, int dest, const char* operation) const {
  if (dest < 0 || dest >= int(ranks())) return 0;  // which the request refuses
  const auto found = places_.find(object);
  if (found == places_.end())
    armilla::detail::throw_usage(operation,
                                 fmt::format("the object at {} is not registered for non_atomic requests on this node; "
                                             "give what an rmi_object(&object, stapl::non_atomic) holds",
                                             object));
  const std::uint64_t place = found->second[std::size_t(dest)];
  if (place == 0)
    armilla::detail::throw_usage(operation,
                                 fmt::format("node {} is none of those that registered the object at {}", dest, object));
  return place;
}

void translation_layer::remove(const void* object) {
  places_.erase(object);
  const auto found = names_.find(object);
  if (found == names_.end()) return;
  armilla::detail::here("stapl").objects->table.remove(found->second);
  names_.erase(found);
  last_object_ = this;
}

void translation_layer::look_up(const void* object, const char* operation) {
  const auto found = names_.find(object);
  if (found == names_.end())
    armilla::detail::throw_usage(
        operation, fmt::format("the object at {} is not registered on this node, so it stands for none of another node; give a "
                               "parallel_task that is executed, a container, or what a stapl::rmi_object holds",
                               object));
  last_object_ = object;
  last_name_ = found->second;
}

void translation_layer::wait_for_request() {
  while (invoked_ == seen_) wait_for_message();
  seen_ = invoked_;
}

void translation_layer::set_factor(int messages) {
  if (messages < 0) armilla::detail::throw_usage("set_aggregation_factor", fmt::format("{} messages; give 0 or more", messages));
  flush();
  factor_ = messages;
  written_.assign(std::size_t(ranks()), 0);
}

void translation_layer::send(rank_t dest) {
  armilla::detail::here("async_rmi").out->flush(dest);
  written_[std::size_t(dest)] = 0;
}

void set_poll_period(int n) {
  if (n < 0) armilla::detail::throw_usage("set_poll_every", fmt::format("{} calls; give 0 or more, 0 for never", n));
  armilla::set_poll_every(std::uint32_t(n));
}

void require_object(const void* object, bool member, const char* operation) {
  if (object == nullptr) armilla::detail::throw_usage(operation, "the object is a null pointer; pass this node's own object");
  if (!member)
    armilla::detail::throw_usage(operation, "the pointer to a member is null; pass one of a member of the object's class");
}

namespace {

[[noreturn]] void throw_scope(std::size_t first, std::size_t last, std::size_t size) {
  armilla::detail::throw_usage(
      "prange",
      fmt::format("indices {} to {} of a container of {} elements; give first <= last <= size, and one subrange at least", first,
                  last, size));
}

}  // namespace

std::vector<std::size_t> borders_of(std::size_t first, std::size_t last, std::size_t size, std::size_t subranges) {
  if (first > last || last > size || subranges == 0) throw_scope(first, last, size);
  if (subranges > std::size_t{1} << 32)
    armilla::detail::throw_limit("prange",
                                 fmt::format("{} subranges{}; give fewer, one for each node or some more", subranges,
                                             armilla::detail::looks_negative(subranges) ? " (is it a negative number?)" : ""));
  const std::size_t each = (last - first) / subranges, rest = (last - first) % subranges;
  std::vector<std::size_t> borders(subranges + 1);
  for (std::size_t i = 0; i <= subranges; ++i) borders[i] = first + each * i + rest * i / subranges;
  return borders;
}

void refuse_vertices(std::size_t there, std::size_t more) {
  armilla::detail::throw_limit("pgraph::add_vertices",
                               fmt::format("{} more vertices in a graph of {}{}; their numbers have 32 bits", more, there,
                                           armilla::detail::looks_negative(more) ? " (is it a negative number?)" : ""));
}

void throw_no_subrange(std::size_t i, std::size_t subranges) {
  armilla::detail::throw_usage("prange", fmt::format("subrange {} of {}", i, subranges));
}
void throw_no_share(std::size_t i, int owner) {
  armilla::detail::throw_usage(
      "prange",
      fmt::format("subrange {} is the share of node {}: it is walked through only there; send the work to its node", i, owner));
}
void throw_erased_place() { armilla::detail::throw_usage("plist", "the place names no element: it has been erased"); }

void throw_not_here(std::size_t index, rank_t owner, const char* operation) {
  if (owner < 0)
    armilla::detail::throw_usage(operation, "no element of the pvector lies on this node; name one, v[i].push_back(x)");
  armilla::detail::throw_usage(operation,
                               fmt::format("element {} of the pvector lies on node {}: its insides are seen only there; copy "
                                           "it, or send the work to its node",
                                           index, owner));
}

}  // namespace armilla::stapl::detail

namespace armilla::stapl {
namespace {

armilla::detail::pattern pattern_of(fence_shape how) {
  switch (how) {
    case fence_shape::flat: return armilla::detail::pattern::flat;
    case fence_shape::binary: return armilla::detail::pattern::tree;
    case fence_shape::hypercube: return armilla::detail::pattern::hypercube;
  }
  armilla::detail::throw_usage("rmi_fence", fmt::format("no fence has shape {}; give flat, binary or hypercube", int(how)));
}

}  // namespace

void rmi_fence(const communicator& nodes, fence_shape how) { armilla::detail::run_fence_in(nodes, pattern_of(how)); }

}  // namespace armilla::stapl
