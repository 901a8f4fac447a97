// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/join_request.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "armilla/boot/host/local_socket.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr std::size_t most_callers = 64;
constexpr std::uint64_t most_request_bytes = 16 << 20;  // of arguments and variables; the kernel takes less
constexpr std::size_t most_text = 8000;

struct request_head {
  static constexpr std::uint64_t good_magic = 0x316e696f6a6d7261;  // "armjoin1"
  std::uint64_t magic = good_magic;
  std::uint32_t ranks = 0, arguments = 0, variables = 0, unused = 0;
};

// Processes of two pid namespaces may have one number; their jobs' memory differs.
std::string socket_name(pid_t supervisor, std::uint64_t memory) { return fmt::format("armilla-join-{}-{}", supervisor, memory); }

std::uint64_t identity_of_memory(int memory) noexcept {
  struct stat about{};
  return fstat(memory, &about) == 0 ? about.st_ino : 0;
}

void put_string(std::string& all, std::string_view one) {
  all += one;
  all += '\0';
}

std::vector<std::string> strings_in(int file) {
  struct stat about{};
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || std::uint64_t(about.st_size) > most_request_bytes) return {};
  std::string all(std::size_t(about.st_size), '\0');
  if (pread(file, all.data(), all.size(), 0) != ssize_t(all.size())) return {};
  std::vector<std::string> strings;
  for (std::size_t at = 0, end; (end = all.find('\0', at)) != std::string::npos; at = end + 1)
    strings.push_back(all.substr(at, end - at));
  return strings;
}

std::optional<program_spec> read_program(const request_head& head, int file) {
  std::vector<std::string> all = strings_in(file);
  constexpr std::uint64_t in_front = 2;
  const bool sound = head.magic == request_head::good_magic && head.ranks >= 1 &&
                     head.ranks <= std::uint32_t(most_lasting_ranks) && head.arguments >= 1 &&
                     all.size() == in_front + head.arguments + std::uint64_t(head.variables);
  if (!sound) return {};
  program_spec program;
  program.ranks = rank_t(head.ranks);
  program.path = std::move(all[0]);
  program.folder = std::move(all[1]);
  const auto arguments = std::make_move_iterator(all.begin() + in_front);
  program.arguments.assign(arguments, arguments + head.arguments);
  program.environment.assign(arguments + head.arguments, std::make_move_iterator(all.end()));
  return program;
}

int write_strings(const program_spec& program) {
  std::string all;
  put_string(all, program.path);
  put_string(all, program.folder);
  for (const std::string& one : program.arguments) put_string(all, one);
  for (const std::string& one : program.environment) put_string(all, one);
  descriptor file(memfd_create("armilla-join", MFD_CLOEXEC));
  if (file.get() < 0 || pwrite(file.get(), all.data(), all.size(), 0) != ssize_t(all.size()))
    throw_limit("join", fmt::format("no memory for the request: {}", std::strerror(errno)));
  return file.release();
}

}  // namespace

void answer(const join_request& request, const join_answer& what) noexcept try {
  const std::string text = (what.good ? '+' : '-') + what.text.substr(0, most_text);
  (void)send(request.caller.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
} catch (...) {}  // no memory: the asker sees that the connection ends

void join_listener::listen(int memory) noexcept {
  socket_.reset(listen_locally(socket_name(getpid(), identity_of_memory(memory)), int(most_callers)));
}

void join_listener::watch(std::vector<pollfd>& list) const {
  if (socket_.get() >= 0 && callers_.size() < most_callers) list.push_back({socket_.get(), POLLIN, 0});
  for (const auto& caller : callers_) list.push_back({caller->get(), POLLIN, 0});
}

std::vector<std::unique_ptr<join_request>> join_listener::take() {
  std::vector<std::unique_ptr<join_request>> found;
  if (socket_.get() < 0) return found;
  for (int one; callers_.size() < most_callers && (one = accept_locally(socket_.get())) >= 0;) {
    callers_.push_back(std::make_unique<descriptor>(one));
    if (!is_of_same_user(one)) callers_.pop_back();
  }
  std::erase_if(callers_, [&](std::unique_ptr<descriptor>& caller) {
    request_head head;
    int file = -1;
    const ssize_t n = receive_with_descriptor(caller->get(), &head, sizeof head, MSG_DONTWAIT, file);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    const descriptor strings(file);
    if (auto program = n == ssize_t(sizeof head) ? read_program(head, file) : std::nullopt) {
      found.push_back(std::make_unique<join_request>(std::move(*program)));
      found.back()->caller.reset(caller->release());
    }
    return true;
  });
  return found;
}

join_answer ask_to_join(pid_t supervisor, std::uint64_t memory, const program_spec& program, int patience_ms, void (*late)()) {
  const descriptor connection(connect_locally(socket_name(supervisor, memory)));
  if (connection.get() < 0) return {};
  const descriptor strings(write_strings(program));
  const request_head head{.ranks = std::uint32_t(program.ranks),
                          .arguments = std::uint32_t(program.arguments.size()),
                          .variables = std::uint32_t(program.environment.size())};
  std::string text(most_text + 1, '\0');
  ssize_t n = -1;
  if (send_with_descriptor(connection.get(), &head, sizeof head, strings.get())) {
    if (!readable_within(connection.get(), patience_ms)) late();
    while ((n = recv(connection.get(), text.data(), text.size(), 0)) < 0 && errno == EINTR) {}
  }
  if (n <= 0) return {};
  return {text[0] == '+', text.substr(1, std::size_t(n) - 1)};
}

}  // namespace armilla::detail
