// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/image/kept_part.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <utility>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/call.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/global_ptr.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t piece = 1 << 20;  // bytes of one call
constexpr std::size_t most_under_way = 8;

// Bodies, on the rank whose segment it is.
void write_here(global_address to, const std::vector<std::byte>& bytes) {
  std::memcpy(global_ptr<std::byte>(to).local(), bytes.data(), bytes.size());
}
std::vector<std::byte> read_here(global_address from, std::uint64_t bytes) {
  const std::byte* const at = global_ptr<std::byte>(from).local();
  return {at, at + bytes};
}

std::byte* place_here(global_address at) noexcept {
  return at.rank() == current->rank ? global_ptr<std::byte>(at).local() : place_on_host(at);
}

}  // namespace

std::byte* place_on_host(global_address at) noexcept { return current->host->segment_start(at.rank()) + at.offset; }

bool is_on_host(rank_t r) noexcept { return r == current->rank || !current->host->far[std::size_t(r)]; }

rank_t members_a_host(const team& t) {
  std::map<std::uint32_t, rank_t> members;
  for (rank_t m = 0; m < t.size(); ++m) ++members[current->host->number[std::size_t(t.world_rank(m))]];
  rank_t most = 0;
  for (const auto& [host, n] : members) most = std::max(most, n);
  return most;
}

bool memory_of_lost_goes() noexcept { return current->host->job().takes_new_ranks(); }

std::uint32_t life_now(rank_t r) noexcept { return current->out->life(r); }

// A rank that has heard of a loss may have handed over the place, and a new rank may have cleared it since.
void require_same_life(rank_t r, std::uint32_t life, const char* operation) {
  if (r == current->rank || !memory_of_lost_goes()) return;
  if (current->out->is_lost(r) || current->out->life(r) != life) current->messages->lost.raise(r, operation);
}

void remote_copies::write(global_address to, const void* from, std::uint64_t bytes) {
  if (is_on_host(to.rank())) return void(std::memcpy(place_here(to), from, bytes));
  const auto* const first = static_cast<const std::byte*>(from);
  for (std::uint64_t at = 0; at < bytes; at += piece) {
    const std::vector<std::byte> some(first + at, first + std::min(bytes, at + piece));
    under_way_.push_back(call<&write_here>(to.rank(), to.plus(std::int64_t(at)), some));
    if (under_way_.size() >= most_under_way) finish();
  }
}

void remote_copies::finish() {
  for (future<void>& one : std::exchange(under_way_, {})) one.get();
}

const std::byte* kept_part::data() const {
  if (gone()) return nullptr;
  require_same_life(at_.rank(), life_, "recover");
  if (is_on_host(at_.rank())) return place_here(at_);
  if (!brought_.empty() || bytes_ == 0) return brought_.data();
  std::vector<std::byte> all(bytes_);
  std::deque<std::pair<std::uint64_t, future<std::vector<std::byte>>>> asked;
  const auto take_first = [&] {
    const std::vector<std::byte> some = asked.front().second.get();
    std::memcpy(all.data() + asked.front().first, some.data(), some.size());
    asked.pop_front();
  };
  for (std::uint64_t at = 0; at < bytes_; at += piece) {
    if (asked.size() == most_under_way) take_first();
    asked.emplace_back(at, call<&read_here>(at_.rank(), at_.plus(std::int64_t(at)), std::min(piece, bytes_ - at)));
  }
  while (!asked.empty()) take_first();
  brought_ = std::move(all);
  return brought_.data();
}

}  // namespace armilla::detail
