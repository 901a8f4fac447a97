// SPDX-License-Identifier: Apache-2.0
#include "armilla/attention.hpp"

#include "armilla/am/endpoint/endpoint.hpp"

namespace armilla {

interruptible::interruptible() : signals_(detail::here("interruptible").messages->signals) { signals_.begin(); }
interruptible::~interruptible() { signals_.end(); }

}  // namespace armilla
