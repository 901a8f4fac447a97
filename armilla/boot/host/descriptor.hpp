// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstddef>

#include "armilla/base/host/descriptor.hpp"

namespace armilla::detail {

/// Sends the bytes, at least one, and with them an open file, to another process of this machine. False: not all could be sent.
bool send_with_descriptor(int connection, const void* data, std::size_t bytes, int file) noexcept;
/// As recv(connection, data, bytes, flags). `file`: what came with the bytes, closed on exec; -1: nothing did.
ssize_t receive_with_descriptor(int connection, void* data, std::size_t bytes, int flags, int& file) noexcept;

}  // namespace armilla::detail
