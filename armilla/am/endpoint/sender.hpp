// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/values/types.hpp"

namespace armilla {
namespace detail {
class sending;
struct message_access;
}  // namespace detail

/// The rank whose message is being handled.
class sender {
 public:
  rank_t rank() const noexcept { return rank_; }

 private:
  friend struct detail::message_access;
  sender(detail::sending& out, rank_t rank, bool alone) noexcept : out_(&out), rank_(rank), alone_(alone) {}
  detail::sending* out_;
  rank_t rank_;
  bool alone_;  // the message came without others: a reply need not wait for theirs
};

namespace detail {

struct message_access {
  static sender make(sending& out, rank_t rank, bool alone) noexcept { return {out, rank, alone}; }
  static bool alone(const sender& s) noexcept { return s.alone_; }
  static sending& out(const sender& s) noexcept { return *s.out_; }
};

}  // namespace detail
}  // namespace armilla
