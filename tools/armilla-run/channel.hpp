// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace armilla::run {

using job_key = std::array<unsigned char, 32>;  ///< known to armilla-run and its agents only
using proof = std::array<unsigned char, 32>;

job_key random_key();
/// The key that a secret of the user's stands for.
job_key key_from(std::string_view secret);
std::string as_hex(std::span<const unsigned char> bytes);
bool from_hex(std::string_view text, std::span<unsigned char> bytes);

/// A connection between armilla-run and the agent of one host. Both have proved that they know the job's key by answering the
/// other's random numbers; each frame bears a keyed hash of its content and its number, so that none can be forged, changed,
/// left out or sent again.
class channel {
 public:
  enum word : std::uint32_t {
    job = 1,
    exchange,
    failed,
    done,
    stop,
    signal,
    lost,
    last_meeting,
    gathering,
    look,
    seen,
    circuit,
    offer,
    tree,
    life
  };
  struct frame {
    std::uint32_t what = 0;
    std::string text;
  };

  channel(int socket, const job_key& session, bool root) : socket_(socket), session_(session), root_(root) {}
  channel(channel&& other) noexcept;
  channel& operator=(channel&&) = delete;
  ~channel();

  int socket() const noexcept { return socket_; }
  /// False if the connection is broken.
  bool send(word what, std::string_view text) noexcept;
  /// For what may wait: at most `most_later` bytes, more are dropped; in order among themselves. They leave by `send_waiting`,
  /// each as one frame that the system takes at once, so that a side that does not read blocks nothing, neither now nor at the
  /// next `send`.
  void send_later(word what, std::string text);
  /// False: some has to wait longer.
  bool send_waiting() noexcept;
  static constexpr std::size_t most_later = 8192;
  static constexpr std::uint64_t try_again_ns = 2'000'000;  ///< after which what has to wait may leave
  /// Takes in what has come, without waiting; false if the connection ended or carries what is not ours.
  bool receive() noexcept;
  std::optional<frame> next();
  bool garbled() const noexcept { return garbled_; }
  /// Lets the connection break when the other host has not answered for so long, whether there is something to say or not.
  /// 0: never.
  void break_after(std::uint64_t timeout_ns) noexcept;
  /// It broke because of that, or because there is no way to the other host.
  bool timed_out() const noexcept { return timed_out_; }
  /// Why it broke, as errno; 0: the other side closed it.
  int broken_by() const noexcept { return broken_by_; }

 private:
  void note_error() noexcept;
  proof seal(bool from_root, std::uint64_t number, std::uint32_t what, std::string_view text) const;

  int socket_;
  job_key session_;
  bool root_, garbled_ = false, timed_out_ = false;
  int broken_by_ = 0;
  std::uint64_t sent_ = 0, received_ = 0;
  std::string incoming_;
  std::deque<frame> waiting_;
};

/// What the two say to each other before that, each part of one length. The root sends its number; the agent its greeting; the
/// root its proof.
struct agent_greeting {
  std::uint32_t host;  ///< its place in the list
  std::array<unsigned char, 32> number;
  proof knows;
};
agent_greeting greet(const job_key& key, const job_key& roots_number, std::uint32_t host);
bool believable(const job_key& key, const job_key& roots_number, const agent_greeting& said);
proof answer(const job_key& key, const job_key& roots_number, const agent_greeting& said);
bool same(const proof& a, const proof& b);
job_key session_of(const job_key& key, const job_key& roots_number, const agent_greeting& said);

}  // namespace armilla::run
