// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/testing/loop_network.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "armilla/boot/host/control_block.hpp"
#include "armilla/error.hpp"
#include "armilla/ring/ring.hpp"

namespace armilla::detail {
namespace {

constexpr std::size_t held_frames = 15;

struct piece_head {
  std::uint64_t id;
  std::uint64_t total;  // bytes of the transfer
  std::uint64_t at;
  std::uint64_t bytes;
};

/// What wakes a rank that sleeps: a socket, named by the kernel, to which a sender writes a byte.
class bell {
 public:
  struct name {  // of a socket, as others get it; no bytes: there is none
    std::uint32_t bytes = 0;
    sockaddr_un where{};
  };

  bell() : socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_un any{};
    any.sun_family = AF_UNIX;
    socklen_t length = sizeof name_.where;
    if (socket_ >= 0 && bind(socket_, reinterpret_cast<const sockaddr*>(&any), sizeof any.sun_family) == 0 &&
        getsockname(socket_, reinterpret_cast<sockaddr*>(&name_.where), &length) == 0)
      name_.bytes = length;
  }
  ~bell() {
    if (socket_ >= 0) close(socket_);
  }
  bell(const bell&) = delete;

  int descriptor() const noexcept { return name_.bytes != 0 ? socket_ : -1; }
  const name& address() const noexcept { return name_; }
  void ring(const name& whose) const noexcept {
    const char byte = 0;
    if (whose.bytes == 0 || whose.bytes > sizeof whose.where) return;
    (void)sendto(socket_, &byte, 1, MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&whose.where), whose.bytes);
  }
  void silence() const noexcept {
    for (char byte; recv(socket_, &byte, 1, MSG_DONTWAIT) >= 0;) {}
  }

 private:
  int socket_;
  name name_;
};

class loop_network final : public network {
 public:
  loop_network(std::byte* host, const host_layout& layout, rank_t me, rank_t ranks) : most_(layout.ring_bytes / 8), me_(me) {
    for (rank_t r = 0; r < ranks; ++r)
      armed_.push_back(&reinterpret_cast<control_block*>(host + layout.control(local_rank(r)))->loop_armed);
    const auto ring = [&](int lane, rank_t from, rank_t to) {
      return ring_memory{host + layout.ring(lane, local_rank(from), local_rank(to)), host_layout::ring_header, layout.ring_bytes};
    };
    for (rank_t r = 0; r < ranks; ++r) {
      peer& p = peers_.emplace_back();
      if (r == me) continue;
      p.out = ring_writer(ring(0, me, r));
      p.in = ring_reader(ring(0, r, me));
      p.bulk_out = ring_writer(ring(1, me, r));
      p.bulk_in = ring_reader(ring(1, r, me));
    }
  }

  const char* name() const noexcept override { return "loop"; }
  const char* version() const noexcept override { return "rings in shared memory"; }
  std::size_t most() const noexcept override { return most_; }
  std::size_t held_at_most() const noexcept override { return held_frames; }

  std::byte* acquire(rank_t to, std::size_t bytes) override { return peers_[std::size_t(to)].out.reserve(bytes, bytes).begin; }
  void submit(rank_t to, std::size_t bytes) override {
    peers_[std::size_t(to)].out.publish(bytes);
    // Pairs with that in `arm`: either this sees that the other is armed, or its last look sees what was published.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::atomic<std::uint32_t>& armed = *armed_[std::size_t(to)];
    if (armed.load(std::memory_order_relaxed) == 0 || armed.exchange(0, std::memory_order_relaxed) == 0) [[likely]]
      return;
    if (names_ != nullptr) bell_.ring(names_[to]);
  }

  std::size_t address_bytes() const noexcept override { return sizeof(bell::name); }
  const std::byte* address() const noexcept override { return reinterpret_cast<const std::byte*>(&bell_.address()); }
  void set_addresses(const std::byte* all) override { names_ = reinterpret_cast<const bell::name*>(all); }
  int descriptor() const noexcept override { return names_ != nullptr ? bell_.descriptor() : -1; }
  bool arm() override {
    bell_.silence();
    armed_[std::size_t(me_)]->store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (std::size_t r = 0; r < peers_.size(); ++r)
      if (rank_t(r) != me_ && peers_[r].in.ready()) return armed_[std::size_t(me_)]->store(0, std::memory_order_relaxed), false;
    return true;
  }

  arrival poll() override {
    if (!sending_.empty() || !expected_.empty()) move_bulk();
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      const auto r = rank_t((std::size_t(next_) + i) % peers_.size());
      if (r == me_) continue;
      ring_reader& in = peers_[std::size_t(r)].in;
      while (in.ready()) {
        const ring_reader::frame f = in.front();
        if (f.bytes == frame_pad) {
          in.release_pad();
          continue;
        }
        if (f.bytes > in.most()) throw_decode(r, "receive", "the length of a frame in a ring cannot be right");
        next_ = rank_t((std::size_t(r) + 1) % peers_.size());
        const std::uintptr_t token = copy_of(f.data, f.bytes);
        in.release(f.bytes);
        return {slots_[token].get(), f.bytes, r, token};
      }
    }
    return {};
  }
  void release(std::uintptr_t token) override { free_slots_.push_back(token); }

  std::uintptr_t send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) override {
    sending_.push_back({++transfers_, to, id, data, bytes, 0});
    move_bulk();
    return transfers_;
  }
  std::uintptr_t receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) override {
    expected_.push_back({++transfers_, from, id, data, bytes, 0});
    move_bulk();
    return transfers_;
  }
  bool done(std::uintptr_t transfer) override { return done_.erase(transfer) != 0; }
  void give_up(rank_t r) override {
    for (const outgoing& o : sending_)
      if (o.to == r) finished(o.number);
    for (const incoming& i : expected_)
      if (i.from == r) finished(i.number);
    std::erase_if(sending_, [r](const outgoing& o) { return o.to == r; });
    std::erase_if(expected_, [r](const incoming& i) { return i.from == r; });
  }
  void finish() override {}

 private:
  struct peer {
    ring_writer out, bulk_out;
    ring_reader in, bulk_in;
  };
  struct outgoing {
    std::uintptr_t number;
    rank_t to;
    std::uint64_t id;
    const std::byte* data;
    std::size_t bytes, at;
  };
  struct incoming {
    std::uintptr_t number;
    rank_t from;
    std::uint64_t id;
    std::byte* data;
    std::size_t bytes, have;
  };

  // A frame that is held keeps no other from coming, as on the networks that this one stands for.
  std::uintptr_t copy_of(const std::byte* data, std::size_t bytes) {
    if (free_slots_.empty()) {
      slots_.push_back(std::make_unique_for_overwrite<std::byte[]>(most_));
      free_slots_.push_back(slots_.size() - 1);
    }
    const std::uintptr_t token = free_slots_.back();
    free_slots_.pop_back();
    std::memcpy(slots_[token].get(), data, bytes);
    return token;
  }

  void move_bulk() {
    for (outgoing& o : sending_) send_pieces(o);
    std::erase_if(sending_, [this](const outgoing& o) {
      if (o.at < o.bytes || o.at == 0) return false;
      finished(o.number);
      return true;
    });
    for (std::size_t r = 0; r < peers_.size(); ++r)
      if (rank_t(r) != me_) take_pieces(rank_t(r));
  }

  // An empty transfer is one empty piece: `at` then says that it has gone.
  void send_pieces(outgoing& o) {
    ring_writer& out = peers_[std::size_t(o.to)].bulk_out;
    do {
      const std::size_t bytes = std::min(o.bytes - o.at, most_ - sizeof(piece_head));
      const ring_writer::room room = out.reserve(sizeof(piece_head) + bytes, sizeof(piece_head) + bytes);
      if (room.begin == nullptr) return;
      const piece_head head{o.id, o.bytes, o.at, bytes};
      std::memcpy(room.begin, &head, sizeof head);
      if (bytes != 0) std::memcpy(room.begin + sizeof head, o.data + o.at, bytes);
      out.publish(sizeof head + bytes);
      o.at += o.bytes == 0 ? 1 : bytes;
    } while (o.at < o.bytes);
  }

  // Pieces stay in their ring until they are expected, unless others behind them are expected.
  void take_pieces(rank_t from) {
    take_unexpected(from);
    ring_reader& in = peers_[std::size_t(from)].bulk_in;
    while (in.ready()) {
      const ring_reader::frame f = in.front();
      if (f.bytes == frame_pad) {
        in.release_pad();
        continue;
      }
      piece_head head;
      std::memcpy(&head, f.data, sizeof head);
      if (f.bytes > in.most() || f.bytes < sizeof head || head.bytes != f.bytes - sizeof head)
        throw_decode(from, "receive", "the length of a piece of bulk in a ring cannot be right");
      const auto to = std::ranges::find_if(expected_, [&](const incoming& i) { return i.from == from && i.id == head.id; });
      if (to != expected_.end())
        take(to, head, f.data + sizeof head);
      else if (std::ranges::none_of(expected_, [&](const incoming& i) { return i.from == from; }))
        return;
      else
        unexpected_[{from, head.id}].emplace_back(head, std::vector(f.data + sizeof head, f.data + sizeof head + head.bytes));
      in.release(f.bytes);
    }
  }

  void take_unexpected(rank_t from) {
    for (auto e = unexpected_.begin(); e != unexpected_.end();) {
      const auto to =
          std::ranges::find_if(expected_, [&](const incoming& i) { return i.from == from && e->first == std::pair(from, i.id); });
      if (to == expected_.end()) {
        ++e;
        continue;
      }
      const incoming wanted = *to;
      for (const auto& [head, bytes] : e->second)
        take(std::ranges::find(expected_, wanted.number, &incoming::number), head, bytes.data());
      e = unexpected_.erase(e);
    }
  }

  void take(std::vector<incoming>::iterator to, const piece_head& head, const std::byte* data) {
    if (to == expected_.end()) return;
    if (head.at <= to->bytes && head.bytes <= to->bytes - head.at && head.bytes != 0)
      std::memcpy(to->data + head.at, data, head.bytes);
    to->have += head.bytes;
    if (to->have < to->bytes) return;
    finished(to->number);
    expected_.erase(to);
  }

  void finished(std::uintptr_t number) { done_.insert(number); }

  bell bell_;
  const bell::name* names_ = nullptr;               // of all ranks
  std::vector<std::atomic<std::uint32_t>*> armed_;  // likewise, where all of them see it
  std::size_t most_;
  rank_t me_;
  rank_t next_ = 0;
  std::vector<peer> peers_;
  std::vector<std::unique_ptr<std::byte[]>> slots_;  // frames that were given out, by token
  std::vector<std::uintptr_t> free_slots_;
  std::uintptr_t transfers_ = 0;
  std::deque<outgoing> sending_;
  std::vector<incoming> expected_;
  std::map<std::pair<rank_t, std::uint64_t>, std::vector<std::pair<piece_head, std::vector<std::byte>>>> unexpected_;
  std::set<std::uintptr_t> done_;
};

}  // namespace

std::unique_ptr<network> make_loop_network(std::byte* host, const host_layout& layout, rank_t me, rank_t ranks) {
  return std::make_unique<loop_network>(host, layout, me, ranks);
}

}  // namespace armilla::detail
