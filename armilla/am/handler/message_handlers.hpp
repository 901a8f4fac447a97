// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/am/handler/handler.hpp"

/// Well-known handlers of layer am.
namespace armilla::detail {

inline constexpr handler_id remote_bulk_handler = well_known(handler_range::am, 0);  ///< names a block that a network carries
inline constexpr handler_id bulk_handler =
    well_known(handler_range::am, 1);  ///< a message lies in a block of its sender's segment
inline constexpr handler_id zero_copy_handler =
    well_known(handler_range::am, 3);  ///< a message of which a network carries a part
inline constexpr handler_id hold_handler =
    well_known(handler_range::am, 4);  ///< over a network: the sender stops reading from here, or reads on
inline constexpr handler_id relay_handler = well_known(handler_range::am, 5);  ///< messages that go by way of other ranks
inline constexpr handler_id order_handler =
    well_known(handler_range::am, 6);  ///< what follows waits for messages that go by way of other ranks
inline constexpr handler_id begun_handler = well_known(handler_range::am, 7);  ///< how much of these has begun

inline constexpr handler_id watch_handler = well_known(handler_range::session, 1);  ///< of those that watch the job

}  // namespace armilla::detail
