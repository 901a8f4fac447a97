// SPDX-License-Identifier: Apache-2.0
#include "backends/conformance/traffic.hpp"

#include <sched.h>

#include <cstdio>
#include <cstring>

namespace conformance {
namespace {

/// Where in a long row of noise the content of a frame begins.
std::size_t place(const frame_head& h) { return (h.number * 2654435761u + h.source * 40503u) >> 7 & 4095; }

std::vector<std::byte> noise(std::size_t bytes) {
  std::vector<std::byte> all(bytes);
  for (std::size_t i = 0; i < bytes; ++i) all[i] = std::byte(std::uint8_t(i * 0x9e3779b97f4a7c15ull >> 53));
  return all;
}

}  // namespace

traffic::traffic(const joined& j) : job_(j), net_(*j.net), peers_(std::size_t(j.ranks)), noise_(noise(4096 + j.net->most())) {
  held_.reserve(net_.held_at_most());
}

void traffic::begin(const char* name, size_function size) {
  name_ = name;
  size_ = size;
  ++phase_;
  for (peer& p : peers_) {
    const std::uint32_t meetings = p.meetings;
    p = {};
    p.meetings = meetings;
  }
  meet();
}

bool traffic::submit(rank_t to, kind what, std::uint32_t number, std::size_t bytes) {
  if (number % 7 == 3) (void)net_.acquire(to, 8);  // acquiring again gives room anew
  std::byte* room = net_.acquire(to, bytes);
  if (room == nullptr) return false;
  if (reinterpret_cast<std::uintptr_t>(room) % 8 != 0) job_.fail("%s: room that is not aligned to 8", name_);
  const frame_head head{what, phase_, std::uint16_t(job_.rank), number};
  std::memcpy(room, &head, sizeof head);
  std::memcpy(room + sizeof head, &noise_[place(head)], bytes - sizeof head);
  net_.submit(to, bytes);
  return true;
}

bool traffic::send(rank_t to) {
  peer& p = peers_[std::size_t(to)];
  if (p.sent - p.credited >= window) return false;
  if (!submit(to, data, p.sent, size_(p.sent, net_.most()))) return false;
  ++p.sent;
  return true;
}

void traffic::look(const network::arrival& a, const frame_head& head, const char* when) const {
  frame_head now{};
  std::memcpy(&now, a.data, sizeof now);
  if (std::memcmp(&now, &head, sizeof now) != 0) job_.fail("%s: the head of a frame changed %s", name_, when);
  if (std::memcmp(a.data + sizeof head, &noise_[place(head)], a.bytes - sizeof head) != 0)
    job_.fail("%s: the content of frame %u from rank %d, %zu bytes, is wrong %s", name_, head.number, head.source, a.bytes, when);
}

void traffic::take(const network::arrival& a, std::size_t hold) {
  frame_head head{};
  if (a.bytes < sizeof head) job_.fail("%s: a frame of %zu bytes", name_, a.bytes);
  if (reinterpret_cast<std::uintptr_t>(a.data) % 8 != 0) job_.fail("%s: a frame that is not aligned to 8", name_);
  std::memcpy(&head, a.data, sizeof head);
  if (head.source >= job_.ranks) job_.fail("%s: a frame from rank %d", name_, head.source);
  if (a.source != armilla::detail::no_rank && a.source != head.source)
    job_.fail("%s: the network says rank %d, the frame %d", name_, a.source, head.source);
  peer& p = peers_[head.source];
  if (head.kind == data) {
    if (head.phase != phase_ || head.number != p.received)
      job_.fail("%s: frame %u of phase %d from rank %d, where %u of phase %d was due", name_, head.number, head.phase,
                head.source, p.received, phase_);
    if (a.bytes != size_(head.number, net_.most()))
      job_.fail("%s: frame %u from rank %d has %zu bytes, not %zu", name_, head.number, head.source, a.bytes,
                size_(head.number, net_.most()));
    look(a, head, "on arrival");
    ++p.received;
    held_.push_back({a, head});
    while (held_.size() > hold) release_one();
    return;
  }
  if (head.kind == credit) p.credited += head.number;
  if (head.kind == here) p.meetings = head.number;
  net_.release(a.token);
}

void traffic::release_one() {
  random_ = random_ * 1664525u + 1013904223u;
  const std::size_t which = (random_ >> 8) % held_.size();
  const held_frame out = held_[which];
  held_[which] = held_.back();
  held_.pop_back();
  look(out.frame, out.head, "while it was held");
  net_.release(out.frame.token);
  ++peers_[out.head.source].released;
}

void traffic::give_credit(bool all) {
  for (rank_t r = 0; r < job_.ranks; ++r) {
    peer& p = peers_[std::size_t(r)];
    const std::uint32_t due = p.released - p.returned;
    if (due != 0 && (all || due >= window / 2) && submit(r, credit, due, sizeof(frame_head))) p.returned += due;
  }
}

bool traffic::poll(std::size_t hold) {
  const network::arrival a = net_.poll();
  const network::loss loss = net_.lost();
  if (loss.rank != armilla::detail::no_rank) job_.fail("%s: rank %d is lost: %s", name_, loss.rank, loss.why);
  if (a.data != nullptr) take(a, hold < net_.held_at_most() ? hold : net_.held_at_most() - 1);
  give_credit(meeting_);
  if (a.data == nullptr) {
    // A rank that holds frames while none can send would wait for ever.
    if (!held_.empty()) release_one();
    waiting();
    return false;
  }
  idle_ = 0;
  return true;
}

void traffic::waiting() {
  if (++idle_ == 1) since_ = std::chrono::steady_clock::now();
  if (idle_ > 50) sched_yield();
  if (idle_ % 1024 == 0 && std::chrono::steady_clock::now() - since_ > std::chrono::seconds(20)) {
    for (rank_t r = 0; r < job_.ranks; ++r) {
      const peer& p = peers_[std::size_t(r)];
      std::fprintf(stderr, "  rank %d with %d: sent %u, credited %u, received %u, returned %u, meeting %u of %u\n", job_.rank, r,
                   p.sent, p.credited, p.received, p.returned, p.meetings, meetings_);
    }
    job_.fail("%s: nothing came for 20 s", name_);
  }
}

void traffic::end() {
  meeting_ = true;
  while (!held_.empty()) release_one();
  for (;;) {
    bool over = true;
    for (const peer& p : peers_) over = over && p.credited == p.sent && p.returned == p.received;
    if (over) break;
    poll();
  }
  meet();
}

void traffic::meet() {
  ++meetings_;
  meeting_ = true;
  for (rank_t r = 0; r < job_.ranks; ++r)
    if (r != job_.rank)
      while (!submit(r, here, meetings_, sizeof(frame_head))) poll();
  for (rank_t r = 0; r < job_.ranks; ++r)
    while (r != job_.rank && peers_[std::size_t(r)].meetings < meetings_) poll();
  meeting_ = false;
}

void traffic::settle() {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  while (std::chrono::steady_clock::now() < until) poll();
}

}  // namespace conformance
