// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <poll.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "channel.hpp"

namespace armilla::run {

/// In the place of the host's number, where the hosts of a job meet and have no numbers yet.
inline constexpr std::uint32_t any_host = ~std::uint32_t(0);

/// What an agent is told on its standard input: where to call, and how it proves which agent it is. Command lines and
/// environments are for others to read.
struct call_text {
  job_key key{};
  std::string host;
  std::uint32_t number = 0;  ///< of the host, in the job's list
  int port = 0;
  std::vector<std::string> addresses;

  std::string line() const;
  /// False if the line is none.
  bool read(const std::string& line);
};

/// The agent's side: calls at each address in turn, again while one of them takes its calls. Both prove that they know the key;
/// null if no side there does.
std::unique_ptr<channel> call_root(const call_text& call);

/// One call at each of the addresses. Null: `error` is that of the last one, or 0 if a call was taken by who does not know the
/// key.
std::unique_ptr<channel> call_once(const call_text& call, int& error);

/// The one address of this host from which all `hosts` are reached, the loopback if they are all this one; 0: their names do not
/// tell, or there are several.
std::uint32_t address_towards(const std::vector<std::string>& hosts);

/// The side of armilla-run: a port at which the agents call. Any other caller is sent away, and nothing else happens.
class call_port {
 public:
  explicit call_port(const job_key& key) : key_(key) {}
  /// At this address alone; 0: at all of this host. Throws `error` if there is no port.
  void open(std::uint32_t address);
  /// At this port, which the hosts of the job know; false, with errno: it is no port of this host, or in use.
  bool open_at(std::uint32_t address, int port);
  bool is_open() const noexcept { return listener_ >= 0; }
  void close();  ///< no agent has to call any more
  int number() const noexcept { return port_; }
  const std::vector<std::string>& addresses() const noexcept { return addresses_; }

  void watch(std::vector<pollfd>& list) const;
  /// When a caller must have spoken.
  std::uint64_t until_ns() const;
  /// Takes in calls, without waiting: hands each agent over that proves to be one and that `expects(number of its host)`.
  void look(const std::function<bool(std::uint32_t)>& expects,
            const std::function<void(std::uint32_t, std::unique_ptr<channel>)>& take);

 private:
  /// Callers that have not proved yet to be agents.
  struct caller {
    int socket;
    job_key number;
    std::uint64_t until_ns;
    std::string said;
  };
  void accept_callers();
  bool has_spoken(caller& c, agent_greeting& said);

  const job_key& key_;
  int listener_ = -1, port_ = 0;
  std::vector<std::string> addresses_;
  std::list<caller> callers_;
};

}  // namespace armilla::run
