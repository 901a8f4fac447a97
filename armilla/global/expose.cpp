// SPDX-License-Identifier: Apache-2.0
#include "armilla/expose.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "armilla/base/core/context.hpp"
#include "armilla/base/values/escaped.hpp"
#include "armilla/boot/visitors/exposed_record.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fabric/network.hpp"
#include "armilla/memory.hpp"

namespace armilla {
namespace {

using detail::exposed_record;

// The rank's list, newest first. Only the rank changes it; attached clients read it at any time.
struct exposed_list {
  const detail::host_map& host;
  std::atomic<std::uint64_t>& first;

  static exposed_list here(const char* operation) {
    detail::context& self = detail::here(operation);
    return {*self.host, self.host->control(self.rank).exposed};
  }
  exposed_record* at(std::uint64_t offset) const noexcept {
    return offset == 0 ? nullptr : reinterpret_cast<exposed_record*>(host.base + offset);
  }
  std::uint64_t offset_of(const void* p) const noexcept { return std::uint64_t(static_cast<const std::byte*>(p) - host.base); }

  const exposed_record* find(std::string_view name) const noexcept {
    const exposed_record* one = at(first.load(std::memory_order_relaxed));
    while (one != nullptr && one->name != name) one = at(one->next.load(std::memory_order_relaxed));
    return one;
  }
  void insert(exposed_record& one) noexcept {
    one.next.store(first.load(std::memory_order_relaxed), std::memory_order_relaxed);
    one.magic.store(exposed_record::good_magic, std::memory_order_release);
    first.store(offset_of(&one), std::memory_order_release);
  }
  void remove(exposed_record& gone) noexcept {
    std::atomic<std::uint64_t>* link = &first;
    while (link->load(std::memory_order_relaxed) != 0 && at(link->load(std::memory_order_relaxed)) != &gone)
      link = &at(link->load(std::memory_order_relaxed))->next;
    if (link->load(std::memory_order_relaxed) == 0) return;  // of another rank
    link->store(gone.next.load(std::memory_order_relaxed), std::memory_order_release);
    gone.magic.store(0, std::memory_order_release);
  }
};

template <std::size_t N>
void copy_text(char (&to)[N], std::string_view from) noexcept {
  std::memcpy(to, from.data(), std::min(from.size(), N - 1));
}

std::uint64_t checked_data(const exposed_list& list, std::string_view name, const void* first, std::uint64_t bytes) {
  const detail::context& self = *detail::current;
  const std::uint64_t segment = list.host.layout.segment(list.host.local(self.rank)), at = list.offset_of(first);
  if (bytes == 0) return segment;
  if (list.host.beyond != nullptr && list.host.beyond->holds())
    detail::throw_usage(
        "expose", fmt::format("'{}' lies in memory of the network ({}), which no attached client can map; start the job with "
                              "ARMILLA_ACCESS_BY_MESSAGE=1, or without ARMILLA_FABRIC",
                              name, list.host.beyond->name()));
  if (at < segment || at + bytes > segment + list.host.layout.segment_bytes)
    detail::throw_usage("expose", fmt::format("'{}' ({} bytes at {}) does not lie in this rank's segment, which alone others can "
                                              "map; take memory of am::allocate, or a container",
                                              name, bytes, fmt::ptr(first)));
  return at;
}

}  // namespace

exposure detail::exposure_access::make(std::string_view name, const element& type, const exposed_shape& shape,
                                       const void* first) {
  exposed_list list = exposed_list::here("expose");
  if (name.empty() || name.size() >= exposed_record::letters)
    detail::throw_usage(
        "expose", fmt::format("a name has 1 to {} letters, but '{}' has {}", exposed_record::letters - 1, name, name.size()));
  if (name.find('\0') != name.npos)
    detail::throw_usage("expose", fmt::format("the name '{}' has a NUL in it, behind which attached clients would not see it",
                                              detail::escaped(name)));
  if (list.find(name) != nullptr)
    detail::throw_usage("expose", fmt::format("this rank exposes '{}' already; end that first", name));
  std::uint64_t span = 1;  // elements from the first to the last
  for (std::size_t d = 0; d < shape.dimensions; ++d)
    span = shape.extent[d] == 0 ? 0 : span == 0 ? 0 : span + (shape.extent[d] - 1) * std::uint64_t(shape.stride[d]);
  const std::uint64_t data = checked_data(list, name, first, span * type.bytes);
  const global_ptr<exposed_record> place = allocate<exposed_record>();
  exposed_record& one = *::new (static_cast<void*>(place.local())) exposed_record{};
  copy_text(one.name, name);
  copy_text(one.type, std::string_view(type.type).substr(0, std::strlen(type.type) - 2));  // of "float64()"
  one.type_hash = type.hash;
  one.element_bytes = type.bytes;
  one.data = data;
  one.dimensions = std::uint32_t(shape.dimensions);
  for (std::size_t d = 0; d < shape.dimensions; ++d) {
    one.shape[d] = shape.shape[d];
    one.extent[d] = shape.extent[d];
    one.origin[d] = shape.origin[d];
    one.stride[d] = shape.stride[d];
  }
  one.block = std::max<std::size_t>(shape.block, 1);
  one.turn = shape.turn;
  list.insert(one);
  exposure made;
  made.record_ = global_ptr<std::byte>(place.address());
  return made;
}

void detail::exposure_access::set_help(exposure& of, std::unique_ptr<exposure_help> help) noexcept { of.help_ = std::move(help); }

detail::exposed_record& detail::exposure_access::record(const exposure& of) noexcept {
  return *reinterpret_cast<exposed_record*>(of.record_.local());
}

// Behind the session's end its memory is gone, and the list with it.
exposure::~exposure() {
  help_.reset();  // it may know the record
  if (!record_ || detail::current == nullptr) return;
  exposed_list::here("expose").remove(*reinterpret_cast<exposed_record*>(record_.local()));
  deallocate(record_);
}

}  // namespace armilla
