// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "armilla/am/endpoint/arrival_order.hpp"
#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/boot/host/launch.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fabric/shared_network.hpp"

namespace armilla::detail {

// What the message layer keeps for a rank. The endpoint stands last: it uses the others.
struct message_state {
  message_state(context& self, const launch& how)
      : left(how.left),
        host(map(self, how)),
        shared(share(self, host)),
        messages((self.host = &host, self.message_layer = this, self), host) {}

  static host_map map(const context& self, const launch& how);
  static std::unique_ptr<shared_network> share(const context& self, host_map& host);

  gatherings* left;  ///< as launch::left
  host_map host;
  std::unique_ptr<shared_network> shared;  ///< null unless a progress thread uses the network, too
  std::unique_ptr<arrival_order> order;
  endpoint messages;
};

}  // namespace armilla::detail
