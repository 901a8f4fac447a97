// SPDX-License-Identifier: Apache-2.0
#include "armilla/spmd.hpp"

#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/collectives.hpp"
#include "armilla/error.hpp"
#include "armilla/session/layers.hpp"
#include "armilla/session/session_state.hpp"
#include "armilla/team/core/record.hpp"

namespace armilla::detail {
namespace {

/// Why this rank's part of a region ended: type, text, and where it was thrown. Without a type: well.
using region_error = std::tuple<std::string, std::string, throw_place>;

// All ranks come here behind a region. The lowest that failed, and why; nothing if none did.
std::optional<std::pair<rank_t, region_error>> meet_behind(const region_error& mine) try {
  const std::vector<region_error> all = world().all_gather(mine);
  for (std::size_t r = 0; r < all.size(); ++r)
    if (const auto& [type, text, from] = all[r]; !type.empty()) return std::pair(rank_t(r), all[r]);
  return std::nullopt;
} catch (...) {  // the others are elsewhere, perhaps because of what was thrown here
  if (const auto& [type, text, from] = mine; !type.empty()) say(remote_error(current->rank, "spmd", type, text, from).what());
  throw;
}

// What it throws is described, and kept in `thrown`; nothing where it has ended well. That a rank is lost ends the job as
// anywhere.
region_error error_of(region& r, std::exception_ptr& thrown) try {
  r.run();
  return {};
} catch (const rank_lost&) { throw; } catch (const passing&) {
  throw;
} catch (const std::exception&) {
  thrown = std::current_exception();
  const exception_text described = describe_current_exception();
  return {described.type_name, described.text, described.from};
}

/// This rank is in a region until the end of the scope.
struct inside {
  session_state& session;
  explicit inside(session_state& s) : session(s) { session.in_region = true; }
  inside(const inside&) = delete;
  ~inside() { session.in_region = false; }
};

}  // namespace

void begin_region() {
  context& self = here("spmd");
  session_state& session = *self.session;
  if (!session.serves)
    throw_usage("spmd", "all ranks run already; it is for run_main, where rank 0 alone does: call the function");
  if (self.rank != 0) throw_usage("spmd", "only the function that run_main runs on rank 0 may begin a region");
  if (self.body_depth != 0)
    throw_usage("spmd", "a body may not begin a region: others wait for it; begin it in the function that run_main runs");
  refuse_parts_of_bodies(self, "spmd");
  if (session.in_region) throw_usage("spmd", "a region may not begin another one: call the function, all ranks are here");
}

void run_first(region& r) {
  const inside here(*current->session);
  current->out->flush();
  std::exception_ptr own;
  const auto failed = meet_behind(error_of(r, own));
  if (!failed) return;
  if (failed->first == 0) std::rethrow_exception(own);
  const auto& [type, text, from] = failed->second;
  throw remote_error(failed->first, "spmd", type, text, from);
}

void keep_region(std::unique_ptr<region> r) { current->session->next_region = std::move(r); }

void run_next(context& rank) {
  const std::unique_ptr<region> r = std::move(rank.session->next_region);
  const inside here(*rank.session);
  std::exception_ptr told_by_rank_0;
  meet_behind(error_of(*r, told_by_rank_0));
}

}  // namespace armilla::detail
