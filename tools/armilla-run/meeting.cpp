// SPDX-License-Identifier: Apache-2.0
#include "meeting.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <list>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "agent.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/host/descriptor.hpp"
#include "armilla/base/host/regular_file.hpp"
#include "armilla/base/host/trusted_file.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/interfaces.hpp"
#include "armilla/boot/host/units.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/error.hpp"
#include "calls.hpp"
#include "host_offer.hpp"
#include "hosts.hpp"
#include "job_end.hpp"
#include "tools/arguments/arguments.hpp"

namespace armilla::run {
namespace {

using namespace armilla::detail;

constexpr std::size_t least_key = 16, most_key = 4096;
constexpr std::uint64_t between_calls_ns = 100 * milli, first_news_ns = 10'000 * milli;

std::string own_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return *name != 0 ? name : "host";
}

std::string own_folder() {
  char folder[PATH_MAX];
  if (getcwd(folder, sizeof folder) == nullptr) throw_limit("start", "the current folder was deleted");
  return folder;
}

// Wire and version of this program, without the number of its build.
std::string own_version() {
  const std::string all = tools::version_of("armilla-run");
  return all.substr(0, all.find(", build"));
}

// The file may end in a line's end.
job_key key_of_text(std::string_view text, const std::string& from) {
  while (!text.empty() && std::strchr(" \t\r\n", text.back()) != nullptr) text.remove_suffix(1);
  if (text.size() < least_key)
    throw_usage("start",
                fmt::format("the key in {} has {} characters; others could guess it. Give at least {}, for example those "
                            "of `openssl rand -hex 32`",
                            from, text.size(), least_key));
  return key_from(text);
}

job_key read_key(const std::string& name) {
  std::string wrong;
  if (name == "-") {
    const auto text = read_all(STDIN_FILENO, most_key, wrong);
    if (!text) throw_usage("start", fmt::format("--key-file -: standard input: {}", wrong));
    return key_of_text(*text, "standard input");
  }
  const trusted_file found = open_trusted(name);
  const descriptor file(found.file);
  struct stat about{};
  wrong = found.wrong;
  if (wrong.empty() && (fstat(file.get(), &about) != 0 || (about.st_mode & (S_IRWXG | S_IRWXO)) != 0))
    wrong = fmt::format("other users may read it, and so start or join this job; chmod 600 {}", name);
  const auto text = wrong.empty() ? read_all(file.get(), most_key, wrong) : std::nullopt;
  if (!text) throw_usage("start", fmt::format("--key-file {}: {}", name, wrong));
  return key_of_text(*text, name);
}

// The addresses of IPv4 that the host's name has now; none: `wrong` says why.
std::vector<std::uint32_t> addresses_of(const std::string& host, std::string& wrong) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  std::vector<std::uint32_t> all;
  if (const int error = getaddrinfo(host.c_str(), nullptr, &wanted, &found); error != 0) {
    wrong = fmt::format("the name {} has no address here: {}", host, gai_strerror(error));
    return all;
  }
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next)
    if (one->ai_family == AF_INET) all.push_back(reinterpret_cast<const sockaddr_in*>(one->ai_addr)->sin_addr.s_addr);
  if (all.empty()) wrong = fmt::format("the name {} has an address of IPv6 only; agents call each other over IPv4", host);
  freeaddrinfo(found);
  return all;
}

// A host may know its own name as one of the loopback's, at which no other host could call.
std::uint32_t address_to_open(std::uint32_t address, const std::string& host) {
  const bool meant = host == "localhost" || host.starts_with("127.");
  return is_loopback(address) && !meant ? htonl(INADDR_ANY) : address;
}

// One host that has come, or may have.
struct comer {
  std::unique_ptr<channel> agent;
  std::optional<host_offer> offer;
};

/// The command on the host that has the place.
class first_host {
 public:
  first_host(const meeting_plan& plan, call_port& port, std::uint64_t until_ns, std::uint64_t silence_ns)
      : plan_(plan), port_(port), until_ns_(until_ns), silence_ns_(silence_ns) {}

  /// False: not all came in time, and those that did know it.
  bool gather() {
    std::uint64_t news = first_news_ns, next_news = deadline_after_ns(news);
    while (missing() > 0) {
      std::vector<pollfd> list;
      port_.watch(list);
      for (const comer& one : comers_) list.push_back({one.agent->socket(), POLLIN, 0});
      const std::uint64_t now = now_ns(), until = std::min({until_ns_, next_news, port_.until_ns()});
      poll(list.data(), nfds_t(list.size()), until <= now ? 0 : int(std::min<std::uint64_t>((until - now) / milli + 1, 60'000)));
      port_.look([](std::uint32_t number) { return number == any_host; },
                 [this](std::uint32_t, std::unique_ptr<channel> agent) { comers_.push_back({std::move(agent), {}}); });
      comers_.remove_if([this](comer& one) { return !stays(one); });
      if (now_ns() >= until_ns_) return give_up(), false;
      if (now_ns() < next_news) continue;
      say(fmt::format("armilla: {}; waiting {} s more", account(), (until_ns_ - now_ns()) / 1'000'000'000));
      next_news = deadline_after_ns(news *= 2);
    }
    port_.close();
    comers_.remove_if([this](comer& one) { return !one.offer && send_away(one, one_too_many("this host")); });
    comers_.sort([](const comer& a, const comer& b) { return a.offer->host < b.offer->host; });
    return true;
  }

  int run(const std::vector<program_spec>& programs, const options& settings) {
    std::vector<host_slots> hosts{{own_name(), 0}};
    std::vector<program_spec> all = programs;
    std::vector<met_agent> agents;
    for (const auto& program : programs) hosts[0].slots += int(program.ranks);
    for (comer& one : comers_) {
      host_slots& host = hosts.emplace_back(host_slots{one.offer->host, 0});
      for (auto& program : one.offer->programs) host.slots += int(program.ranks);
      std::ranges::move(one.offer->programs, std::back_inserter(all));
      agents.push_back({std::move(one.agent), one.offer->folder});
    }
    return run_on_hosts(hosts, "", all, settings, std::move(agents));
  }

 private:
  int missing() const {
    return plan_.hosts - 1 - int(std::ranges::count_if(comers_, [](const comer& one) { return one.offer.has_value(); }));
  }

  std::string account() const {
    std::string names = own_name() + " (this one)";
    for (const comer& one : comers_)
      if (one.offer) names += ", " + one.offer->host;
    return fmt::format("{} of {} hosts have connected to {}: {}", plan_.hosts - missing(), plan_.hosts, plan_.place, names);
  }

  // False: it has left again, or is sent away.
  bool stays(comer& one) {
    const bool open = one.agent->receive();
    while (auto frame = one.agent->next()) {
      if (frame->what != channel::offer || one.offer) continue;
      one.offer = host_offer::read(frame->text);
      if (const std::string wrong = complaint(one.offer); !wrong.empty()) return !send_away(one, wrong);
      one.agent->break_after(silence_ns_);
    }
    return open && !one.agent->garbled();
  }

  std::string complaint(const std::optional<host_offer>& offer) const {
    if (!offer) return fmt::format("the armilla-run at {} does not understand this one; start the same version", plan_.place);
    if (offer->version != own_version())
      return fmt::format("{} has another version of armilla-run than the host at {}; start the same", offer->host, plan_.place);
    if (offer->hosts != plan_.hosts)
      return fmt::format("{} was started with --hosts-expected {}, but the host at {} with {}; give the same number", offer->host,
                         offer->hosts, plan_.place, plan_.hosts);
    if (missing() < 0) return one_too_many(offer->host);
    return "";
  }

  std::string one_too_many(const std::string& host) const {
    return fmt::format("{} is one host more than the {} that were expected", host, plan_.hosts);
  }

  static bool send_away(comer& one, const std::string& why) {
    one.agent->send(channel::stop, job_end{2, "armilla: " + why}.frame());
    return true;
  }

  void give_up() {
    const std::string text = fmt::format(
        "armilla: within {} s {}; the job does not start. Check that the same command runs on the other hosts, and that they "
        "can connect to port {} of this one",
        plan_.within_s, account(), port_.number());
    for (const comer& one : comers_) one.agent->send(channel::stop, job_end{1, text}.frame());
    say(text);
  }

  const meeting_plan& plan_;
  call_port& port_;
  std::uint64_t until_ns_, silence_ns_;  // the second: after which a host that does not answer is gone
  std::list<comer> comers_;
};

/// Looks for the place until this host has it, or another one that knows the key answers there.
class seeker {
 public:
  seeker(const meeting_plan& plan, const job_key& key, std::uint64_t until_ns)
      : plan_(plan), place_(*place_of(plan.place)), key_(key), until_ns_(until_ns) {}

  /// Opens `port` if the place is here.
  bool takes(call_port& port) {
    for (const std::uint32_t address : addresses_of(place_.host, why_)) {
      if (port.open_at(address_to_open(address, place_.host), place_.port)) return true;
      if (errno == EACCES) throw_usage("start", fmt::format("--meet {}: only root may open this port", plan_.place));
    }
    return false;  // another command of this host may have it, or another program
  }

  std::unique_ptr<channel> calls() {
    call_text call{key_, own_name(), any_host, place_.port, {}};
    for (const std::uint32_t address : addresses_of(place_.host, why_)) call.addresses.push_back(address_text(address));
    if (call.addresses.empty()) return nullptr;
    int error = 0;
    if (auto root = call_once(call, error)) return root;
    why_ =
        error == 0
            ? std::string("the program that answers there does not prove that it knows this host's key; give the same --key-file")
            : fmt::format("no host answers there ({}); one of the hosts must have this address, and let others connect",
                          std::strerror(error));
    if (error == 0 && !std::exchange(told_, true)) say(fmt::format("armilla: {}: {}; still trying", plan_.place, why_));
    return nullptr;
  }

  bool is_late() const { return now_ns() >= until_ns_; }
  void give_up() const {
    say(fmt::format("armilla: {} did not find the other hosts at {} within {} s: {}", own_name(), plan_.place, plan_.within_s,
                    why_));
  }

 private:
  const meeting_plan& plan_;
  meeting_place place_;
  const job_key& key_;
  std::uint64_t until_ns_;
  std::string why_;
  bool told_ = false;
};

}  // namespace

int run_with_meeting(const meeting_plan& plan, const std::vector<program_spec>& programs, const options& settings) {
  if (!place_of(plan.place))
    throw_usage("start", fmt::format("--meet wants a host and a port from 1 to 65535, h1:29400, not '{}'", plan.place));
  const job_key key = read_key(plan.key_file);
  const std::uint64_t until = deadline_after_ns(std::uint64_t(plan.within_s) * 1'000'000'000);
  call_port port(key);
  seeker place(plan, key, until);
  for (;;) {
    if (place.takes(port)) {
      first_host here(plan, port, until, settings.loss_timeout_ns);
      return here.gather() ? here.run(programs, settings) : 1;
    }
    if (const auto root = place.calls()) {
      const host_offer mine{own_version(), own_name(), own_folder(), plan.hosts, programs};
      return be_met_agent(*root, key, mine.host, mine.text(), settings);
    }
    if (place.is_late()) return place.give_up(), 1;
    usleep(between_calls_ns / 1000);
  }
}

}  // namespace armilla::run
