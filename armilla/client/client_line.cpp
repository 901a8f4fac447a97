// SPDX-License-Identifier: Apache-2.0
#include "armilla/client/client_line.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {

std::string_view text_of(const std::vector<std::byte>& bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void throw_outcome(rank_t rank, const client_answer& one) {
  const std::string_view text = text_of(one.bytes);
  switch (one.outcome) {
    case client_outcome::lost: throw_rank_lost(rank, "call", text);
    case client_outcome::limit: throw_limit("call", text);
    case client_outcome::usage: throw_usage("call", text);
    case client_outcome::timeout: throw_timeout("call", text);
    default: break;
  }
  const std::size_t zero = std::min(text.find('\0'), text.size());
  throw remote_error(rank, "call", text.substr(0, zero), text.substr(std::min(zero + 1, text.size())));
}

void client_line::throw_late(client_answer& one, double seconds) { throw_timeout("call", why_late(one, seconds)); }

std::vector<std::byte> take_answer(client_line& line, client_answer& one, std::uint64_t patience_ns) {
  if (!one.done.load(std::memory_order_acquire) && !line.wait(one, now_ns() + patience_ns))
    line.throw_late(one, double(patience_ns) / 1e9);
  if (one.outcome != client_outcome::answered) throw_outcome(line.to(), one);
  if (std::exchange(one.taken, true)) throw_usage("call", fmt::format("the reply to '{}' has been taken already", one.name));
  return std::move(one.bytes);
}

std::uint32_t forks_so_far() noexcept {
  static std::atomic<std::uint32_t> forks{0};
  static const bool counted = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); }) == 0;
  return counted ? forks.load(std::memory_order_relaxed) : std::uint32_t(getpid());
}

}  // namespace armilla::detail
