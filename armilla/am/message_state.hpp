// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "armilla/am/arrival_order.hpp"
#include "armilla/am/endpoint.hpp"

namespace armilla::detail {

// What the message layer keeps for a rank; the endpoint comes last, for it uses the others.
struct message_state {
  message_state(context& self, const launch& how) : host(map(self, how)), messages((self.host = &host, self), host) {}

  static host_map map(const context& self, const launch& how);

  host_map host;
  std::unique_ptr<arrival_order> order;
  endpoint messages;
};

}  // namespace armilla::detail
