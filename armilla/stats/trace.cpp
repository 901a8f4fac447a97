// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats/trace.hpp"

#include <bit>

namespace armilla::detail {

trace::trace(const std::string& file, std::uint64_t events, rank_t rank, rank_t ranks)
    : part_(file, std::bit_floor(events), rank, ranks), events_(part_.events()), mask_(part_.head().capacity - 1) {
  part_.add_name("?");
}

void trace::name_methods(std::uint32_t methods, const std::string& (*name)(std::uint32_t), rank_t ranks) {
  sent_.assign(std::size_t(ranks), 0);
  taken_.assign(std::size_t(ranks), 0);
  is_reply_.assign(methods, 0);
  first_method_ = part_.head().names;
  for (std::uint32_t i = 0; i < methods; ++i) {
    const std::string& text = name(i);
    part_.add_name(text);
    is_reply_[i] = text.starts_with("reply");
  }
}

void trace::restart() noexcept {
  next_ = part_.head().written = 0;
  part_.head().first_ticks = ticks();
  part_.head().first_ns = wall_ns();
}

void trace::finish() noexcept {
  part_.head().last_ticks = ticks();
  part_.head().last_ns = wall_ns();
}

}  // namespace armilla::detail
