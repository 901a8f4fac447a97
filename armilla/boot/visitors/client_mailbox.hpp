// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "armilla/base/values/types.hpp"
#include "armilla/boot/host/control_block.hpp"

/// How attached clients call a rank. An attached client makes a mailbox, memory of its own, for each rank that it calls, and
/// writes into one of the rank's `client_places` where it is. It writes a call into a slot and sets the slot's bit, then the bit
/// of its place in the rank's control pages, then wakes the rank. The rank opens the attached client's memory, so when the
/// client has ended, nothing of it is left but what the rank has mapped.
///
/// Neither side believes the other: the rank copies what it reads before it looks at it, and the memory can never shrink under
/// it.
namespace armilla::detail {

/// What an attached client writes into a place: its process, which of its open files is the mailbox, and a number that tells two
/// mailboxes apart.
struct client_place {
  static constexpr std::uint32_t most_file = (1u << 20) - 1;

  pid_t process = 0;
  int file = 0;
  std::uint32_t nonce = 0;

  std::uint64_t word() const noexcept {
    return std::uint64_t(nonce & most_file) << 42 | std::uint64_t(std::uint32_t(file) & most_file) << 22 |
           std::uint64_t(std::uint32_t(process) & 0x3fffff);
  }
  static client_place of(std::uint64_t word) noexcept {
    return {pid_t(word & 0x3fffff), int(word >> 22 & most_file), std::uint32_t(word >> 42)};
  }
};

enum class client_request : std::uint32_t {
  call,     ///< of a method: name, signature, and the message as from a rank, with 8 bytes for the index in front
  methods,  ///< which methods there are; the reply: lines of name, tab, signature, tab, hash in decimals
  sample,   ///< what has come in since the last such request, by method; the reply: as of method_sample::restart
  traffic,  ///< bytes sent to each rank since this one began, where there are any; the reply: lines of rank, tab, bytes
  objects,  ///< containers on this rank; the reply: lines of name, type, where it was made, elements, bytes, with tabs between
};

/// One call of an attached client, written by the attached client up to `asked`, by the rank from there on, by the attached
/// client again from the reply on.
struct client_slot {
  enum state_t : std::uint32_t { free, asked, running, answered, failed };
  static constexpr std::size_t bytes = 4096, head = 64;

  alignas(cache_line) std::atomic<std::uint32_t> state;
  std::atomic<std::uint32_t> sleeps;  ///< the attached client sleeps at `state`
  client_request request;
  std::int32_t overflow;  ///< an open file of the attached client's process, for a message or reply that has no room here
  std::uint32_t name_bytes, signature_bytes;
  std::uint64_t hash;           ///< of the signature
  std::uint64_t message_bytes;  ///< name, signature and message, each from a multiple of 8
  std::uint64_t reply_bytes;    ///< of a failed call: type and text, between them a zero
  alignas(cache_line) char room[bytes - head];
};
static_assert(sizeof(client_slot) == client_slot::bytes);

struct client_mailbox {
  static constexpr std::uint64_t good_magic = 0x3174736575676d61;  // "amguest1"
  static constexpr int slots = 16;

  std::uint64_t magic;
  alignas(cache_line) std::atomic<std::uint32_t> asked;  ///< a bit for each slot
  alignas(client_slot::bytes) client_slot slot[slots];
};

/// The memory of a mailbox, mapped. Either side.
class mapped_mailbox {
 public:
  /// One of this process; null with `errno` if there is no memory for it.
  static std::shared_ptr<mapped_mailbox> make() noexcept;
  /// That of an attached client; null unless it is one, of this user, and cannot shrink.
  static std::shared_ptr<mapped_mailbox> open(client_place where) noexcept;
  mapped_mailbox(const mapped_mailbox&) = delete;
  ~mapped_mailbox();

  client_mailbox& operator*() const noexcept { return *box_; }
  client_mailbox* operator->() const noexcept { return box_; }
  /// The attached client's process and its open file.
  pid_t process() const noexcept { return process_; }
  int file() const noexcept { return file_; }
  /// Whether the attached client still has it open: files that its slots name are its own as long as that is so.
  bool still_open() const noexcept;

 private:
  mapped_mailbox(client_mailbox* box, pid_t process, int file, bool mine) noexcept;

  client_mailbox* box_;
  pid_t process_;
  int file_;
  bool mine_;  // this process is the attached client, and closes the file
  std::uint64_t identity_;
};

/// The bytes of a message or a reply, in the slot or in the file beside it.
/// Throws limit_error if they cannot be had, for lack of memory or because the attached client is gone.
std::vector<std::byte> read_from_slot(const client_slot& slot, std::uint64_t bytes, const mapped_mailbox& of);
void write_into_slot(client_slot& slot, std::span<const std::byte> bytes, const mapped_mailbox& of);

/// Whether the process of the attached client that has the place runs; false for a free one.
bool is_taken(std::uint64_t place) noexcept;
/// Whether an attached client that lives has a place at the rank: it may end any wait.
bool has_client(const control_block& rank) noexcept;

/// An empty file in memory that cannot shrink; -1 with `errno`.
int make_client_file() noexcept;

}  // namespace armilla::detail
