// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

/// A socket of this process at which others can call: it listens, or takes datagrams at a port.
struct listener {
  enum class reach {
    user,      ///< a local socket: the processes of this host, as its file's or name's owner allows
    host,      ///< on the loopback, or for datagrams at a local name that is no file: all users of this host
    near,      ///< on a private address
    everybody  ///< on a public address, or on all and one of them is public
  };
  int descriptor = -1;
  reach from = reach::host;
  std::string protocol;  ///< "tcp", "udp", "unix"
  std::string place;     ///< "10.0.0.7:4711"; of a local socket its name

  bool operator==(const listener&) const = default;
};

/// Those that are open now, of the library and of everything else in this process; none where there is no /proc.
std::vector<listener> own_listeners();

/// Which processes reach it, in words: "all users of this host".
const char* text_of(listener::reach from) noexcept;

}  // namespace armilla::detail
