// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "armilla/base/values/types.hpp"
#include "armilla/boot/host/job_block.hpp"

namespace armilla::detail {

struct options;
enum class pin_kind;

/// What every rank must be able to read of every other, whatever their versions.
struct greeting {
  std::uint64_t magic = job_block::good_magic;
  std::uint32_t version = job_block::good_version;
  std::uint32_t wrong_options = 0;  ///< its ARMILLA_* are not allowed
};

/// What a rank that a launcher started tells all the others of itself: exchanged through the bootstrap, as it is.
struct peer_info {
  static constexpr std::size_t key_bytes = 16;
  static constexpr std::size_t name_bytes = 256;
  static constexpr std::size_t most_options = 16 * 1024;

  std::uint64_t build;
  std::uint64_t place;         ///< of the boot and the namespaces of this process: ranks with the same one may share memory
  std::uint64_t options_hash;  ///< of the options that all must share
  std::uint32_t options_bytes;
  std::uint32_t user;
  std::int32_t pid;
  std::uint32_t machine;         ///< of the boot alone: containers of one machine have the same; 0: not known
  std::uint64_t processors[16];  ///< a bit for each that it may use
  unsigned char key[key_bytes];  ///< a process that knows it may have the host's memory
  char server[40];               ///< abstract name of the socket of the descriptor_server
  char host[64];                 ///< for people
  char file[name_bytes];         ///< of the executable
  char name[name_bytes];         ///< as it was called
};

/// This process's own. Its descriptor_server does not run yet.
peer_info own_peer_info(const options& settings);

/// Of the host with most ranks, how many these are.
rank_t most_on_a_host(const std::vector<peer_info>& all);

/// How many ranks, `me` included, may run on one of the processors that `me` may run on. Those of other hosts are among them
/// where these are containers of one machine.
std::size_t ranks_beside(const std::vector<peer_info>& all, rank_t me) noexcept;

/// Where the ranks `here` of this host run; `all` is by rank. What the launcher has bound stays as it is; ranks that
/// may run anywhere are placed as the supervisor would.
void place_ranks(job_block& job, const std::vector<peer_info>& all, const std::vector<rank_t>& here, pin_kind pin);

/// Whether they run one program, by their files.
bool same_program(const peer_info& a, const peer_info& b);

}  // namespace armilla::detail
