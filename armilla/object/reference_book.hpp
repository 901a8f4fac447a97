// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <unordered_map>

#include "armilla/object/reference.hpp"

namespace armilla::detail {

/// A rank's references that others know by a ticket.
class reference_book {
 public:
  reference_book() = default;
  reference_book(const reference_book&) = delete;
  ~reference_book();

  /// Tickets begin behind all those of the ranks that had this place before.
  void begin(std::uint32_t life) noexcept { next_ = 1 + (std::uint64_t{life} << 40); }
  std::uint64_t ticket(reference& r);
  reference* find(std::uint64_t ticket) const noexcept;
  void forget(reference& r) noexcept { by_ticket_.erase(r.ticket); }

 private:
  std::uint64_t next_ = 1;
  std::unordered_map<std::uint64_t, reference*> by_ticket_;
};

}  // namespace armilla::detail
