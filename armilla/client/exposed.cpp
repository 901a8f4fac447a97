// SPDX-License-Identifier: Apache-2.0
#include "armilla/exposed.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "armilla/base/values/clock.hpp"
#include "armilla/client/client_state.hpp"
#include "armilla/client/exposed_here.hpp"
#include "armilla/client/remote_part.hpp"
#include "armilla/error.hpp"

namespace armilla {
namespace detail {
namespace {

constexpr std::uint64_t remote_patience_ns = 10'000'000'000;
constexpr std::uint64_t most_at_once = 1 << 20;  // bytes of a two-way call to another host

std::vector<exposed_part> parts_of_other_hosts(client_state& job) {
  std::vector<exposed_part> all;
  for (const asked_host& one : job.ask_other_hosts(circuit_head::exposed, "exposed", remote_patience_ns))
    for (const remote_part& part : from_circuit<std::vector<remote_part>>(one.host->take(*one.answer, remote_patience_ns))) {
      all.push_back(unpacked(part));
      all.back().far = one.host;
    }
  return all;
}

std::vector<exposed_part> with_other_hosts(client_state& job, std::vector<exposed_part> here) {
  for (exposed_part& one : parts_of_other_hosts(job)) here.push_back(std::move(one));
  std::ranges::sort(here, {}, [](const exposed_part& one) { return std::tie(one.name, one.rank); });
  return here;
}

std::string names_of(const std::vector<exposed_part>& found) {
  std::vector<std::string> names;
  for (const exposed_part& one : found) names.push_back(one.name);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names.empty() ? "the job exposes nothing" : fmt::format("it exposes {}", fmt::join(names, ", "));
}

}  // namespace

client_state& state_of(const client& job) { return *job.state_; }

void throw_not_exposed(const client& job, std::string_view name) {
  throw_usage("exposed",
              fmt::format("nothing is exposed as '{}'; {}", name, job.alive() ? names_of(exposed(job)) : "the job has ended"));
}

}  // namespace detail

std::size_t exposed_part::size() const noexcept {
  std::size_t all = 1;
  for (const std::size_t n : extent) all *= n;
  return all;
}

void exposed_part::check_span(std::string_view wanted, std::uint64_t hash) const {
  if (hash != type_hash)
    detail::throw_usage("exposed", fmt::format("the elements of '{}' are {}, not {}", name, type,
                                               wanted.substr(0, wanted.size() - 2)));  // of "float64()"
  if (extent.size() != 1 || stride[0] != 1)
    detail::throw_usage("exposed", fmt::format("'{}' has {} dimensions; use data and stride", name, extent.size()));
}

void exposed_part::check_here() const {
  if (data == nullptr && size() != 0 && far == nullptr)
    detail::throw_usage("exposed", fmt::format("'{0}' of rank {1} is of the list of all, which maps nothing: take that of "
                                               "exposed(job, \"{0}\")",
                                               name, rank));
  if (data == nullptr && size() != 0)
    detail::throw_usage("exposed",
                        fmt::format("'{}' of rank {} lies on {}: fetch() it first, or read() some of it", name, rank, host()));
}

std::string exposed_part::host() const { return far == nullptr ? std::string() : far->name(); }

void exposed_part::read(std::uint64_t offset, std::span<std::byte> to) const {
  detail::check_place(*this, offset, to.size());
  if (far == nullptr) check_here();
  if (far == nullptr) return void(to.empty() ? nullptr : std::memcpy(to.data(), data + offset, to.size()));
  for (std::size_t at = 0; at < to.size(); at += detail::most_at_once) {
    const detail::exposed_bytes where{name, offset + at, std::min(detail::most_at_once, to.size() - at)};
    const auto bytes =
        far->get(detail::circuit_head::read, rank, "read", detail::circuit_bytes(where), detail::remote_patience_ns);
    if (bytes.size() != where.bytes)
      detail::throw_decode(rank, "exposed", fmt::format("{} bytes where {} were asked for", bytes.size(), where.bytes));
    std::memcpy(to.data() + at, bytes.data(), bytes.size());
  }
}

void exposed_part::write(std::uint64_t offset, std::span<const std::byte> from) const {
  detail::check_place(*this, offset, from.size());
  if (far == nullptr) check_here();
  if (far == nullptr) return void(from.empty() ? nullptr : std::memcpy(data + offset, from.data(), from.size()));
  for (std::size_t at = 0; at < from.size(); at += detail::most_at_once) {
    const auto some = from.subspan(at, std::min(detail::most_at_once, from.size() - at));
    auto body = detail::circuit_bytes(detail::exposed_bytes{name, offset + at, some.size()});
    body.insert(body.end(), some.begin(), some.end());
    far->get(detail::circuit_head::write, rank, "write", body, detail::remote_patience_ns);
  }
}

void exposed_part::fetch() {
  if (far == nullptr || size() == 0) return;
  const std::size_t bytes = detail::length_of(*this);
  const auto copy = std::make_shared<std::vector<std::byte>>(bytes);
  read(0, *copy);
  data = copy->data();
  memory = copy;
}

std::vector<exposed_part> exposed(const client& job) {
  detail::client_state& state = detail::state_of(job);
  std::vector<exposed_part> here;
  for (auto& one : detail::find_parts(state.memory())) here.push_back(std::move(one.part));
  return detail::with_other_hosts(state, std::move(here));
}

std::vector<exposed_part> exposed(const client& job, std::string_view name) {
  detail::client_state& state = detail::state_of(job);
  std::vector<exposed_part> here;
  for (detail::found_part& one : detail::find_parts(state.memory())) {
    if (one.part.name != name) continue;
    detail::map_part(state.memory(), one);
    here.push_back(std::move(one.part));
  }
  std::vector<exposed_part> all = detail::with_other_hosts(state, std::move(here));
  std::erase_if(all, [&](const exposed_part& one) { return one.name != name; });
  if (all.empty()) detail::throw_not_exposed(job, name);
  detail::refuse_table(all.front());
  return all;
}

}  // namespace armilla
