// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "armilla/fiber/scheduler.hpp"

namespace armilla {

class mutex;
class shared_mutex;

}  // namespace armilla

namespace armilla::detail {

class sync_state;

/// "main", "fiber 7", "fiber 7 (a body)".
std::string name_of(const fiber_record& f);

/// What a fiber of this rank waits for, and for how long at most. To be called on the rank's own thread, while the fiber waits.
std::string explain_wait(const context& self, const fiber_record& f, std::uint64_t now_ns);

// For `wait_object::of`.
std::string explain_mutex(const context& self, const char* operation, const mutex& m);
std::string explain_shared_mutex(const context& self, const char* operation, const shared_mutex& m);
std::string explain_sync_var(const context& self, const char* operation, const sync_state& s);
std::string explain_join(const context& self, const char* operation, const fiber_record& f);

}  // namespace armilla::detail
