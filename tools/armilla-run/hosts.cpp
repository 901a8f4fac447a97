// SPDX-License-Identifier: Apache-2.0
#include "hosts.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "armilla/base/core/options.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/interfaces.hpp"
#include "armilla/boot/host/units.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/orphans.hpp"
#include "armilla/error.hpp"
#include "root.hpp"

namespace armilla::run {
namespace {

constexpr std::uint64_t cause_may_follow_ns = 100 * milli;  // a rank's error may be the consequence of another's death
constexpr std::uint64_t agents_end_within_ns = 700 * milli;

// A remote shell takes the words apart again; a plain command takes them as they are.
std::string for_shell(const std::string& word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:@%,") == std::string::npos)
    return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

rank_t count_of(const std::vector<program_spec>& programs) {
  rank_t ranks = 0;
  for (const program_spec& one : programs) ranks += one.ranks;
  return ranks;
}

}  // namespace

root::root(const std::vector<host_slots>& hosts, std::string rsh, const std::vector<program_spec>& programs,
           const options& settings)
    : rsh_(std::move(rsh)),
      settings_(settings),
      desk_(count_of(programs), [this](rank_t to, const std::string& text) { send_gathering(to, text); }) {
  for (const auto& one : programs)
    for (int i = 0; i < one.ranks; ++i) program_of_.push_back(&one);
  rank_t next = 0;
  for (const auto& one : hosts) {
    const auto here = std::min(rank_t(one.slots), rank_t(program_of_.size()) - next);
    if (here == 0) break;
    host h;
    h.what = one;
    h.number = std::uint32_t(hosts_.size());
    h.first = next;
    h.ranks = here;
    hosts_.push_back(std::move(h));
    next += here;
  }
  if (std::size_t(next) < program_of_.size() || program_of_.size() > job_block::max_ranks)
    throw_usage("start", fmt::format("{} ranks do not fit on the hosts, which take {}; give a host more: --hosts a:4,b:4",
                                     program_of_.size(), next));
  char path[PATH_MAX] = {};
  if (readlink("/proc/self/exe", path, sizeof path - 1) <= 0)
    throw_limit("start", "this program does not find its own file: is /proc there?");
  self_ = path;
}

void root::take_met(std::vector<met_agent> met) {
  auto h = std::prev(hosts_.end(), std::ptrdiff_t(met.size()));
  for (met_agent& one : met) {
    h->agent = std::move(one.agent);
    h++->met_in = std::move(one.folder);
  }
}

// Starts a process; -1 on failure. Arguments are references, since after vfork the child may overwrite registers of the parent.
static pid_t start_in_child(char** arguments, int input, const output_lines::ends& out, const sigset_t& blocked) {
  const pid_t self = getpid();
  const pid_t child = vfork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != self) _exit(127);
  dup2(input, STDIN_FILENO);
  if (out.output >= 0) dup2(out.output, STDOUT_FILENO);
  if (out.errors >= 0) dup2(out.errors, STDERR_FILENO);
  setpgid(0, 0);  // a Ctrl-C is ours alone to deal with
  sigprocmask(SIG_SETMASK, &blocked, nullptr);
  execvp(arguments[0], arguments);
  _exit(127);
}

void root::start_agent(host& h) {
  std::vector<std::string> words;
  std::istringstream text(rsh_);
  for (std::string word; text >> word;) words.push_back(word);
  if (!words.empty()) words.push_back(h.what.name);
  words.push_back(words.empty() ? self_ : for_shell(self_));
  words.emplace_back("--agent");
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int input[2];
  if (pipe2(input, O_CLOEXEC) != 0) throw_limit("start", fmt::format("no pipe to an agent: {}", std::strerror(errno)));
  const output_lines::ends out = settings_.output == output_kind::raw ? output_lines::ends{} : lines_.open_plain(false);
  h.rsh = start_in_child(arguments.data(), input[0], out, before_);
  if (h.rsh < 0) throw_limit("start", fmt::format("no process that starts an agent: {}", std::strerror(errno)));
  close(input[0]);
  output_lines::started(out);
  h.rsh_alive = true;
  const std::string call = call_text{key_, h.what.name, h.number, port_.number(), port_.addresses()}.line();
  [[maybe_unused]] const auto written = write(input[1], call.data(), call.size());  // if it is gone, that is noticed
  close(input[1]);
}

namespace {

// What libraries of ranks read: networks, threads, accelerators. Paths may be others on other hosts.
bool is_passed_on(std::string_view setting) {
  constexpr std::string_view beginnings[] = {"ARMILLA_", "UCX_",  "FI_",  "PMIX_MCA_", "OMPI_MCA_",
                                             "OMP_",     "GOMP_", "MKL_", "OPENBLAS_", "CUDA_VISIBLE_DEVICES="};
  return !setting.starts_with("ARMILLA_INTERNAL_") &&
         std::ranges::any_of(beginnings, [=](std::string_view one) { return setting.starts_with(one); });
}

// Without them a program may not find its libraries on other hosts, or find others.
void tell_what_is_not_passed(const std::vector<program_spec>& programs) {
  for (const char* const name : {"LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH"}) {
    const auto is_given = [name](const program_spec& p) {
      return std::ranges::any_of(p.environment,
                                 [name](const std::string& one) { return one.starts_with(std::string(name) + "="); });
    };
    if (std::getenv(name) == nullptr || std::ranges::all_of(programs, is_given)) continue;
    say(fmt::format("armilla: {0} is set here, but ranks on other hosts do not get it; if they need it, give --env {0}", name));
  }
}

}  // namespace

// Of those that wait for their turn, as many as may be under way: a shell takes a login and keys, and many at once are refused.
void root::start_agents() {
  const auto under_way = [](const host& h) { return h.rsh_alive && h.agent == nullptr; };
  auto left = most_shells_at_once - std::ranges::count_if(hosts_, under_way);
  for (auto& h : hosts_) {
    if (left <= 0 || stopping_) return;
    if (h.met_in || h.rsh != -1) continue;
    start_agent(h);
    --left;
  }
}

json root::job_of(const host& h) const {
  json environment = json::array(), processes = json::array();
  for (char** setting = environ; *setting != nullptr && !h.met_in; ++setting)  // what has met has its own
    if (is_passed_on(*setting)) environment.push_back(std::string(*setting));
  for (rank_t r = h.first; r < h.first + h.ranks; ++r) {
    const program_spec& p = *program_of_[std::size_t(r)];
    processes.push_back({{"path", p.path}, {"arguments", p.arguments}, {"environment", p.environment}});
  }
  char folder[PATH_MAX] = ".";
  if (!h.met_in && getcwd(folder, sizeof folder) == nullptr) throw_limit("start", "the current folder was deleted");
  return {{"ranks", program_of_.size()},
          {"first", h.first},
          {"number", h.number},
          {"label", settings_.label},
          {"raw", settings_.output == output_kind::raw},
          {"goes_on", settings_.on_loss != loss_use::end},
          {"replaces", settings_.on_loss == loss_use::replace},
          {"binds", settings_.pin == pin_kind::automatic},
          {"folder", h.met_in.value_or(folder)},
          {"environment", environment},
          {"processes", processes},
          {"grace_ns", settings_.loss_grace_ns},
          {"timeout_ns", settings_.loss_timeout_ns}};
}

// --- what happens ---

void root::wait_for_events() {
  std::vector<pollfd> list{{signals_, POLLIN, 0}};
  port_.watch(list);
  for (const auto& h : hosts_)
    if (h.agent != nullptr && !h.gone) list.push_back({h.agent->socket(), POLLIN, 0});
  lines_.watch(list);
  const std::uint64_t until = std::min({stop_ns_, kill_ns_, tree_ns_, stopping_ ? never : looks_.until_ns(), port_.until_ns(),
                                        port_.is_open() ? call_ns_ : never});
  const std::uint64_t now = now_ns();
  poll(list.data(), nfds_t(list.size()), until == never ? -1 : until <= now ? 0 : int((until - now) / milli) + 1);
}

void root::read_signals() {
  signalfd_siginfo info;
  while (read(signals_, &info, sizeof info) == ssize_t(sizeof info)) {
    const auto number = std::int32_t(info.ssi_signo);
    if (number == SIGCHLD) continue;
    if (number == SIGUSR1 || number == SIGUSR2) {
      for (auto& h : hosts_)
        if (h.agent != nullptr) h.agent->send(channel::signal, {reinterpret_cast<const char*>(&number), sizeof number});
      continue;
    }
    if (!failure_ && interrupted_by_ == 0) interrupted_by_ = number;
    stop_ns_ = 0;
  }
}

void root::hear_callers() {
  const auto place = [this](std::uint32_t number) { return std::next(hosts_.begin(), number); };
  port_.look([&](std::uint32_t number) { return number < hosts_.size() && place(number)->agent == nullptr && !stopping_; },
             [&](std::uint32_t number, std::unique_ptr<channel> agent) { welcome(*place(number), std::move(agent)); });
}

void root::welcome(host& h, std::unique_ptr<channel> agent) {
  h.agent = std::move(agent);
  call_ns_ = deadline_after_ns(agents_call_within_ns);  // others may begin only now
  if (std::ranges::any_of(hosts_, [](const host& one) { return one.agent == nullptr; })) return;
  port_.close();
  plant_tree();
}

void root::begin() {
  tree_ns_ = never;
  std::vector<channel*> agents;
  for (auto& one : hosts_) agents.push_back(one.agent.get());
  looks_.begin_with(agents);
  for (auto& one : hosts_) one.agent->break_after(settings_.loss_timeout_ns);
  for (auto& one : hosts_) one.agent->send(channel::job, job_of(one).dump(-1, ' ', false, json::error_handler_t::replace));
}

void root::hear(host& h) {
  const bool open = h.agent->receive();
  while (const auto frame = h.agent->next()) take(h, *frame);
  if (open && !h.agent->garbled()) return;
  h.gone = true;
  looks_.lose(h.number);
  close_circuits(h);
  if (!stopping_ && !h.done) lose(h);
}

// The ranks of its own host have heard it from their agent.
void root::pass_loss(const host& from, const std::string& said) {
  const json what = json::parse(said, nullptr, false);
  if (what.is_object() && !heard_of_ && !goes_on())
    heard_of_ = failure{1, false, true,
                        fmt::format("rank {} on {} {}", what.value("first", 0), what.value("host", ""), what.value("cause", ""))};
  for (auto& h : hosts_)
    if (&h != &from && h.agent != nullptr && !h.gone && !stopping_) h.agent->send(channel::lost, said);
  if (what.is_object() && goes_on())  // an agent tells of its own ranks
    lose_ranks(std::max(what.value("first", from.first), from.first),
               std::min(what.value("last", -1), from.first + from.ranks - 1));
}

void root::take_failure(const std::string& text) {
  const json said = json::parse(text, nullptr, false);
  if (said.is_discarded()) return;
  const failure how{said.value("code", 1), said.value("primary", false), said.value("lost", false), said.value("text", ""),
                    said.value("hint", "")};
  if (!how.lost || !goes_on()) return fail(how);
  go_on_without(how, desk_.left() - 1);  // that it is lost follows
}

void root::take(host& h, const channel::frame& frame) {
  if (frame.what == channel::done) {
    int well = 0, came = 0;
    std::istringstream(frame.text) >> well >> came;
    ended_well_ += well;
    h.done = came == h.came;  // else one has come that the agent had not heard of
  }
  if (frame.what == channel::last_meeting) last_meeting_ = true;  // all exchanges before are over for it, and so for all
  if (frame.what == channel::gathering) take_gathering(h, frame.text);
  if (frame.what == channel::life) take_life(h, frame.text);
  if (frame.what == channel::exchange) take_exchange(h, frame.text);
  if (frame.what == channel::tree) take_tree(h, frame.text);
  if (frame.what == channel::lost) pass_loss(h, frame.text);
  if (frame.what == channel::failed) take_failure(frame.text);
  if (frame.what == channel::look) looks_.ask(h.number);
  if (frame.what == channel::seen) looks_.take(h.number, frame.text);
  if (frame.what == channel::circuit) pass_circuit(h, frame.text);
}

// Names that have no address of IPv4 here leave all of this host's, of which there may be none.
std::string root::hint_of_ipv6() const {
  const bool alone = port_.addresses() == std::vector<std::string>{"127.0.0.1"};
  return alone && outer_interfaces().empty() ? " This host has no address of IPv4, over which agents call; IPv6 is not used" : "";
}

void root::reap() {
  for (auto& h : hosts_) {
    int status = 0;
    if (!h.rsh_alive || waitpid(h.rsh, &status, WNOHANG) != h.rsh) continue;
    h.rsh_alive = false;
    if (h.agent == nullptr && !stopping_)
      fail({1, false, false,
            WIFEXITED(status) && WEXITSTATUS(status) == 127
                ? fmt::format("'{}' could not start {} on {}", rsh_, self_, h.what.name)
                : fmt::format("'{} {}' ended before the agent called (code {}); can it start {} there?{}", rsh_, h.what.name,
                              WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), self_, hint_of_ipv6())});
  }
}

// --- the end ---

void root::fail(failure f) {
  if (failure_ && (failure_->primary || !f.primary || stopping_)) return;
  failure_ = std::move(f);
  const std::uint64_t patience = failure_->lost ? settings_.loss_grace_ns : failure_->primary ? 0 : cause_may_follow_ns;
  stop_ns_ = std::min(stop_ns_, deadline_after_ns(patience));
}

void root::stop() {
  stopping_ = true;
  stop_ns_ = never;
  kill_ns_ = deadline_after_ns(agents_end_within_ns);
  const std::string end = end_of_job().frame();
  for (auto& h : hosts_)
    if (h.agent != nullptr && !h.gone)
      h.agent->send(channel::stop, end);
    else if (h.rsh_alive)
      kill(h.rsh, SIGTERM);
}

void root::advance() {
  const std::uint64_t now = now_ns();
  if (port_.is_open() && !stopping_ && now >= call_ns_) {
    const auto missing = std::ranges::find_if(hosts_, [](const host& h) { return h.agent == nullptr; });
    fail({1, false, false,
          fmt::format("the agent on {} has not called for a minute; can it reach port {} of {}?{}", missing->what.name,
                      port_.number(), fmt::join(port_.addresses(), ", "), hint_of_ipv6())});
    call_ns_ = never;
  }
  if (now >= tree_ns_ && !stopping_) begin();
  const bool done = std::ranges::all_of(hosts_, &host::done);
  if (!stopping_ && (now >= stop_ns_ || done)) stop();
  if (!stopping_ || killed_ || now < kill_ns_) return;
  killed_ = true;
  kill_ns_ = never;
  for (auto& h : hosts_)
    if (h.rsh_alive) kill(-h.rsh, SIGKILL), kill(h.rsh, SIGKILL);
}

bool root::over() const {
  return stopping_ &&
         std::ranges::none_of(hosts_, [this](const host& h) { return h.rsh_alive || (h.met_in && !h.gone && !killed_); });
}

job_end root::end_of_job() {
  if (first_loss_ && !failure_ && interrupted_by_ == 0) return {ended_well_ != 0 ? 0 : first_loss_->code};
  if (!failure_ && interrupted_by_ == 0) failure_ = std::exchange(heard_of_, std::nullopt);
  if (failure_)
    return {(failure_->code & 0xff) != 0 ? failure_->code & 0xff : 1,
            failure_->text.empty() ? "" : report_of(failure_->text, "the job was stopped", failure_->hint)};
  if (interrupted_by_ == 0) return {0};
  return {128 + interrupted_by_, fmt::format("armilla: interrupted by signal {} ({}); the job was stopped", interrupted_by_,
                                             signal_name(interrupted_by_))};
}

int root::report() {
  const job_end end = end_of_job();
  if (first_loss_ || failure_ || interrupted_by_ != 0) orphans_.end_all();
  if (!end.text.empty()) say(end.text);
  return end.code;
}

int root::run() {
  std::signal(SIGCHLD, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t mine;
  sigemptyset(&mine);
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD}) sigaddset(&mine, s);
  pthread_sigmask(SIG_BLOCK, &mine, &before_);
  signals_ = signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK);
  std::vector<std::string> names;
  for (const host& h : hosts_)
    if (!h.met_in) names.push_back(h.what.name);
  port_.open(rsh_.empty() ? htonl(INADDR_LOOPBACK) : address_towards(names));
  while (!over()) {
    if (port_.is_open()) start_agents();
    wait_for_events();
    read_signals();
    hear_callers();
    for (auto& h : hosts_)
      if (h.agent != nullptr && !h.gone) hear(h);
    reap();
    advance();
    if (!stopping_) looks_.advance();
    lines_.forward();
  }
  while (!lines_.finish() && interrupted_by_ == 0) {
    lines_.wait_beside({{signals_, POLLIN, 0}});
    read_signals();
  }
  return report();
}

int run_on_hosts(const std::vector<host_slots>& hosts, const std::string& rsh, const std::vector<program_spec>& programs,
                 const options& settings, std::vector<met_agent> met) {
  if (!rsh.empty()) tell_what_is_not_passed(programs);
  root job(hosts, rsh, programs, settings);
  job.take_met(std::move(met));
  return job.run();
}

}  // namespace armilla::run
