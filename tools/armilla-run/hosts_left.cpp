// SPDX-License-Identifier: Apache-2.0
// Hosts that are lost, and jobs that go on without some of their ranks.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "agent.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/units.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "root.hpp"

namespace armilla::run {

static constexpr std::uint64_t command_ends_within_ns = 300 * milli;  // when the agent has ended

// An agent that is killed may leave a reset connection, too. Where packets of full length get lost, it gives up, and its system
// answers what still comes by a reset; the command that started it tells which of both.
std::string root::why_reset(host& h) {
  const int error = h.agent->broken_by();
  if (error == 0 || error == EPIPE) return "";
  int status = 0;
  for (const std::uint64_t until = deadline_after_ns(command_ends_within_ns); h.rsh_alive; usleep(5000)) {
    if (waitpid(h.rsh, &status, WNOHANG) == h.rsh)
      h.rsh_alive = false;
    else if (now_ns() >= until)
      break;
  }
  const bool knows = !h.met_in && !h.rsh_alive;
  if (knows && !(WIFEXITED(status) && WEXITSTATUS(status) == cut_off_code)) return "";
  return fmt::format("{} its connection ({}; do long packets arrive?)", knows ? " as it lost" : ", or lost",
                     std::strerror(error));
}

void root::lose(host& h) {
  release_children(h);
  const rank_t last = h.first + h.ranks - 1;
  if (h.agent->garbled()) return fail({1, false, false, fmt::format("what came from the agent on {} was garbled", h.what.name)});
  const bool silent = h.silent || h.agent->timed_out();
  const std::string reset = silent ? "" : why_reset(h);
  const std::string why = silent ? fmt::format("its host has not answered for {:.3g} s", double(settings_.loss_timeout_ns) / 1e9)
                                 : "the agent of armilla-run on its host ended" + reset;
  const json said{{"first", h.first}, {"last", last}, {"cause", "cannot be reached any more: " + why}, {"host", h.what.name}};
  pass_loss(h, said.dump(-1, ' ', false, json::error_handler_t::replace));
  const failure how{1, false, true,
                    silent
                        ? fmt::format("{}, with ranks {} to {}, has not answered for {:.3g} s: it is cut off or stands still",
                                      h.what.name, h.first, last, double(settings_.loss_timeout_ns) / 1e9)
                        : fmt::format("the agent on {} ended{}, and with it ranks {} to {}", h.what.name, reset, h.first, last)};
  if (!goes_on()) return fail(how);
  h.done = true;
  for (rank_t r = h.first; r <= last; ++r) new_ranks_.lose_process(r, true);
  new_ranks_.lose_host(h.number);
  go_on_without(how, desk_.left());
}

// ---- where the others go on ----

void root::go_on_without(const failure& loss, rank_t left) {
  if (!first_loss_) first_loss_ = loss;
  say(report_of(loss.text,
                left > 1    ? fmt::format("the other {} ranks go on", left)
                : left == 1 ? std::string("the other rank goes on")
                            : std::string("no rank is left"),
                loss.hint));
}

// Behind what tells the other hosts: what is agreed now is without these ranks.
void root::lose_ranks(rank_t first, rank_t last) {
  for (rank_t r = first; r <= last; ++r)
    if (!desk_.is_lost(r)) desk_.lose(r), new_ranks_.lose(r);
}

// ---- others in the places of lost ranks ----

std::set<std::uint32_t> root::tell_agents(const life_frame& what, std::string_view address) {
  std::set<std::uint32_t> told;
  for (auto& h : hosts_)
    if (h.agent != nullptr && !h.gone && h.agent->send(channel::life, what.text(address))) told.insert(h.number);
  return told;
}

host& root::host_of(rank_t r) {
  return *std::ranges::find_if(hosts_, [r](const host& h) { return h.first <= r && r < h.first + h.ranks; });
}

void root::let_live(rank_t r, std::uint32_t life) {
  host& h = host_of(r);
  ++h.came;
  h.done = false;
  desk_.come(r, life);
  say(fmt::format("armilla: rank {} was replaced ({} on {})", r, program_of_[std::size_t(r)]->arguments[0], h.what.name));
}

void root::take_life(host& h, const std::string& text) {
  const auto said = life_frame::from(text);
  if (!said || said->rank < 0 || std::size_t(said->rank) >= program_of_.size()) return;
  if (said->what == life_frame::word::address) return new_ranks_.confirm(h.number, said->rank);
  if (said->what != life_frame::word::gone || said->rank < h.first || said->rank >= h.first + h.ranks) return;
  if (new_ranks_.lose_process(said->rank, desk_.is_lost(said->rank))) return;
  const std::string cause = "ended just after it joined the job";
  const json loss{{"first", said->rank}, {"last", said->rank}, {"cause", cause}, {"host", h.what.name}};
  h.agent->send(channel::lost, loss.dump());
  go_on_without({1, false, true, fmt::format("rank {} on {} {}", said->rank, h.what.name, cause)}, desk_.left() - 1);
  pass_loss(h, loss.dump());
}

void root::send_gathering(rank_t to, const std::string& text) {
  const std::string all = std::string(reinterpret_cast<const char*>(&to), sizeof to) + text;
  for (auto& h : hosts_)
    if (h.agent != nullptr && !h.gone && (to == detail::no_rank || (h.first <= to && to < h.first + h.ranks)))
      h.agent->send(channel::gathering, all);
}

void root::take_gathering(const host& h, const std::string& text) {
  rank_t from = detail::no_rank;
  if (text.size() < sizeof from) return;
  std::memcpy(&from, text.data(), sizeof from);
  if (from < h.first || from >= h.first + h.ranks) return;
  const std::string_view said = std::string_view(text).substr(sizeof from);
  const auto m = gathering_message::from(said, rank_t(program_of_.size()));
  if (!m) return;
  new_ranks_.take(from, desk_.is_lost(from), *m, std::string(said));
  if (desk_.is_lost(from)) return;
  if (m->head.what == gathering_head::word::suspect) suspect(*m);
  desk_.take(from, said);
}

// The agent of a silent host is not waited for: its connection is shut for good, and it kills its ranks when it finds that. A
// host whose first rank is known to be lost is silent for that reason alone: that rank is what others hear.
void root::suspect(const gathering_message& said) {
  const std::vector<rank_t> silent = said.ranks();
  if (silent.empty() || desk_.is_lost(silent.front())) return;
  for (auto& h : hosts_) {
    const auto is_of = [&h](rank_t r) { return h.first <= r && r < h.first + h.ranks; };
    if (h.agent == nullptr || h.gone || !goes_on() || std::ranges::none_of(silent, is_of)) continue;
    h.gone = h.silent = true;
    looks_.lose(h.number);
    close_circuits(h);
    shutdown(h.agent->socket(), SHUT_RDWR);
    lose(h);
  }
}

}  // namespace armilla::run
