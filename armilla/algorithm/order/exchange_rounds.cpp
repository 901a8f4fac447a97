// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/order/exchange_rounds.hpp"

#include "armilla/per_rank.hpp"

namespace armilla {
namespace {

per_rank<std::size_t> exchange_limit_of_rank;  // 0: the usual one

}  // namespace

void set_exchange_limit(std::size_t bytes) { exchange_limit_of_rank.local() = bytes; }

std::size_t detail::exchange_limit() {
  const std::size_t bytes = exchange_limit_of_rank.local();
  return bytes == 0 ? std::size_t(256) << 20 : bytes;
}

}  // namespace armilla
