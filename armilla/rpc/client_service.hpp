// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "armilla/am/endpoint/method_sample.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/visitors/client_mailbox.hpp"

namespace armilla::detail {

/// How much of a rank's time attached clients may take: half of it in the long run, a millisecond at once. One that calls and
/// waits, over and over, takes two fifths. Of a long body only the first 100 us count: that time is what the attached client asks
/// for, while many short calls would keep the rank from its own messages.
class client_budget {
 public:
  bool allows(std::uint64_t now_ns) noexcept;
  bool spent() const noexcept { return left_ns_ <= 0; }
  void spend(std::uint64_t ns) noexcept;

 private:
  static constexpr std::int64_t most_ns = 1'000'000, most_of_a_call_ns = 100'000;
  std::int64_t left_ns_ = most_ns;
  std::uint64_t last_ns_ = 0;
};

/// What attached clients of the job ask of this rank. Each call runs in a fiber of its own: it may wait, and what it throws goes
/// back. Nothing here is on the way of a message.
class client_service {
 public:
  explicit client_service(context& self);
  ~client_service();
  client_service(const client_service&) = delete;

  /// From now on calls are taken in, and so is what other threads post; or both are left where they are.
  void take_calls(bool on) noexcept;
  /// Calls that have begun and not ended; each is a fiber.
  std::uint64_t running() const noexcept { return running_; }

 private:
  struct call;
  struct connection {
    std::uint64_t word = 0;  // of the place
    std::shared_ptr<mapped_mailbox> box;
    int last = 0;  // slot that was taken: an attached client that calls and waits uses one
  };

  bool serve();
  bool serve_clients();
  void prefetch() const noexcept;
  void serve_place(std::size_t place);
  void connect(std::size_t place, std::uint64_t word);
  void put_off(std::size_t place, std::uint32_t slots) noexcept;
  void take(const std::shared_ptr<mapped_mailbox>& box, client_slot& slot);
  void run(const call& which) noexcept;
  std::string sample();
  std::vector<std::byte> reply_to(const call& which);

  context& self_;
  control_block& mine_;
  client_budget budget_;
  std::uint64_t running_ = 0;
  connection clients_[control_block::client_places];
  std::unique_ptr<method_sample> sample_;  // null until an attached client asks
};

}  // namespace armilla::detail
