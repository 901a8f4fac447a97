// SPDX-License-Identifier: Apache-2.0
#include "armilla/client/remote_look.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "armilla/boot/host/descriptor.hpp"
#include "armilla/boot/host/local_socket.hpp"
#include "armilla/error.hpp"
#include "armilla/stats/counter_table.hpp"
#include "armilla/wire/decode.hpp"
#include "armilla/wire/encode.hpp"

namespace armilla::detail {
namespace {

constexpr int connect_within_ms = 100;
constexpr int answer_within_ms = 800;  // the agents have 500, and the next two-way call to them may have to wait for its turn
constexpr std::size_t most_bytes = 16 << 20;

/// A look as it travels. Counters go by their order in the table, which all of one version share.
struct travelling_look {
  std::int32_t rank, process;
  std::string program, host, doing, waits_for, algorithm;
  double seconds, cpu;
  std::uint64_t memory, segment;
  std::vector<std::uint64_t> counters;
};

travelling_look packed(const rank_look& r) {
  travelling_look one{r.rank,      r.process, r.program, r.host,   r.doing,   r.waits_for,
                      r.algorithm, r.seconds, r.cpu,     r.memory, r.segment, {}};
  for (const counter_row& row : counter_table()) one.counters.push_back(r.counts.*row.member);
  return one;
}

rank_look unpacked(travelling_look one) {
  rank_look r;
  r.rank = one.rank;
  r.process = one.process;
  r.program = std::move(one.program);
  r.host = std::move(one.host);
  r.here = false;
  r.doing = std::move(one.doing);
  r.waits_for = std::move(one.waits_for);
  r.algorithm = std::move(one.algorithm);
  r.seconds = one.seconds;
  r.cpu = one.cpu;
  r.memory = one.memory;
  r.segment = one.segment;
  const auto table = counter_table();
  for (std::size_t i = 0; i < std::min(table.size(), one.counters.size()); ++i) r.counts.*table[i].member = one.counters[i];
  return r;
}

// Empty, if it cannot be read.
std::string bytes_of(const descriptor& file) {
  struct stat about{};
  if (file.get() < 0 || fstat(file.get(), &about) != 0 || about.st_size <= 0 || std::size_t(about.st_size) > most_bytes)
    return {};
  std::string bytes(std::size_t(about.st_size), 0);
  const ssize_t n = pread(file.get(), bytes.data(), bytes.size(), 0);
  bytes.resize(n > 0 ? std::size_t(n) : 0);
  return bytes;
}

}  // namespace

std::string look_socket_name(std::uint64_t identity) { return fmt::format("armilla-look-{}", identity); }

std::string looks_as_bytes(std::span<const rank_look> looks) {
  std::vector<travelling_look> all;
  for (const rank_look& one : looks) all.push_back(packed(one));
  const std::uint64_t size = encoded_size(all);
  std::vector<std::uint64_t> words(1 + size / 8);
  words[0] = size;
  encode(reinterpret_cast<std::byte*>(words.data() + 1), all);
  return {reinterpret_cast<const char*>(words.data()), words.size() * 8};
}

std::vector<rank_look> looks_in(std::string_view bytes) {
  std::vector<rank_look> result;
  std::vector<std::uint64_t> words(bytes.size() / 8);
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * 8);
  try {
    for (std::size_t at = 0; at < words.size();) {
      const std::uint64_t size = words[at++];
      if (size % 8 != 0 || size / 8 > words.size() - at) break;
      decoder in(reinterpret_cast<const std::byte*>(words.data() + at), size);
      for (travelling_look& one : in.get<std::vector<travelling_look>>()) result.push_back(unpacked(std::move(one)));
      at += size / 8;
    }
  } catch (const decode_error&) {}  // what came before is good
  return result;
}

std::vector<rank_look> ask_agents(const job_memory& memory) {
  const descriptor agent(connect_locally(look_socket_name(memory.identity()), connect_within_ms));
  if (agent.get() < 0 || !readable_within(agent.get(), answer_within_ms)) return {};
  char byte = 0;
  int file = -1;
  receive_with_descriptor(agent.get(), &byte, sizeof byte, MSG_DONTWAIT, file);
  return looks_in(bytes_of(descriptor(file)));
}

}  // namespace armilla::detail
