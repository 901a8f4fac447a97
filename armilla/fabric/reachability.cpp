// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/reachability.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "armilla/base/values/clock.hpp"

namespace armilla::detail {
namespace {

/// The one frame of this time; a rank sends it again when it has heard the other side.
struct trial_word {
  static constexpr std::uint64_t good_magic = 0x6c61697274616d72;
  std::uint64_t magic = good_magic;
  std::int32_t from = no_rank;
  std::int32_t heard = 0;
};

// What was answered last may be on its way here still, and leaves while this rank polls.
constexpr std::uint64_t last_word_leaves_within_ns = 2'000'000;

class trial {
 public:
  trial(network& net, rank_t me, const std::vector<rank_t>& peers) : net_(net), me_(me) {
    for (const rank_t r : peers) peers_.push_back({{r}});
  }

  std::vector<tried_peer> run(std::uint64_t within_ns) {
    const std::uint64_t until = deadline_after_ns(within_ns);
    std::uint64_t leave = 0;
    while (!is_broken()) {
      for (one& p : peers_) send(p);
      const bool came = receive();
      for (network::loss l = net_.lost(); l.rank != no_rank; l = net_.lost()) note(l);
      const std::uint64_t now = now_ns();
      const bool all = std::ranges::all_of(peers_, [](const one& p) { return p.what.good() && p.told == words::heard; });
      if (all && leave == 0) leave = now + last_word_leaves_within_ns;
      if (now >= until || (leave != 0 && now >= leave)) break;
      if (!came) sched_yield();
    }
    std::vector<tried_peer> found;
    for (const one& p : peers_) found.push_back(p.what);
    return found;
  }

 private:
  enum class words { none, first, heard };
  struct one {
    tried_peer what;
    words told = words::none;
  };

  void send(one& p) {
    const words wanted = p.what.heard ? words::heard : words::first;
    if (p.told == wanted) return;
    std::byte* const room = net_.acquire(p.what.rank, sizeof(trial_word));
    if (room == nullptr) return;
    const trial_word word{.from = me_, .heard = wanted == words::heard};
    std::memcpy(room, &word, sizeof word);
    net_.submit(p.what.rank, sizeof word);
    p.told = wanted;
  }

  bool receive() {
    const network::arrival came = net_.poll();
    if (came.data == nullptr) return false;
    trial_word word;
    if (came.bytes >= sizeof word) {
      std::memcpy(&word, came.data, sizeof word);
      const auto p = std::ranges::find_if(peers_, [&](const one& each) { return each.what.rank == word.from; });
      if (word.magic == trial_word::good_magic && p != peers_.end()) {
        p->what.heard = true;
        p->what.answered |= word.heard != 0;
      }
    }
    net_.release(came.token);
    return true;
  }

  void note(const network::loss& l) {
    for (one& p : peers_)
      if (p.what.rank == l.rank || l.rank == me_) p.what.why = l.why != nullptr ? l.why : "the connection broke";
  }
  bool is_broken() const {
    return std::ranges::any_of(peers_, [](const one& p) { return !p.what.why.empty(); });
  }

  network& net_;
  rank_t me_;
  std::vector<one> peers_;
};

}  // namespace

std::vector<tried_peer> try_peers(network& net, rank_t me, const std::vector<rank_t>& peers, std::uint64_t within_ns) {
  return trial(net, me, peers).run(within_ns);
}

trial_port::trial_port(std::uint32_t address) {
  if (address == 0) return;
  descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = address;
  socklen_t size = sizeof here;
  const bool good = made.get() >= 0 && bind(made.get(), reinterpret_cast<const sockaddr*>(&here), size) == 0 &&
                    listen(made.get(), 8) == 0 && getsockname(made.get(), reinterpret_cast<sockaddr*>(&here), &size) == 0;
  if (!good) return;
  listener_ = std::move(made);
  place_ = {address, here.sin_port};
}

std::vector<bool> try_places(const std::vector<trial_place>& places, std::uint64_t within_ns) {
  std::vector<bool> good;
  const std::uint64_t until = deadline_after_ns(within_ns);
  std::vector<descriptor> calls;
  for (const trial_place& one : places) {  // all at a time
    descriptor& call = calls.emplace_back(one.address != 0 ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1);
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_addr.s_addr = one.address;
    there.sin_port = std::uint16_t(one.port);
    good.push_back(call.get() < 0 || connect(call.get(), reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0 ||
                   errno == EINPROGRESS);
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!good[i] || calls[i].get() < 0) continue;
    const std::uint64_t now = now_ns();
    pollfd ready{calls[i].get(), POLLOUT, 0};
    int error = 0;
    socklen_t size = sizeof error;
    good[i] = poll(&ready, 1, now < until ? int((until - now) / 1'000'000) + 1 : 0) == 1 &&
              getsockopt(calls[i].get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  }
  return good;
}

}  // namespace armilla::detail
