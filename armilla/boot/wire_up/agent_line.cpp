// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/agent_line.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "armilla/boot/host/descriptor.hpp"
#include "armilla/boot/host/job_block.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {

bool write_fully(int socket, const void* data, std::size_t bytes) noexcept {
  for (auto* at = static_cast<const char*>(data); bytes > 0;) {
    const auto n = send(socket, at, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= std::size_t(n);
  }
  return true;
}

bool read_fully(int socket, void* data, std::size_t bytes) noexcept {
  for (auto* at = static_cast<char*>(data); bytes > 0;) {
    const auto n = recv(socket, at, bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= std::size_t(n);
  }
  return true;
}

agent_line::agent_line(int socket, rank_t rank, rank_t ranks, std::string host, int memory)
    : socket_(socket), memory_(memory), rank_(rank), ranks_(ranks), host_(std::move(host)), left_(socket, ranks) {}

agent_line::~agent_line() { close(socket_); }

std::unique_ptr<agent_line> agent_line::take() {
  const char* const text = std::getenv(line_variable);
  std::istringstream words(text != nullptr ? text : "");
  int socket = -1, memory = -1;
  rank_t rank = -1, ranks = 0;
  std::string host;
  words >> socket >> rank >> ranks >> host >> memory;
  if (!words || socket < 0 || rank < 0 || rank >= ranks || std::uint32_t(ranks) > job_block::max_ranks ||
      fcntl(socket, F_SETFD, FD_CLOEXEC) != 0 || (memory >= 0 && fcntl(memory, F_SETFD, FD_CLOEXEC) != 0))
    throw_usage("start", std::string(line_variable) + " is damaged; start the program by armilla-run --hosts");
  unsetenv(line_variable);
  return std::unique_ptr<agent_line>(new agent_line(socket, rank, ranks, host, memory));
}

bool agent_line::broken() noexcept {
  error_ = "the agent of armilla-run on this host has ended";
  return false;
}

bool agent_line::exchange(const void* mine, void* all, std::size_t bytes) {
  if (bytes > line_head::most_bytes) return error_ = "an exchange of more than 1 MiB a rank", false;
  if (bytes * std::size_t(ranks_) > ~std::uint32_t{0}) return error_ = "an exchange of 4 GiB or more", false;
  const line_head head{line_head::exchange, std::uint32_t(bytes)};
  if (!write_fully(socket_, &head, sizeof head) || !write_fully(socket_, mine, bytes)) return broken();
  line_head answer{};
  if (!read_fully(socket_, &answer, sizeof answer)) return broken();
  if (answer.what != line_head::exchange || answer.bytes != bytes * std::size_t(ranks_))
    return error_ = "the ranks exchange different things; start all from one version of Armilla", false;
  return read_fully(socket_, all, answer.bytes) || broken();
}

void agent_line::tell_failure(int code, bool primary, const std::string& sentence) noexcept {
  const std::int32_t numbers[] = {code, primary ? 1 : 0};
  const line_head head{line_head::failed, std::uint32_t(sizeof numbers + sentence.size())};
  // In one piece: another thread may say that this rank is over.
  std::string all(reinterpret_cast<const char*>(&head), sizeof head);
  all.append(reinterpret_cast<const char*>(numbers), sizeof numbers).append(sentence);
  write_fully(socket_, all.data(), all.size());
}

void agent_line::tell_over() noexcept {
  const line_head head{line_head::over, 0};
  write_fully(socket_, &head, sizeof head);
}

void agent_line::abort(int code) {
  tell_failure(code, false, "");
  _exit(code);
}

void agent_line::finish() {
  const line_head head{line_head::finished, 0};
  write_fully(socket_, &head, sizeof head);
}

void agent_line::lend(int memory) {
  const line_head head{line_head::memory, 0};
  send_with_descriptor(socket_, &head, sizeof head, memory);
}

}  // namespace armilla::detail
