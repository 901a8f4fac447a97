// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/shared_network.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/core/options.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/event_count.hpp"
#include "armilla/fabric/frame.hpp"

namespace armilla::detail {
namespace {

constexpr int frames_a_look = 32;                 // for the other one, before this one goes on
constexpr std::uint64_t least_after_ns = 20'000;  // below that the timer would wake the thread as often as what comes

}  // namespace

/// One call into the network.
class shared_network::turn {
 public:
  explicit turn(side& who) : who_(who) {
    if (std::exchange(who.filling_, false)) return;  // its turn goes on; what was acquired is forgotten
    who.enter();
  }
  ~turn() {
    if (!kept_on_) who_.leave();
  }
  turn(const turn&) = delete;
  /// It ends with another call.
  void keep_on() noexcept { kept_on_ = who_.filling_ = true; }

 private:
  side& who_;
  bool kept_on_ = false;
};

shared_network::shared_network(network& net, control_block& rank, control_block& progress_thread, std::uint64_t after_ns,
                               std::size_t most_kept)
    : net_(net), after_ns_(after_ns), most_kept_(most_kept), rank_(*this, rank, true), thread_(*this, progress_thread, false) {}

void shared_network::side::enter() { of_rank_ ? all_.busy_.lock_as_owner() : all_.busy_.lock(); }

void shared_network::side::leave() noexcept { of_rank_ ? all_.busy_.unlock_as_owner() : all_.busy_.unlock(); }

std::byte* shared_network::side::reach(rank_t r, unsigned part) {
  const turn mine(*this);
  return all_.net_.reach(r, part);
}

std::byte* shared_network::side::acquire(rank_t to, std::size_t bytes) {
  turn mine(*this);
  std::byte* const place = all_.net_.acquire(to, bytes);
  if (place != nullptr) mine.keep_on();
  return place;
}

void shared_network::side::submit(rank_t to, std::size_t bytes) {
  const turn mine(*this);
  all_.net_.submit(to, bytes);
}

// What cannot be right is the rank's, which says so.
shared_network::side& shared_network::whose(const network::arrival& a) noexcept {
  network_head head;
  if (a.bytes < sizeof head) return rank_;
  std::memcpy(&head, a.data, sizeof head);
  return head.lane == frame_lane::progress_thread ? thread_ : rank_;
}

// The progress thread is told of the last look: one that saw the first alone would take a rank that waits for one that computes.
// By the processor's counter, as the rank polls all the time.
void shared_network::note_look_of_rank() {
  if (gate_.is_open() && after_ns_ >= least_after_ns)
    gate_.shut(after_ns_);
  else if (looked_.load(std::memory_order_relaxed) == 0)
    return;
  looked_.store(ticks() | 1, std::memory_order_relaxed);
}

// One result, filled where the caller wants it: a rank that waits is here most of the time.
network::arrival shared_network::side::poll() {
  arrival mine;
  bool for_other = false;
  {
    const turn here(*this);
    looks.store(looks.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (!kept_.empty())
      mine = first_kept();
    else if (looks_itself)
      for_other = look(mine);
  }
  side& other = of_rank_ ? all_.thread_ : all_.rank_;
  if (for_other && !(of_rank_ && all_.rank_serves_.load(std::memory_order_relaxed))) notify(other.owner);
  return mine;
}

// True: something was for the other side. For credit alone that need not wake.
bool shared_network::side::look(arrival& mine) {
  if (of_rank_) all_.note_look_of_rank();
  side& other = of_rank_ ? all_.thread_ : all_.rank_;
  bool for_other = false;
  for (int i = 0; i < frames_a_look; ++i) {
    const arrival a = all_.net_.poll();
    if (a.data == nullptr) break;
    if (&all_.whose(a) == this) {
      mine = a;
      break;
    }
    for_other |= a.bytes > sizeof(network_head);
    other.keep(a);
  }
  return for_other;
}

// Counters of two cores may differ by a little: a look is not in the future.
std::uint64_t shared_network::looked_at(std::uint64_t now) noexcept {
  const std::uint64_t then = looked_.exchange(0, std::memory_order_relaxed), here = ticks();
  return then == 0 || here <= then ? now : now - std::min(now, ticks_to_ns(here - then));
}

void shared_network::serve_by(const server& both) {
  const std::lock_guard mine(serving_);
  server_ = both;
  rank_serves_.store(both.serve != nullptr, std::memory_order_relaxed);
}

// A progress thread that has the lock looks once more at what is kept before it sleeps.
bool shared_network::serve() {
  const std::unique_lock mine(serving_, std::try_to_lock);
  return mine && server_.serve != nullptr && server_.serve(server_.argument);
}

bool answers_by_thread(const options& settings, const network& net) noexcept {
  switch (settings.progress) {
    case progress_mode::poll: return false;
    case progress_mode::thread:
    case progress_mode::signal: return true;
    case progress_mode::automatic: break;
  }
  const bool goes_on_alike = settings.max_ranks == 0 && settings.on_loss != loss_use::replace;  // new ranks have none
  return net.any_thread() && net.descriptor() >= 0 && settings.fabric != "loop" && goes_on_alike;
}

// By its owner's frames first: those in front of what the network has. Its token is where it lies, which no token of the network
// is meanwhile.
network::arrival shared_network::side::first_kept() {
  kept_frame first = std::move(kept_.front());
  kept_.pop_front();
  kept_bytes_ -= first.bytes;
  kept_count_.store(kept_.size(), std::memory_order_relaxed);
  const auto* const data = reinterpret_cast<const std::byte*>(first.copy.get());
  handed_out_.push_back(std::move(first.copy));
  return {data, first.bytes, first.source, reinterpret_cast<std::uintptr_t>(data)};
}

void shared_network::side::keep(const arrival& a) {
  if (a.bytes > all_.most_kept_ - kept_bytes_) {
    const rank_t source = a.source;
    all_.net_.release(a.token);
    throw_decode(
        source, "receive",
        fmt::format("more than {} bytes of frames wait here, the last of rank {}, which its credit does not allow; do all "
                    "ranks run the same version of Armilla?",
                    all_.most_kept_, source));
  }
  kept_bytes_ += a.bytes;
  kept_frame mine{std::make_unique_for_overwrite<std::uint64_t[]>((a.bytes + 7) / 8), a.bytes, a.source};
  std::memcpy(mine.copy.get(), a.data, a.bytes);
  all_.net_.release(a.token);
  kept_.push_back(std::move(mine));
  kept_count_.store(kept_.size(), std::memory_order_release);
}

void shared_network::side::release(std::uintptr_t token) {
  const auto at =
      std::ranges::find(handed_out_, token, [](const auto& copy) { return reinterpret_cast<std::uintptr_t>(copy.get()); });
  if (at != handed_out_.end()) {
    handed_out_.erase(at);
    return;
  }
  const turn here(*this);
  all_.net_.release(token);
}

std::uintptr_t shared_network::side::send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) {
  const turn mine(*this);
  return all_.net_.send_bulk(to, id, data, bytes);
}

std::uintptr_t shared_network::side::receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) {
  const turn mine(*this);
  return all_.net_.receive_bulk(from, id, data, bytes);
}

bool shared_network::side::done(std::uintptr_t transfer) {
  const turn mine(*this);
  return all_.net_.done(transfer);
}

// One that fails takes back what the other side has armed, which then has to look by itself.
bool shared_network::side::arm() {
  {
    const turn mine(*this);
    if (!kept_.empty()) return false;
    if (!of_rank_) all_.gate_.open();
    if (all_.net_.arm()) return true;
  }
  notify((of_rank_ ? all_.thread_ : all_.rank_).owner);
  return false;
}

int shared_network::side::descriptor() const noexcept {
  const turn mine(const_cast<side&>(*this));
  const int of_network = all_.net_.descriptor();
  return of_rank_ ? of_network : all_.gate_.descriptor(of_network);
}

// What the other one has under way with that rank ends, too, perhaps before it has heard why.
void shared_network::side::give_up(rank_t r) {
  const turn mine(*this);
  all_.net_.give_up(r);
  (of_rank_ ? all_.thread_ : all_.rank_).losses_.push_back({r, "it is lost"});
}

network::loss shared_network::side::lost() {
  const turn mine(*this);
  loss next = all_.net_.lost();
  if (next.rank != no_rank) {
    (of_rank_ ? all_.thread_ : all_.rank_).losses_.push_back(next);
  } else if (!losses_.empty()) {
    next = losses_.front();
    losses_.pop_front();
  }
  return next;
}

}  // namespace armilla::detail
