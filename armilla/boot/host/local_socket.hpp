// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

/// Sockets between processes of one user on one host. Their names are abstract: no file, gone with the socket. Messages keep
/// their borders.
namespace armilla::detail {

/// A socket that others connect to, which does not block; -1 with `errno`. Where a process of another user has taken the name, a
/// further one is used that `connect_locally` finds.
int listen_locally(std::string_view name, int most_waiting) noexcept;
/// Connects to it; -1 if there is none of this user, or if it takes no connection within that time (0: within some seconds).
int connect_locally(std::string_view name, int within_ms = 0) noexcept;
/// The next that has connected, also one of another user; -1: none.
int accept_locally(int listener) noexcept;
bool is_of_same_user(int connection) noexcept;
/// The other end is closed, or the connection is broken.
bool has_hung_up(int connection) noexcept;
bool readable_within(int file, int ms) noexcept;

}  // namespace armilla::detail
