// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/am/handler/handler.hpp"

/// Well-known handlers of layer rpc.
namespace armilla::detail {

inline constexpr handler_id reply_error_handler = well_known(handler_range::rpc, 2);  ///< a two-way call ended with an exception
inline constexpr handler_id named_cold_handler =
    well_known(handler_range::rpc, 3);  ///< a call by name whose method's index is not known yet
inline constexpr handler_id named_index_handler = well_known(handler_range::rpc, 4);  ///< tells the caller the index
inline constexpr handler_id named_two_way_call_handler = well_known(handler_range::rpc, 5);
inline constexpr handler_id named_one_way_call_handler = well_known(handler_range::rpc, 6);
inline constexpr handler_id named_reply_handler = well_known(handler_range::rpc, 7);  ///< the reply to a two-way call by name

}  // namespace armilla::detail
