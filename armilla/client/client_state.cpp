// SPDX-License-Identifier: Apache-2.0
#include "armilla/client/client_state.hpp"

#include <algorithm>

#include "armilla/client/rank_line.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {

std::shared_ptr<client_line> client_state::line(rank_t to) {
  {
    const std::lock_guard lock(lock_);
    std::shared_ptr<client_line>& line = lines_[to];
    if (line != nullptr && line->good()) return line;
    if (is_here(to)) return line = std::make_shared<rank_line>(memory_, to);
  }
  auto line = std::make_shared<remote_line>(host_of(to), to);
  const std::lock_guard lock(lock_);
  return lines_[to] = std::move(line);
}

std::shared_ptr<remote_host> client_state::host_of(rank_t r) {
  const std::lock_guard lock(hosts_lock_);
  std::erase_if(hosts_, [](const auto& one) { return !one->good(); });
  for (const auto& one : hosts_)
    if (one->has(r)) return one;
  return hosts_.emplace_back(std::make_shared<remote_host>(*memory_, r));
}

// One that is silent is waited for once, not for each of its ranks: those behind it are left out with it.
std::vector<std::shared_ptr<remote_host>> client_state::other_hosts(silent_hosts those) {
  std::vector<std::shared_ptr<remote_host>> all;
  for (rank_t r = 0; r < memory_->ranks(); ++r) {
    if (is_here(r) || std::ranges::any_of(all, [&](const auto& one) { return one->has(r); })) continue;
    try {
      all.push_back(host_of(r));
    } catch (const usage_error&) {  // there are no agents
      return all;
    } catch (const rank_lost&) {  // nor is that host
    } catch (const error&) {
      if (those == silent_hosts::refuse) throw;
      return all;
    }
  }
  return all;
}

std::vector<asked_host> client_state::ask_other_hosts(circuit_head::word what, std::string_view name, std::uint64_t patience_ns,
                                                      silent_hosts those) {
  std::vector<asked_host> asked;
  for (const auto& host : other_hosts(those)) try {
      asked.push_back({host, host->ask(what, host->first(), name, {}, patience_ns)});
    } catch (const rank_lost&) {}
  return asked;
}

}  // namespace armilla::detail
