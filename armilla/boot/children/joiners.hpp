// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "armilla/boot/children/child.hpp"
#include "armilla/boot/children/join_request.hpp"
#include "armilla/boot/children/plan.hpp"

namespace armilla::detail {

/// The ranks that join a running job, as its supervisor sees them: which requests asked for them, and how far they are. A place
/// is given to one that joins as that of a lost rank is given to its successor (new_rank.hpp).
class joiners {
 public:
  /// Takes requests where the job has spare places.
  explicit joiners(job_plan& plan);

  /// Adds what must be polled.
  void watch(std::vector<pollfd>& list) const;
  /// Takes in what has been asked since; does not block.
  void take_requests();
  /// Some have asked, and it is not decided yet.
  bool any_undecided() const noexcept { return !undecided_.empty(); }
  /// Gives places to those: a child each, to be started as the successors of lost ranks are.
  void give_places(std::vector<child>& children);
  /// Takes back what was asked by processes that have ended since: what is not in the job yet does not come.
  void withdraw(std::vector<child>& children);
  /// The job ends, and nothing more comes.
  void refuse_all(const char* why);
  /// The rank in that place will not be in the job.
  void note_failure(rank_t place, const std::string& why);
  /// Answers those whose ranks are in the job, or will not be.
  void answer_settled(const std::vector<child>& children);

 private:
  struct under_way {
    std::unique_ptr<join_request> request;  // for ever: the children are started by its program
    std::vector<rank_t> places;
    std::vector<std::uint32_t> lives;  // of the places before
    std::string why_not;
    bool answered() const noexcept { return request->caller.get() < 0; }
  };
  static void settle(under_way& one, const join_answer& what);
  void give_places(std::unique_ptr<join_request> request, std::vector<child>& children);
  bool add_programs(const under_way& one);
  join_answer answer_of(const under_way& one) const;

  job_plan& plan_;
  join_listener listener_;
  std::vector<std::unique_ptr<join_request>> undecided_;
  std::vector<under_way> all_;
};

}  // namespace armilla::detail
