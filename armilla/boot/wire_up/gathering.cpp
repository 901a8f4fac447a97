// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/gathering.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "armilla/boot/wire_up/agent_line.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {

std::optional<gathering_message> gathering_message::from(std::string_view text, rank_t highest) {
  gathering_message m;
  if (text.size() < sizeof m.head) return std::nullopt;
  std::memcpy(&m.head, text.data(), sizeof m.head);
  text.remove_prefix(sizeof m.head);
  if (m.head.what > gathering_head::word::no_team || m.head.row > gathering_row::kind::meeting ||
      m.head.runs > std::uint32_t(highest) || text.size() < m.head.runs * sizeof(rank_run))
    return std::nullopt;
  m.runs.resize(m.head.runs);
  if (!m.runs.empty()) std::memcpy(m.runs.data(), text.data(), m.runs.size() * sizeof(rank_run));
  std::size_t ranks = 0;
  for (const rank_run& run : m.runs) {
    if (run.first < 0 || run.last < run.first || run.last >= highest) return std::nullopt;
    ranks += std::size_t(run.last - run.first) + 1;
  }
  if (ranks > std::size_t(highest)) return std::nullopt;
  m.parts = text.substr(m.runs.size() * sizeof(rank_run));
  const std::size_t parts = m.head.what == gathering_head::word::answer ? ranks : 1;
  if (m.parts.size() != std::size_t{m.head.part_bytes} * parts) return std::nullopt;
  return m;
}

std::vector<rank_t> gathering_message::ranks() const {
  std::vector<rank_t> all;
  for (const rank_run& run : runs)
    for (rank_t r = run.first; r <= run.last; ++r) all.push_back(r);
  return all;
}

bool gathering_message::names(rank_t r) const {
  return std::ranges::any_of(runs, [r](const rank_run& run) { return run.first <= r && r <= run.last; });
}

std::string gathering_text(gathering_head head, std::span<const rank_t> ranks, std::string_view parts) {
  std::vector<rank_run> runs;
  for (const rank_t r : ranks) {
    if (runs.empty() || runs.back().last + 1 != r) runs.push_back({r, r});
    runs.back().last = r;
  }
  head.runs = std::uint32_t(runs.size());
  std::string text(reinterpret_cast<const char*>(&head), sizeof head);
  text.append(reinterpret_cast<const char*>(runs.data()), runs.size() * sizeof(rank_run)).append(parts);
  return text;
}

// In one piece: another thread may say something, too.
void gatherings::send(const std::string& text) const {
  const line_head head{line_head::gathering, std::uint32_t(text.size())};
  std::string all(reinterpret_cast<const char*>(&head), sizeof head);
  all += text;
  write_fully(line_, all.data(), all.size());  // if the agent has gone, so will this rank
}

void gatherings::ask(const gathering_row& row, std::uint64_t step, std::span<const rank_t> members, std::string_view part,
                     gathering_head::word what, std::uint64_t stage, std::uint64_t newest_life) {
  asks_[row] = step;
  answers_.erase(row);
  send(gathering_text({.what = what,
                       .row = row.what,
                       .id = row.id,
                       .step = step,
                       .stage = stage,
                       .part_bytes = std::uint32_t(part.size()),
                       .newest_life = newest_life},
                      members, part));
}

void gatherings::give_up() {
  if (!given_up_) tell({.what = gathering_head::word::gives_up});
  given_up_ = true;
}

void gatherings::announce_last_meeting() const {
  const line_head head{line_head::last_meeting, 0};
  write_fully(line_, &head, sizeof head);
}

void gatherings::suspect(std::span<const rank_t> ranks) const {
  send(gathering_text({.what = gathering_head::word::suspect}, ranks, {}));
}

void gatherings::hand_over(rank_t self, rank_t to, const hand_over_counts& counts) const {
  send(gathering_text({.what = gathering_head::word::hand_over, .id = std::uint64_t(to), .part_bytes = sizeof counts},
                      std::span(&self, 1), {reinterpret_cast<const char*>(&counts), sizeof counts}));
}

const hand_over_counts* gatherings::handed_over_by(rank_t r) const noexcept {
  const auto found = handed_over_.find(r);
  return found != handed_over_.end() ? &found->second : nullptr;
}

void gatherings::seek(std::string_view part) {
  no_team_.reset();
  send(gathering_text({.what = gathering_head::word::seeks, .part_bytes = std::uint32_t(part.size())}, {}, part));
}

void gatherings::show_address(std::string_view address) const {
  send(gathering_text({.what = gathering_head::word::address, .part_bytes = std::uint32_t(address.size())}, {}, address));
}

void gatherings::take(std::string_view text) {
  const auto m = gathering_message::from(text, ranks_);
  if (!m) return;
  using word = gathering_head::word;
  if (m->head.what == word::gives_up) given_up_ = true;
  if (m->head.what == word::asked) asked_[m->row()] = std::max(asked_[m->row()], m->head.step);
  if (m->head.what == word::closed) closed_ = true;
  if (m->head.what == word::no_team) no_team_ = {m->head.stage != 0};
  if (m->head.what == word::hand_over && m->head.runs == 1 && m->parts.size() == sizeof(hand_over_counts))
    std::memcpy(&handed_over_[m->runs[0].first], m->parts.data(), sizeof(hand_over_counts));
  if (m->head.what != word::answer && m->head.what != word::over) return;
  const auto mine = asks_.find(m->row());
  if (mine == asks_.end() || mine->second != m->head.step) return;
  asks_.erase(mine);
  const bool over = m->head.what == word::over;
  answers_[m->row()] = {over, over && m->head.stage != 0, m->ranks(), std::string(m->parts)};
}

void gatherings::look() {
  char bytes[16384];
  for (;;) {
    const auto n = recv(line_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 || (n < 0 && errno != EAGAIN)) gone_ = true;
    if (n <= 0) break;
    incoming_.append(bytes, std::size_t(n));
  }
  std::size_t at = 0;
  for (line_head head; incoming_.size() - at >= sizeof head; at += sizeof head + head.bytes) {
    std::memcpy(&head, incoming_.data() + at, sizeof head);
    if (head.bytes > line_head::most_bytes) gone_ = true;  // what it says is no word of ours, so there is no agent for us
    if (head.bytes > line_head::most_bytes || incoming_.size() - at < sizeof head + head.bytes) break;
    if (head.what == line_head::gathering) take(std::string_view(incoming_).substr(at + sizeof head, head.bytes));
  }
  incoming_.erase(0, at);
}

std::optional<gathered> gatherings::take_answer(const gathering_row& row) {
  look();
  const auto found = answers_.find(row);
  if (found == answers_.end()) return std::nullopt;
  gathered what = std::move(found->second);
  answers_.erase(found);
  return what;
}

gathered gatherings::await_answer(const gathering_row& row) {
  for (;;) {
    if (auto what = take_answer(row)) return std::move(*what);
    if (gone_) throw_limit("meet", "the ranks cannot meet: the agent of armilla-run on this host has ended");
    pollfd mine{line_, POLLIN, 0};
    poll(&mine, 1, -1);
  }
}

std::uint64_t gatherings::asked(const gathering_row& row) const noexcept {
  const auto found = asked_.find(row);
  return found != asked_.end() ? found->second : 0;
}

}  // namespace armilla::detail
