// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <utility>

#include "armilla/fabric/network.hpp"

namespace armilla::detail {

inline constexpr int taken_a_look = 64;  ///< frames that a decorator takes from its network in one look

/// A network that passes everything on to another one: what decorators derive from.
///
/// It has no descriptor: a decorator may hold what that one would tell of, and a rank that sleeps looks now and then.
class forwarding_network : public network {
 public:
  explicit forwarding_network(std::unique_ptr<network> net) : net_(std::move(net)) {}

  const char* name() const noexcept override { return net_->name(); }
  const char* version() const noexcept override { return net_->version(); }
  std::size_t address_bytes() const noexcept override { return net_->address_bytes(); }
  const std::byte* address() const noexcept override { return net_->address(); }
  void set_addresses(const std::byte* all) override { net_->set_addresses(all); }
  std::size_t most() const noexcept override { return net_->most(); }
  std::byte* acquire(rank_t to, std::size_t bytes) override { return net_->acquire(to, bytes); }
  void submit(rank_t to, std::size_t bytes) override { net_->submit(to, bytes); }
  arrival poll() override { return net_->poll(); }
  void release(std::uintptr_t token) override { net_->release(token); }
  std::size_t held_at_most() const noexcept override { return net_->held_at_most(); }
  std::uintptr_t send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) override {
    return net_->send_bulk(to, id, data, bytes);
  }
  std::uintptr_t receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) override {
    return net_->receive_bulk(from, id, data, bytes);
  }
  bool done(std::uintptr_t transfer) override { return net_->done(transfer); }
  bool any_thread() const noexcept override { return net_->any_thread(); }
  const char* how_any_thread() const noexcept override { return net_->how_any_thread(); }
  loss lost() override { return net_->lost(); }
  void give_up(rank_t r) override { net_->give_up(r); }
  void finish() override { net_->finish(); }

 protected:
  network& net() noexcept { return *net_; }

 private:
  std::unique_ptr<network> net_;
};

}  // namespace armilla::detail
