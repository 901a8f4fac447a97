// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/am/handler/handler.hpp"

/// Well-known handlers of layer rpc.
namespace armilla::detail {

inline constexpr handler_id reply_error_handler = well_known(handler_range::rpc, 2);  ///< a question ended with an exception
inline constexpr handler_id named_cold_handler =
    well_known(handler_range::rpc, 3);  ///< a call by name whose method's index is not known yet
inline constexpr handler_id named_index_handler = well_known(handler_range::rpc, 4);  ///< tells the caller the index
inline constexpr handler_id named_question_handler = well_known(handler_range::rpc, 5);
inline constexpr handler_id named_statement_handler = well_known(handler_range::rpc, 6);
inline constexpr handler_id named_reply_handler = well_known(handler_range::rpc, 7);  ///< the reply to a question by name

}  // namespace armilla::detail
