// SPDX-License-Identifier: Apache-2.0
#include "channel.hpp"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "armilla/boot/wire_up/agent_line.hpp"

namespace armilla::run {
namespace {

constexpr std::uint32_t longest = 1 << 30;  // an exchange of all ranks
constexpr int little = 16384;               // on its way, far less than the least that a socket holds

struct head {
  std::uint32_t what, bytes;
  unsigned char seal[sizeof(proof)];
};

proof keyed_hash(const job_key& key, std::string_view text) {
  proof hash{};
  unsigned int n = 0;
  if (HMAC(EVP_sha256(), key.data(), int(key.size()), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
           hash.data(), &n) == nullptr)
    throw std::runtime_error("libcrypto computes no HMAC");
  return hash;
}

template <class T>
void append(std::string& text, const T& value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string about(const char* who, const job_key& roots_number, const agent_greeting& said) {
  std::string text = who;
  append(text, roots_number);
  append(text, said.number);
  append(text, said.host);
  return text;
}

}  // namespace

job_key random_key() {
  job_key key;
  if (getrandom(key.data(), key.size(), 0) != ssize_t(key.size())) throw std::runtime_error("the system has no random numbers");
  return key;
}

job_key key_from(std::string_view secret) { return keyed_hash(job_key{}, secret); }

std::string as_hex(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char b : bytes) text += {"0123456789abcdef"[b >> 4], "0123456789abcdef"[b & 15]};
  return text;
}

bool from_hex(std::string_view text, std::span<unsigned char> bytes) {
  if (text.size() != 2 * bytes.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char* const digit = std::strchr("0123456789abcdef", text[i]);
    if (digit == nullptr || *digit == 0) return false;
    const auto value = static_cast<unsigned char>(std::strlen("0123456789abcdef") - std::strlen(digit));
    bytes[i / 2] = static_cast<unsigned char>(i % 2 == 0 ? value << 4 : bytes[i / 2] | value);
  }
  return true;
}

agent_greeting greet(const job_key& key, const job_key& roots_number, std::uint32_t host) {
  agent_greeting mine{host, random_key(), {}};
  mine.knows = keyed_hash(key, about("agent", roots_number, mine));
  return mine;
}

bool believable(const job_key& key, const job_key& roots_number, const agent_greeting& said) {
  return same(said.knows, keyed_hash(key, about("agent", roots_number, said)));
}

proof answer(const job_key& key, const job_key& roots_number, const agent_greeting& said) {
  return keyed_hash(key, about("root", roots_number, said));
}

job_key session_of(const job_key& key, const job_key& roots_number, const agent_greeting& said) {
  return keyed_hash(key, about("session", roots_number, said));
}

bool same(const proof& a, const proof& b) { return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0; }

channel::channel(channel&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      session_(other.session_),
      root_(other.root_),
      garbled_(other.garbled_),
      sent_(other.sent_),
      received_(other.received_),
      incoming_(std::move(other.incoming_)),
      waiting_(std::move(other.waiting_)) {}

channel::~channel() {
  if (socket_ >= 0) close(socket_);
}

proof channel::seal(bool from_root, std::uint64_t number, std::uint32_t what, std::string_view text) const {
  std::string all = from_root ? "r" : "a";
  append(all, number);
  append(all, what);
  append(all, std::uint64_t(text.size()));
  all.append(text);
  return keyed_hash(session_, all);
}

bool channel::send(word what, std::string_view text) noexcept try {
  head h{what, std::uint32_t(text.size()), {}};
  const proof seals = seal(root_, sent_++, what, text);
  std::memcpy(h.seal, seals.data(), seals.size());
  if (detail::write_fully(socket_, &h, sizeof h) && detail::write_fully(socket_, text.data(), text.size())) return true;
  note_error();
  return false;
} catch (const std::exception&) { return false; }

void channel::send_later(word what, std::string text) {
  if (text.size() <= most_later) waiting_.push_back({what, std::move(text)});
}

bool channel::send_waiting() noexcept {
  for (; !waiting_.empty(); waiting_.pop_front()) {
    int on_its_way = 0;
    if (ioctl(socket_, SIOCOUTQ, &on_its_way) != 0 || on_its_way > little) return false;
    if (send(word(waiting_.front().what), waiting_.front().text)) continue;
    waiting_.clear();  // it is broken, as the next receive() says
    return true;
  }
  return true;
}

// The first one counts: what follows is of a connection that is closed.
void channel::note_error() noexcept {
  if (broken_by_ == 0) broken_by_ = errno;
  timed_out_ |= errno == ETIMEDOUT || errno == EHOSTUNREACH || errno == ENETUNREACH;
}

void channel::break_after(std::uint64_t timeout_ns) noexcept {
  if (timeout_ns == 0) return;
  const auto ms = int(std::min<std::uint64_t>(timeout_ns / 1'000'000, INT_MAX));
  const int on = 1, idle_s = std::max(1, ms / 4000), every_s = std::max(1, ms / 8000);
  setsockopt(socket_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(socket_, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  setsockopt(socket_, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof every_s);
  setsockopt(socket_, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms);
}

bool channel::receive() noexcept try {
  char bytes[65536];
  for (;;) {
    const auto n = recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n > 0) {
      incoming_.append(bytes, std::size_t(n));
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (n < 0) note_error();
    return false;
  }
} catch (const std::exception&) { return false; }

std::optional<channel::frame> channel::next() {
  head h;
  if (garbled_ || incoming_.size() < sizeof h) return std::nullopt;
  std::memcpy(&h, incoming_.data(), sizeof h);
  garbled_ = h.bytes > longest;
  if (garbled_ || incoming_.size() < sizeof h + h.bytes) return std::nullopt;
  frame f{h.what, incoming_.substr(sizeof h, h.bytes)};
  proof said;
  std::memcpy(said.data(), h.seal, said.size());
  garbled_ = !same(said, seal(!root_, received_++, f.what, f.text));
  incoming_.erase(0, sizeof h + h.bytes);
  if (garbled_) return std::nullopt;
  return f;
}

}  // namespace armilla::run
