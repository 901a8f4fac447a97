// SPDX-License-Identifier: Apache-2.0
#include "armilla/collective_async.hpp"

namespace armilla {

// Not inline: each file that includes armilla.hpp would compile it.
future<void> team::barrier_async() const {
  return collective_async([](const team& t) { t.barrier(); });
}

}  // namespace armilla
