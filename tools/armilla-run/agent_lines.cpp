// SPDX-License-Identifier: Apache-2.0
// What the ranks of a host say to their agent, and hear from it.
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "armilla/boot/host/descriptor.hpp"
#include "host_agent.hpp"
#include "records.hpp"

namespace armilla::run {

// To one rank of this host, or to all; an answer to those that it names, as others may not read for long.
void agent::pass_gathering(const std::string& text) {
  rank_t to = detail::no_rank;
  if (text.size() < sizeof to) return;
  std::memcpy(&to, text.data(), sizeof to);
  const std::string_view message = std::string_view(text).substr(sizeof to);
  const auto said = gathering_message::from(message, ranks_);
  const bool answers = said && said->head.what == gathering_head::word::answer;
  const auto is_for = [&](rank_t r) { return to == detail::no_rank ? !answers || said->names(r) : to == r; };
  const line_head head{line_head::gathering, std::uint32_t(message.size())};
  for (const auto& c : children_)
    if (c->alive && c->line >= 0 && (c->in_job() || c->listens) && is_for(c->first) && write_fully(c->line, &head, sizeof head))
      write_fully(c->line, message.data(), message.size());
  lent_.wake();
}

void agent::hear(child& c) {
  char bytes[65536];
  int file = -1;
  const auto n = receive_with_descriptor(c.line, bytes, sizeof bytes, MSG_DONTWAIT, file);
  if (file >= 0) clients_.open(file), relay_.open(file);
  if (file >= 0) lent_.take(file, ranks_, binds_);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    close(c.line);
    c.line = -1;
    return;
  }
  c.incoming.append(bytes, std::size_t(n));
  for (line_head head; c.incoming.size() >= sizeof head;) {
    std::memcpy(&head, c.incoming.data(), sizeof head);
    if (head.bytes > line_head::most_bytes && !c.in_job()) return void(kill(c.pid, SIGKILL));
    if (head.bytes > line_head::most_bytes)
      return tell(c.first, could_not_start, false, fmt::format("rank {} garbles its line", c.first));
    if (c.incoming.size() < sizeof head + head.bytes) return;
    std::string text = c.incoming.substr(sizeof head, head.bytes);
    c.incoming.erase(0, sizeof head + head.bytes);
    take(c, head, std::move(text));
  }
}

void agent::take(child& c, const line_head& head, std::string text) {
  c.spoke = true;
  if (head.what == line_head::finished) c.finished = true;
  if (head.what == line_head::exchange) {
    if (!c.in_job()) return repeat_exchange(c);
    c.waits = true;
    c.part = std::move(text);
    pass_exchange();
  }
  if (head.what == line_head::last_meeting && !std::exchange(told_last_, true) && !root_.send(channel::last_meeting, ""))
    lose_root();
  if (head.what == line_head::gathering) {
    c.listens = true;
    text.insert(0, reinterpret_cast<const char*>(&c.first), sizeof c.first);
    if (!root_.send(channel::gathering, text)) lose_root();
  }
  if (head.what == line_head::over && c.in_job()) {
    c.failed = true;
    tell_lost(c.first, lent_.cause_of(c.first));
    tell_done();
  }
  if (std::int32_t numbers[2]; head.what == line_head::failed && c.in_job() && text.size() >= sizeof numbers) {
    std::memcpy(numbers, text.data(), sizeof numbers);
    c.failed = true;
    tell(c.first, numbers[0], numbers[1] != 0, text.substr(sizeof numbers), lent_.cause_of(c.first));
    tell_done();
  }
}

void agent::pass_exchange() {
  std::string all;
  const std::size_t bytes = children_[0]->part.size();
  for (const auto& c : children_) {
    if (!c->waits) return;
    if (c->part.size() != bytes)
      return tell(c->first, could_not_start, false,
                  fmt::format("ranks {} and {} exchange different things; start all from one version of Armilla",
                              children_[0]->first, c->first));
    all += c->part;
  }
  for (auto& c : children_) c->waits = false;
  if (!root_.send(channel::exchange, pack_records(all, bytes))) lose_root();
}

// What the ranks of the start heard, it hears.
void agent::repeat_exchange(child& c) {
  c.waits = c.heard == exchanges_.size();
  if (c.waits) return;
  const std::string& all = exchanges_[c.heard++];
  const line_head head{line_head::exchange, std::uint32_t(all.size())};
  if (write_fully(c.line, &head, sizeof head)) write_fully(c.line, all.data(), all.size());
}

void agent::hand_out(const std::string& all) {
  if (replaces_) exchanges_.push_back(all);
  for (const auto& c : children_)
    if (!c->in_job() && c->waits) repeat_exchange(*c);
  const line_head head{line_head::exchange, std::uint32_t(all.size())};
  for (const auto& c : children_)
    if (c->line >= 0 && c->in_job() && write_fully(c->line, &head, sizeof head)) write_fully(c->line, all.data(), all.size());
}

}  // namespace armilla::run
