// SPDX-License-Identifier: Apache-2.0
#include "new_rank_desk.hpp"

#include <algorithm>
#include <utility>

namespace armilla::run {

using namespace armilla::detail;
using word = gathering_head::word;

void new_rank_desk::take(rank_t from, bool lost, const gathering_message& said, const std::string& text) {
  const bool is_comer = comes_ && comes_->rank == from;
  switch (said.head.what) {
    case word::here:
      if (closed_) return how_.to_rank(from, gathering_text({.what = word::closed}, {}, {}));
      if (lost) waiting_.push_back(from);
      return begin_next();
    case word::hand_over:
      if (lost || !said.names(from)) return;
      handed_over_[rank_t(said.head.id)][from] = text;
      if (comes_ && comes_->rank == rank_t(said.head.id)) how_.to_rank(comes_->rank, text);
      return;
    case word::address:
      if (is_comer) comes_->unconfirmed = how_.to_agents({life_frame::word::address, from}, said.parts);
      return;
    case word::enters:
      if (is_comer) comes_->life = std::uint32_t(said.head.step);
      return end_if_all_know();
    case word::closes: return close();
    default: return;
  }
}

// What was handed over to a process that did not come to life holds for the next one there.
void new_rank_desk::begin_next() {
  if (comes_ || closed_ || waiting_.empty()) return;
  comes_ = comer{waiting_.front()};
  waiting_.pop_front();
  how_.to_agents({life_frame::word::coming, comes_->rank}, {});
  for (const auto& [from, text] : handed_over_[comes_->rank]) how_.to_rank(comes_->rank, text);
}

void new_rank_desk::confirm(std::uint32_t host, rank_t r) {
  if (!comes_ || comes_->rank != r) return;
  comes_->unconfirmed.erase(host);
  end_if_all_know();
}

void new_rank_desk::end_if_all_know() {
  if (!comes_ || comes_->life == 0 || !comes_->unconfirmed.empty()) return;
  const comer one = *std::exchange(comes_, std::nullopt);
  handed_over_.erase(one.rank);
  how_.to_agents({life_frame::word::lives, one.rank, one.life}, {});
  how_.lives(one.rank, one.life);
  begin_next();
}

void new_rank_desk::stay_lost() {
  how_.to_agents({life_frame::word::gone, comes_->rank}, {});
  comes_.reset();
}

bool new_rank_desk::lose_process(rank_t r, bool lost) {
  std::erase(waiting_, r);
  if (comes_ && comes_->rank == r) {
    stay_lost();
    begin_next();
  }
  return lost;
}

void new_rank_desk::lose(rank_t r) {
  for (auto& [place, from] : handed_over_) from.erase(r);
}

void new_rank_desk::lose_host(std::uint32_t host) {
  if (!comes_) return;
  comes_->unconfirmed.erase(host);
  end_if_all_know();
}

// Those that wait hear it, too; a process that is started later, when it asks.
void new_rank_desk::close() {
  if (std::exchange(closed_, true)) return;
  if (comes_) stay_lost();
  waiting_.clear();
  how_.to_rank(detail::no_rank, gathering_text({.what = word::closed}, {}, {}));
}

}  // namespace armilla::run
