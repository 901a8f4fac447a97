// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/peer_info.hpp"

#include <sched.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include <fmt/format.h>

#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/build_id.hpp"
#include "armilla/boot/host/host_memory.hpp"
#include "armilla/boot/host/pin.hpp"
#include "armilla/boot/host/program_spec.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t first_hash = 0xcbf29ce484222325u;

std::uint64_t mix(std::uint64_t hash, std::string_view bytes) noexcept {  // FNV-1a
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::uint64_t random_number() {
  std::uint64_t n = 0;
  if (getrandom(&n, sizeof n, 0) != ssize_t(sizeof n)) throw_limit("start", "the system has no random numbers");
  return n;
}

std::string boot_of_this_machine() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return boot;
}

// A hint only, that saves fruitless tries: memory is passed by a socket of one network namespace, and processes are named by the
// numbers of one process namespace. What cannot be read makes a place of its own.
std::uint64_t place_of_this_process(const std::string& boot) {
  std::uint64_t hash = mix(first_hash, boot);
  for (const char* space : {"/proc/self/ns/net", "/proc/self/ns/pid"}) {
    struct stat about{};
    if (boot.empty() || stat(space, &about) != 0) return random_number();
    hash = mix(hash, fmt::format("{}:{}", about.st_dev, about.st_ino));
  }
  return hash;
}

void mark_processors(std::uint64_t (&bits)[16]) noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) bits[cpu / 64 % 16] |= std::uint64_t{1} << cpu % 64;
}

template <std::size_t N>
void copy(char (&to)[N], const std::string& from) {
  std::snprintf(to, N, "%s", from.c_str());
}

}  // namespace

peer_info own_peer_info(const options& settings) {
  peer_info mine{};
  const program_spec self = this_program(0, nullptr);
  const std::string shared = settings.shared();
  mine.build = build_id();
  const std::string boot = boot_of_this_machine();
  mine.place = place_of_this_process(boot);
  mine.machine = boot.empty() ? 0 : std::uint32_t(mix(first_hash, boot)) | 1;
  mine.options_hash = mix(first_hash, shared);
  mine.options_bytes = std::uint32_t(shared.size());
  mine.user = geteuid();
  mine.pid = getpid();
  mark_processors(mine.processors);
  for (unsigned char& byte : mine.key) byte = static_cast<unsigned char>(random_number());
  copy(mine.server, fmt::format("armilla-{:016x}", random_number()));
  char host[sizeof mine.host] = {};
  if (gethostname(host, sizeof host - 1) == 0) copy(mine.host, host);
  copy(mine.file, self.path);
  copy(mine.name, self.arguments[0]);
  return mine;
}

std::size_t ranks_beside(const std::vector<peer_info>& all, rank_t me) noexcept {
  const peer_info& mine = all[std::size_t(me)];
  std::size_t beside = 1;
  for (const peer_info& other : all) {
    bool common = false;
    for (std::size_t i = 0; i < std::size(mine.processors); ++i) common |= (other.processors[i] & mine.processors[i]) != 0;
    beside += &other != &mine && mine.machine != 0 && other.machine == mine.machine && common;
  }
  return beside;
}

rank_t most_on_a_host(const std::vector<peer_info>& all) {
  std::map<std::uint64_t, rank_t> ranks;  // by place
  for (const peer_info& one : all) ++ranks[one.place];
  rank_t most = 0;
  for (const auto& [place, n] : ranks) most = std::max(most, n);
  return most;
}

void place_ranks(job_block& job, const std::vector<peer_info>& all, const std::vector<rank_t>& here, pin_kind pin) {
  const peer_info& first = all[std::size_t(here[0])];
  std::uint64_t together[std::size(peer_info{}.processors)] = {};
  bool bound = here.size() == 1;  // a rank by itself needs no place
  for (const rank_t r : here) {
    const auto& its = all[std::size_t(r)].processors;
    bound |= std::memcmp(its, first.processors, sizeof its) != 0;
    for (std::size_t i = 0; i < std::size(together); ++i) together[i] |= its[i];
  }
  std::uint32_t processors = 0;
  for (const std::uint64_t bits : together) processors += std::uint32_t(std::popcount(bits));
  const machine machine = look_at_machine(!bound && pin != pin_kind::none);
  job.cores = bound ? processors : std::uint32_t(machine.cores.size());
  job.processors = bound ? std::max(1u, processors) : machine.processors;
  chosen_places chosen = choose_places(machine, std::vector(here.size(), cores_wanted()), bound ? pin_kind::none : pin);
  for (std::size_t i = 0; i < here.size(); ++i) note_place(chosen.where[i], job.rank[here[i]].cpu);
  chosen.claims.keep_to_the_end();  // as long as this rank, which is the first of the host
}

bool same_program(const peer_info& a, const peer_info& b) {
  const auto base = [](const char* file) { return std::string_view(file).substr(std::string_view(file).rfind('/') + 1); };
  return std::string_view(a.file) == b.file || (a.build == b.build && base(a.file) == base(b.file));
}

}  // namespace armilla::detail
