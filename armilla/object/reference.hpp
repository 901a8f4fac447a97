// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/base/core/context_head.hpp"
#include "armilla/object/slots.hpp"

/// How references keep a processor object alive: weighted reference counting.
///
/// The owner remembers how much weight it has given out; each rank's copies of a reference share a `reference`, which holds
/// some of it. A reference that is sent takes a part of its sender's weight along, so no message goes to the owner; the last
/// copy of a rank sends its weight home, behind all its calls. The object dies when all weight is home. No message can come
/// too late: weight is never made but by the owner, and is always with exactly one rank or message.
///
/// A share is 1/1024 of what the sender has, so weight lasts for tens of thousands of sendings and six ranks in a row. A rank
/// that runs low asks the owner for more. One that has none to share meanwhile *lends*: its own reference stays until the
/// receiver has got weight from the owner and gives the loan back.
namespace armilla::detail {

struct reference {
  object_name name;
  rank_t rank;
  std::uint32_t copies = 0;  ///< of `remote` on this rank
  std::uint32_t loans = 0;   ///< sent without weight and not yet given back
  bool asked = false;        ///< the owner was asked for weight
  bool dead = false;         ///< the owner has told that the object is gone
  bool fresh = false;        ///< just made by its owner: no call has been made with it
  rank_t lender = -1;        ///< the rank to which this one is owed
  std::uint64_t weight = 0;
  std::uint64_t ticket = 0;  ///< its name in messages; 0: none yet
  std::uint64_t loan = 0;    ///< the lender's ticket
};

/// A reference in a message.
struct wire_reference {
  object_name name;
  rank_t rank = -1;         ///< -1: a null reference
  rank_t lender = -1;       ///< >= 0: the reference is a loan, `value` the lender's ticket
  std::uint64_t value = 0;  ///< else its weight; 0: the object is gone
};

inline constexpr std::uint64_t full_weight = std::uint64_t{1} << 40;
inline constexpr std::uint64_t low_weight = 1024;  // below: a share is the least there is, 1

/// The first reference to an object of this rank; it holds the full weight and counts as one copy.
reference* first_reference(context& self, object_slot& slot);

/// Before a reference is written: asks the owner for weight when little is left. Sends, so not while a message is open.
void prepare_to_send(reference* r);
/// Its part for each of `receivers`. Sends nothing.
wire_reference split(reference* r, std::uint32_t receivers);
/// What came in a message: a reference with one copy, or null. Throws decode_error when it names no rank.
reference* adopt(const wire_reference& wire);

/// The last copy on this rank is gone.
void drop_last(reference* r) noexcept;

/// One-way call to the owner: destroys the object, however many references there are.
void send_destroy(const reference& r);

}  // namespace armilla::detail
