// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/visitors/client_mailbox.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "armilla/boot/host/descriptor.hpp"
#include "armilla/boot/visitors/job_search.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;

std::string path_of(pid_t process, int file) { return fmt::format("/proc/{}/fd/{}", process, file); }

bool cannot_shrink(int file) noexcept {
  const int seals = fcntl(file, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
}

// Bytes that it says it has, and memory for them: what an attached client has written has no holes.
bool is_of_this_user(int file, std::size_t bytes, bool filled = false) noexcept {
  struct stat about{};
  return fstat(file, &about) == 0 && about.st_uid == geteuid() && std::uint64_t(about.st_size) >= bytes &&
         (!filled || std::uint64_t(about.st_blocks) * 512 >= bytes);
}

std::uint64_t identity_of(pid_t process, int file) noexcept {
  char path[48];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", int(process), file);
  struct stat about{};
  return stat(path, &about) == 0 ? about.st_ino : 0;
}

[[noreturn]] void throw_no_room(std::uint64_t bytes, pid_t process) {
  throw_limit("client", fmt::format("{} bytes of an attached client's call cannot pass between it, process {}, and the rank: {}",
                                    bytes, process, std::generic_category().message(errno)));
}

// Read and written, not mapped: a file that misbehaves is an error, never a signal.
template <class Transfer>
void transfer_all(std::uint64_t bytes, pid_t process, Transfer&& transfer) {
  for (std::uint64_t at = 0; at < bytes;) {
    const ssize_t n = transfer(at);
    if (n <= 0) {
      if (n == 0) errno = ENODATA;
      throw_no_room(bytes, process);
    }
    at += std::uint64_t(n);
  }
}

// Tests the mailbox after it has opened the file: while the attached client has its mailbox open, the number is of its own file.
descriptor open_overflow(const client_slot& slot, std::uint64_t bytes, const mapped_mailbox& of, int how) {
  const pid_t process = of.process();
  descriptor file(open(path_of(process, slot.overflow).c_str(), how | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) throw_no_room(bytes, process);
  if (!cannot_shrink(file.get()) || !is_of_this_user(file.get(), 0) || !of.still_open()) {  // no other file is ever touched
    errno = EPERM;
    throw_no_room(bytes, process);
  }
  return descriptor(file.release());
}

}  // namespace

bool is_taken(std::uint64_t place) noexcept {
  const char state = place != 0 ? process_state(client_place::of(place).process) : char(0);
  return state != 0 && state != 'Z';
}

bool has_client(const control_block& rank) noexcept {
  return std::ranges::any_of(rank.clients, [](const auto& place) { return is_taken(place.load(std::memory_order_relaxed)); });
}

int make_client_file() noexcept {
  descriptor file(memfd_create("armilla attached client", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.get() < 0 || fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) return -1;
  return file.release();
}

std::shared_ptr<mapped_mailbox> mapped_mailbox::make() noexcept {
  descriptor file(make_client_file());
  if (file.get() < 0 || ftruncate(file.get(), sizeof(client_mailbox)) != 0) return nullptr;
  void* const at = mmap(nullptr, sizeof(client_mailbox), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (at == MAP_FAILED) return nullptr;
  auto* const box = static_cast<client_mailbox*>(at);  // zeros: each slot is free
  box->magic = client_mailbox::good_magic;
  return std::shared_ptr<mapped_mailbox>(new mapped_mailbox(box, getpid(), file.release(), true));
}

std::shared_ptr<mapped_mailbox> mapped_mailbox::open(client_place where) noexcept {
  const descriptor file(::open(path_of(where.process, where.file).c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0 || !cannot_shrink(file.get()) || !is_of_this_user(file.get(), sizeof(client_mailbox))) return nullptr;
  void* const at = mmap(nullptr, sizeof(client_mailbox), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (at == MAP_FAILED) return nullptr;
  const std::shared_ptr<mapped_mailbox> result(
      new mapped_mailbox(static_cast<client_mailbox*>(at), where.process, where.file, false));
  return (*result)->magic == client_mailbox::good_magic ? result : nullptr;
}

mapped_mailbox::mapped_mailbox(client_mailbox* box, pid_t process, int file, bool mine) noexcept
    : box_(box), process_(process), file_(file), mine_(mine), identity_(identity_of(process, file)) {}

mapped_mailbox::~mapped_mailbox() {
  munmap(box_, sizeof(client_mailbox));
  if (mine_) close(file_);
}

bool mapped_mailbox::still_open() const noexcept { return identity_ != 0 && identity_of(process_, file_) == identity_; }

std::vector<std::byte> read_from_slot(const client_slot& slot, std::uint64_t bytes, const mapped_mailbox& of) {
  const pid_t process = of.process();
  if (bytes > most_bytes) {
    errno = EMSGSIZE;
    throw_no_room(bytes, process);
  }
  if (bytes <= sizeof slot.room) {
    std::vector<std::byte> result(bytes);
    if (bytes != 0) std::memcpy(result.data(), slot.room, bytes);
    return result;
  }
  const descriptor file = open_overflow(slot, bytes, of, O_RDONLY);
  if (!is_of_this_user(file.get(), bytes, true)) {  // before memory is taken for what is not there
    errno = ENODATA;
    throw_no_room(bytes, process);
  }
  std::vector<std::byte> result(bytes);
  transfer_all(bytes, process, [&](std::uint64_t at) { return pread(file.get(), result.data() + at, bytes - at, off_t(at)); });
  return result;
}

void write_into_slot(client_slot& slot, std::span<const std::byte> bytes, const mapped_mailbox& of) {
  if (bytes.size() <= sizeof slot.room) {
    if (!bytes.empty()) std::memcpy(slot.room, bytes.data(), bytes.size());
    return;
  }
  const descriptor file = open_overflow(slot, bytes.size(), of, O_WRONLY);
  transfer_all(bytes.size(), of.process(),
               [&](std::uint64_t at) { return pwrite(file.get(), bytes.data() + at, bytes.size() - at, off_t(at)); });
}

}  // namespace armilla::detail
