// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/joiners.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "armilla/boot/host/local_socket.hpp"

namespace armilla::detail {
namespace {

child* child_in(std::vector<child>& children, rank_t place) {
  const auto at = std::ranges::find(children, place, &child::first);
  return at != children.end() ? &*at : nullptr;
}

bool is_free_for_joiner(std::vector<child>& children, rank_t place) {
  const child* const before = child_in(children, place);
  return before == nullptr || (!before->alive && before->place == child::state::given_up);
}

std::string ranks_are(const std::vector<rank_t>& ranks, const char* where) {
  return fmt::format("{} {} {} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "),
                     ranks.size() == 1 ? "is" : "are", where);
}

}  // namespace

joiners::joiners(job_plan& plan) : plan_(plan) {
  if (plan.job->spare_places != 0) listener_.listen(plan.memory);
}

void joiners::watch(std::vector<pollfd>& list) const {
  listener_.watch(list);
  for (const auto& one : undecided_) list.push_back({one->caller.get(), POLLIN, 0});
  for (const under_way& one : all_)
    if (!one.answered()) list.push_back({one.request->caller.get(), POLLIN, 0});
}

void joiners::settle(under_way& one, const join_answer& what) {
  answer(*one.request, what);
  one.request->caller.reset(-1);
}

void joiners::take_requests() { std::ranges::move(listener_.take(), std::back_inserter(undecided_)); }

void joiners::refuse_all(const char* why) {
  for (const auto& one : std::exchange(undecided_, {})) answer(*one, {false, why});
  for (under_way& one : all_)
    if (!one.answered()) settle(one, {false, why});
}

void joiners::withdraw(std::vector<child>& children) {
  std::erase_if(undecided_, [](const auto& one) { return has_hung_up(one->caller.get()); });
  for (under_way& one : all_) {
    if (one.answered() || !has_hung_up(one.request->caller.get())) continue;
    one.request->caller.reset(-1);
    for (const rank_t place : one.places)
      if (child* const c = child_in(children, place); c->joins)
        end_new_rank(*c);  // else it has come in; what is there now is another's affair
  }
}

void joiners::give_places(std::vector<child>& children) {
  for (auto& one : std::exchange(undecided_, {})) give_places(std::move(one), children);
}

void joiners::give_places(std::unique_ptr<join_request> request, std::vector<child>& children) {
  under_way one;
  one.request = std::move(request);
  std::vector<rank_t> free;
  const auto is_asked_for = [this](rank_t r) {
    return std::ranges::any_of(all_, [r](const under_way& other) {
      return !other.answered() && std::ranges::find(other.places, r) != other.places.end();
    });
  };
  for (rank_t r = plan_.world_size; r < rank_t(plan_.job->places); ++r)
    if (is_free_for_joiner(children, r) && !is_asked_for(r)) free.push_back(r);
  const std::size_t wanted = std::size_t(one.request->program.ranks);
  if (free.size() < wanted)
    return answer(
        *one.request,
        {false, fmt::format("the job has {} free place{} for {} rank{}; ARMILLA_MAX_RANKS={} was set for it", free.size(),
                            free.size() == 1 ? "" : "s", wanted, wanted == 1 ? "" : "s", plan_.job->places)});
  one.places.assign(free.begin(), free.begin() + std::ptrdiff_t(wanted));
  if (!add_programs(one))
    return answer(*one.request, {false, fmt::format("the job holds {} programs already", job_block::max_programs)});
  for (const rank_t place : one.places) {
    one.lives.push_back(plan_.job->life(place).number);
    const child fresh{.first = place, .last = place, .place = child::state::lost, .joins = true};
    if (child* const before = child_in(children, place); before != nullptr)
      *before = fresh;
    else
      children.push_back(fresh);
  }
  all_.push_back(std::move(one));
}

bool joiners::add_programs(const under_way& one) {
  return std::ranges::all_of(one.places, [&](rank_t place) { return add_program(plan_, place, one.request->program); });
}

void joiners::note_failure(rank_t place, const std::string& why) {
  for (under_way& one : all_)
    if (!one.answered() && one.why_not.empty() && std::ranges::find(one.places, place) != one.places.end()) one.why_not = why;
}

void joiners::answer_settled(const std::vector<child>& children) {
  for (under_way& one : all_) {
    const auto comes = [&](const child& c) {
      return (c.place != child::state::in_job && c.place != child::state::given_up) &&
             std::ranges::find(one.places, c.first) != one.places.end();
    };
    if (!one.answered() && std::ranges::none_of(children, comes)) settle(one, answer_of(one));
  }
}

join_answer joiners::answer_of(const under_way& one) const {
  std::vector<rank_t> in_job, not_in_job;
  for (std::size_t i = 0; i < one.places.size(); ++i)
    (plan_.job->life(one.places[i]).number > one.lives[i] ? in_job : not_in_job).push_back(one.places[i]);
  if (not_in_job.empty()) return {true, ranks_are(in_job, "in it")};
  const std::string others = in_job.empty() ? "" : "; " + ranks_are(in_job, "in it");
  return {false, ranks_are(not_in_job, "not in it: ") +
                     (one.why_not.empty() ? "all its ranks have come to the end of their functions" : one.why_not) + others};
}

}  // namespace armilla::detail
