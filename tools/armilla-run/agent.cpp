// SPDX-License-Identifier: Apache-2.0
#include "agent.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "armilla/base/core/options.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/boot/children/output.hpp"
#include "armilla/boot/children/spawn_process.hpp"
#include "armilla/boot/host/units.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/orphans.hpp"
#include "armilla/boot/watch/stall_detector.hpp"
#include "armilla/boot/wire_up/agent_line.hpp"
#include "host_agent.hpp"

namespace armilla::run {
namespace {

constexpr std::uint64_t may_tidy_ns = 200 * milli;  // between SIGTERM and SIGKILL

}  // namespace

bool agent::start(const json& job) {
  ranks_ = job.at("ranks");
  label_ = job.at("label");
  raw_ = job.at("raw");
  goes_on_ = job.at("goes_on");
  replaces_ = job.at("replaces");
  binds_ = job.at("binds");
  relay_.set_number(job.at("number"));
  grace_ns_ = job.at("grace_ns");
  root_.break_after(job.at("timeout_ns"));
  const std::string folder = job.at("folder");
  if (chdir(folder.c_str()) != 0) {
    tell(job.at("first"), could_not_start, false, fmt::format("{} has no folder {}: {}", host_, folder, std::strerror(errno)));
    return false;
  }
  for (const auto& setting : job.at("environment").get<std::vector<std::string>>())
    if (const auto equals = setting.find('='); equals != std::string::npos)
      setenv(setting.substr(0, equals).c_str(), setting.c_str() + equals + 1, 1);
  rank_t rank = job.at("first");
  for (const json& one : job.at("processes")) {
    auto c = std::make_unique<child>();
    c->first = c->last = rank++;
    c->program = {one.at("path"), one.at("arguments"), one.at("environment"), 1};
    children_.push_back(std::move(c));
  }
  for (auto& c : children_) start_one(*c);
  return true;
}

void agent::start_one(child& c) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return tell(c.first, could_not_start, false,
                fmt::format("{} has no socket for rank {}: {}", host_, c.first, std::strerror(errno)));
  for (auto& cpu : c.record.cpu) cpu = -1;
  spawn_plan how;
  how.program = &c.program;
  how.rank = c.first;
  how.record = &c.record;
  how.line = ends[1];
  if (!c.in_job()) how.memory = lent_.memory_of(c.first);
  how.line_text = fmt::format("{} {} {} {} {}", ends[1], c.first, ranks_, host_, how.memory);
  how.bind = false;
  how.mask = before_;
  output_lines::ends out;
  if (label_)
    out = lines_.open(fmt::format("[{}] ", c.first));
  else if (!raw_)
    out = lines_.open_plain(false);
  how.output = out.output;
  how.errors = out.errors;
  c.pid = spawn(how);
  if (c.pid < 0) c.record.exec_error = errno;
  lines_.started(out);
  close(ends[1]);
  c.line = ends[0];
  c.alive = c.pid > 0;
  if (!c.alive) judge(c);
}

// --- what happens ---

void agent::wait_for_events() {
  std::vector<pollfd> list{{signals_, POLLIN, 0}};
  if (!root_lost_) list.push_back({root_.socket(), POLLIN, 0});
  for (const auto& c : children_)
    if (c->line >= 0) list.push_back({c->line, POLLIN, 0});
  lines_.watch(list);
  if (!root_lost_) clients_.watch(list), relay_.watch(list), branch_.watch(list);
  const std::uint64_t now = now_ns(),
                      until = std::min({stop_ns_, deadline_, clients_.until_ns(), relay_.until_ns(), branch_.until_ns()});
  const int patience = until == never ? -1 : until <= now ? 0 : int((until - now) / milli) + 1, cores = lent_.patience_ms();
  poll(list.data(), nfds_t(list.size()), patience < 0 ? cores : cores < 0 ? patience : std::min(patience, cores));
}

void agent::read_signals() {
  signalfd_siginfo info;
  while (read(signals_, &info, sizeof info) == ssize_t(sizeof info)) {
    if (info.ssi_signo == SIGCHLD) continue;
    // The end of armilla-run comes as a signal, too, from the system or by the command that has started this agent: behind the
    // end of its connection.
    if (!children_.empty()) hear_root();
    if (stopping_) continue;
    // What ssh passes on, or a user sends.
    end_ = {128 + int(info.ssi_signo),
            fmt::format("{} was interrupted by signal {} ({})", host_, info.ssi_signo, signal_name(int(info.ssi_signo)))};
    if (!goes_on_) tell(children_.empty() ? 0 : children_.front()->first, end_.code, true, end_.text);
    end_.text = "armilla: " + end_.text;
    if (met_) say(end_.text);
    told_to_stop_ = true;
    stop();
  }
}

void agent::hear_end(const std::string& text) {
  told_to_stop_ = true;
  if (!stopping_) {
    end_ = job_end::read(text);
    if (met_ && !end_.text.empty()) say(end_.text);
  }
  stop();
}

void agent::hear_root() {
  if (root_lost_) return;
  const bool there = root_.receive();
  while (auto frame = root_.next()) {
    if (frame->what == channel::exchange) branch_.hear(frame->text, [this](const std::string& all) { hand_out(all); });
    if (frame->what == channel::tree) branch_.take(frame->text);
    if (frame->what == channel::lost) hear_of_loss(frame->text);
    if (frame->what == channel::gathering) pass_gathering(frame->text);
    if (frame->what == channel::life) hear_of_life(frame->text);
    if (frame->what == channel::stop) hear_end(frame->text);
    if (frame->what == channel::look) clients_.tell();
    if (frame->what == channel::seen) clients_.take(frame->text);
    if (frame->what == channel::circuit) relay_.take(frame->text);
    if (frame->what == channel::signal && frame->text.size() == sizeof(std::int32_t)) {
      std::int32_t number = 0;
      std::memcpy(&number, frame->text.data(), sizeof number);
      for (const auto& c : children_)
        if (c->alive && c->spoke && c->in_job()) kill(c->pid, number);
    }
  }
  if (root_.garbled()) stop();
  if (!there) lose_root();
}

void agent::hear_of_loss(const std::string& text) {
  const json said = json::parse(text, nullptr, false);
  if (!said.is_discarded())
    lent_.tell(said.value("first", 0), said.value("last", -1), said.value("cause", ""), said.value("host", ""));
}

// --- ends ---

void agent::reap() {
  for (auto& c : children_) {
    if (!c->alive || waitpid(c->pid, &c->status, WNOHANG) != c->pid) continue;
    c->alive = false;
    while (c->line >= 0) {  // what it said last
      const auto left = c->incoming.size();
      hear(*c);
      if (c->line >= 0 && c->incoming.size() == left) break;
    }
    judge(*c);
  }
  for (auto& c : children_)
    if (!stopping_ && c->place == child::state::lost && !c->alive) start_new(c);
  tell_done();
}

// No rank here goes on.
void agent::tell_done() {
  const bool all = std::ranges::none_of(children_, [](const auto& c) { return c->alive && c->in_job() && !c->failed; });
  if (!all || stopping_ || told_done_) return;
  told_done_ = root_.send(channel::done, fmt::format("{} {}", std::exchange(ended_well_, 0), came_));
}

ending agent::ending_of(const child& c) const {
  ending e;
  e.first = e.last = c.first;
  e.pid = c.pid;
  e.program = c.program.arguments[0];
  e.host = host_;
  set_how(e, c.record.exec_error, c.status, c.finished, c.spoke);
  return e;
}

void agent::judge(child& c) {
  if (!c.in_job()) return lose_new_rank(c);
  if (lent_.stands_still()) return tell(c.first, stall_exit_code, true, "");  // no loss: the job ends
  const std::string told = goes_on_ ? lent_.cause_of(c.first) : "";           // by itself, before it ended
  ending e = ending_of(c);
  if (e.kind == ending::how::code && e.code == 0) return void(++ended_well_);
  if (!told.empty() && e.kind == ending::how::exited) {
    e.kind = ending::how::lost;
    e.text = told;
  }
  // An abort is mostly its own doing, and may follow from another's death.
  tell(c.first, exit_code(e), e.kind == ending::how::signal && e.code != SIGABRT, account_of(e),
       goes_on_ && c.finished && e.kind == ending::how::code ? ""  // its part is done, but the program says that it failed
       : !told.empty()                                       ? told
       : c.spoke                                             ? cause_of(e)
                                                             : "",
       lent_.hint_of(e));
  if (job_block* const job = lent_.of(c.first); replaces_ && job != nullptr) {
    vacate(*job, c);
    if (const std::string why = why_given_up(c); !why.empty())
      say(fmt::format("armilla: rank {} on {}: {}", c.first, host_, why));
  }
}

// With a cause: the rank is lost, and the others have time to end by themselves.
void agent::tell(rank_t rank, int code, bool primary, const std::string& text, const std::string& cause,
                 const std::string& hint) {
  if (stopping_) return;
  const json said{{"code", code}, {"primary", primary}, {"text", text}, {"lost", !cause.empty()}, {"hint", hint}};
  if (!root_.send(channel::failed, said.dump(-1, ' ', false, json::error_handler_t::replace))) lose_root();
  tell_lost(rank, cause);
}

// To the ranks of this host at once, to those of others by armilla-run.
void agent::tell_lost(rank_t rank, const std::string& cause) {
  if (cause.empty() || stopping_) return;
  lent_.tell(rank, rank, cause, host_);
  const json said{{"first", rank}, {"last", rank}, {"cause", cause}, {"host", host_}};
  if (!root_.send(channel::lost, said.dump(-1, ' ', false, json::error_handler_t::replace))) lose_root();
}

// It has ended, and with it the job; or there is no way to it any more, nor to the other hosts: then the ranks here hear of that.
void agent::lose_root() {
  if (std::exchange(root_lost_, true)) return;
  if (goes_on_) {  // the others go on, or will: no rank here may do so beside them
    for (const auto& c : children_)
      if (c->alive) kill(c->pid, SIGKILL);
  }
  if (goes_on_ || !root_.timed_out()) return stop();
  const std::string cause = "cannot be reached any more: " + host_ + " is cut off from armilla-run";
  lent_.tell(0, children_.front()->first - 1, cause, "");
  lent_.tell(children_.back()->first + 1, ranks_ - 1, cause, "");
  stop_ns_ = deadline_after_ns(grace_ns_);
}

// ---- others in the places of lost ranks: see armilla/boot/wire_up/new_rank.hpp ----

void agent::start_new(std::unique_ptr<child>& c) {
  const std::unique_ptr<child> before = std::exchange(c, std::make_unique<child>());
  if (before->line >= 0) close(before->line);
  c->first = c->last = before->first;
  c->place = child::state::starting;
  c->short_lives = before->short_lives;
  c->program = std::move(before->program);
  lent_.of(c->first)->rank[c->first].stage.store(rank_stage::absent, std::memory_order_release);
  start_one(*c);
}

void agent::lose_new_rank(child& c) {
  const bool refused = c.record.exec_error == 0 && is_refused(c);
  if (!refused && !stopping_) say("armilla: " + account_of(ending_of(c)) + ", before it could replace the lost rank");
  c.place = !refused && try_again(c) ? child::state::lost : child::state::given_up;
  if (!root_.send(channel::life, life_frame{life_frame::word::gone, c.first}.text())) lose_root();
}

void agent::hear_of_life(const std::string& text) {
  const auto said = life_frame::from(text);
  if (!said || said->rank < 0 || said->rank >= ranks_) return;
  const auto here = std::ranges::find(children_, said->rank, [](const auto& c) { return c->first; });
  lent_.change(*said, life_frame::address_in(text), here != children_.end());
  if (said->what == life_frame::word::address && !root_.send(channel::life, said->text())) lose_root();
  if (here == children_.end()) return;
  child& c = **here;
  if (said->what == life_frame::word::coming && c.place == child::state::starting) c.place = child::state::coming;
  if (said->what != life_frame::word::lives) return;
  ++came_;
  told_done_ = false;
  if (c.place != child::state::coming) return;  // it has ended meanwhile
  c.place = child::state::in_job;
  c.began = now_ns();
}

void agent::stop() {
  if (stopping_) return;
  stopping_ = true;
  stop_ns_ = never;
  deadline_ = deadline_after_ns(may_tidy_ns);
  for (const auto& c : children_)
    if (c->alive) kill(c->pid, SIGTERM);
}

void agent::advance() {
  if (stop_ns_ != never && now_ns() >= stop_ns_) stop();
  if (deadline_ == never || now_ns() < deadline_) return;
  deadline_ = never;
  for (const auto& c : children_)
    if (c->alive) kill(c->pid, SIGKILL);
}

// Until it knows what to start. False: nothing, and `code` is that of the job.
bool agent::hear_first(int& code) {
  for (;;) {
    bool there = true;
    auto frame = root_.next();
    if (!frame) {
      std::vector<pollfd> ready{{root_.socket(), POLLIN, 0}, {signals_, POLLIN, 0}};
      branch_.watch(ready);
      poll(ready.data(), nfds_t(ready.size()), -1);
      read_signals();
      branch_.look([](const std::string&) {});
      there = root_.receive();
      frame = root_.next();
    }
    code = could_not_start;
    if (!frame && !there && met_ && !stopping_)
      say("armilla: armilla-run ended on the host to which all others connect; the job does not start");
    if (!frame && !there) return false;
    if (stopping_) return true;
    if (!frame) continue;
    if (frame->what == channel::tree) branch_.take(frame->text);
    if (frame->what == channel::job && start(json::parse(frame->text))) return true;
    if (frame->what == channel::stop) return hear_end(frame->text), code = met_ ? end_.code : could_not_start, false;
  }
}

int agent::run() {
  sigset_t mine;
  sigemptyset(&mine);
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) sigaddset(&mine, s);
  std::signal(SIGCHLD, SIG_DFL);
  pthread_sigmask(SIG_BLOCK, &mine, &before_);
  relay_.set_mask(before_);
  signals_ = signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK);
  if (int code = 0; !hear_first(code)) return code;
  while (!stopping_ || std::ranges::any_of(children_, [](const auto& c) { return c->alive; })) {
    wait_for_events();
    read_signals();
    for (auto& c : children_)
      if (c->line >= 0) hear(*c);
    hear_root();
    branch_.look([this](const std::string& all) { hand_out(all); });
    reap();
    advance();
    lent_.look_at_cores();
    relay_.reap();
    if (!root_lost_) relay_.advance(), clients_.advance();
    lines_.forward();
  }
  while (!lines_.finish() && !root_lost_) {
    lines_.wait_beside({{signals_, POLLIN, 0}, {root_.socket(), POLLIN, 0}});
    read_signals();
    hear_root();
  }
  orphans_.end_all();
  if (root_lost_ && speaks_ && !told_to_stop_) {  // the others say nothing
    std::signal(SIGPIPE, SIG_IGN);
    say("armilla: armilla-run ended, or cannot be reached any more; the job was stopped");
  }
  return end_.code;
}

int be_agent() {
  prctl(PR_SET_PDEATHSIG, SIGHUP);  // where armilla-run has started us without a network between
  std::string told;
  std::getline(std::cin, told);
  call_text call;
  const auto root = call.read(told) ? call_root(call) : nullptr;
  if (root == nullptr) {
    say(fmt::format("armilla-run: the agent on {} cannot reach armilla-run at {}, port {}", call.host,
                    fmt::join(call.addresses, ", "), call.port));
    return could_not_start;
  }
  agent(*root, call.key, call.host, call.number).run();
  return root->timed_out() ? cut_off_code : 0;  // the root says how the job ended
}

int be_met_agent(channel& root, const job_key& key, const std::string& host, const std::string& offer, const options& settings) {
  root.break_after(settings.loss_timeout_ns);
  root.send(channel::offer, offer);  // if it is gone, the next reading says so
  return agent(root, key, host).run();
}

}  // namespace armilla::run
