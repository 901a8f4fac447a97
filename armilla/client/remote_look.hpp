// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/attach.hpp"
#include "armilla/boot/visitors/job_search.hpp"

/// How attached clients see ranks of other hosts, where the job was started by armilla-run --hosts: an attached client connects
/// to a socket of the agent of its host, says nothing, and is given a file: what the ranks of all hosts show. Docs:
/// docs/spec/wire.md, Attached clients.
namespace armilla::detail {

/// The name of that socket, for attached clients of a job's memory: see `job_memory::identity`.
std::string look_socket_name(std::uint64_t identity);

/// Looks as bytes, which can be joined to those of other hosts. A multiple of 8.
std::string looks_as_bytes(std::span<const rank_look> looks);
/// The looks of such bytes, up to what is none. No rank in them is `here`.
std::vector<rank_look> looks_in(std::string_view bytes);

/// What the ranks of all hosts show, as far as their agents say it within 0.5 s. Empty: there is no agent.
std::vector<rank_look> ask_agents(const job_memory& memory);

}  // namespace armilla::detail
