// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/remote_link.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <new>

#include <fmt/format.h>

#include "armilla/error.hpp"
#include "armilla/fabric/pair_weight.hpp"
#include "armilla/ring/ring.hpp"

namespace armilla::detail {

struct remote_link::peer {
  std::uint64_t sent = 0;          // lines
  std::uint64_t acknowledged = 0;  // of them the peer has taken these, as far as known
  std::uint64_t taken = 0;         // lines
  std::uint64_t reported = 0;      // of them the peer has been told
  std::uint64_t next_out = 0;      // number of the next frame
  std::uint64_t next_in = 0;
  std::uint64_t released = 0;     // frames, of those in front of `next_in`
  std::uint64_t events_sent = 0;  // of those of the link
  std::uint64_t events_taken = 0;
  std::uint32_t next_bulk = 0;
  bool forgotten = false;
  bool held = false;                     // nothing of it is taken
  bool is_cut = false;                   // and nothing ever will
  bool shut = false;                     // only words are
  bool put_back = false;                 // the same, because of the first one in `kept`
  bool queued = false;                   // stands in `waiting_`
  bool owes = false;                     // stands in `owing_`
  std::uint64_t stored = 0;              // lines of counted frames in `kept` and `early`
  std::deque<frame> kept;                // in turn, but came while the source was held, or was early
  std::map<std::uint64_t, frame> early;  // came before those in front of them

  static std::uint64_t lines_of(const frame& f) noexcept { return f.control ? 0 : lines_for(f.bytes); }
  // The next one that may be taken; the end: none.
  std::deque<frame>::iterator next_kept() {
    if (held) return kept.end();
    return shut || put_back ? std::find_if(kept.begin(), kept.end(), [](const frame& f) { return f.word; }) : kept.begin();
  }
  // What had come early follows those in front of it. So early ones are always beyond `next_in`.
  void bring_up() {
    for (auto first = early.begin(); first != early.end() && first->first == next_in; ++next_in, first = early.erase(first))
      kept.push_back(first->second);
  }
};

remote_link::remote_link(network& net, rank_t me, rank_t ranks, std::uint64_t window_bytes, role who)
    : net_(net),
      me_(me),
      ranks_(ranks),
      ends_(end_t(ranks) * (who == role::rank_with_thread ? 2 : 1)),
      lane_(who == role::progress_thread ? frame_lane::replies : frame_lane::bodies),
      first_of_lane_{who == role::progress_thread ? no_end : 0, who == role::progress_thread ? 0 : no_end,
                     who == role::rank_with_thread ? end_t(ranks) : no_end},
      bulk_step_(who == role::rank ? 1 : frame_lanes + 1),
      most_((net.most() - sizeof(network_head)) / 8 * 8),
      window_(std::max<std::uint64_t>(window_bytes / cache_line, 4 * lines_for(most_))) {
  peers_ = zeroed_array<peer*>(ends_);
}

remote_link::~remote_link() {
  for (const end_t e : met_) {
    const std::unique_ptr<peer> p(peers_[e]);
    for (const frame& f : p->kept) delete[] f.copy;
    for (const auto& [number, f] : p->early) delete[] f.copy;
  }
}

inline remote_link::peer& remote_link::peer_of(end_t e) {
  if (peers_[e] == nullptr) [[unlikely]]
    meet(e);
  return *peers_[e];
}

void remote_link::meet(end_t e) {
  auto fresh = std::make_unique<peer>();
  met_.push_back(e);
  peers_[e] = fresh.release();
}

// ---- sending ----

bool remote_link::admits(end_t to, std::size_t bytes) const noexcept {
  const peer* const p = peers_[to];
  return p == nullptr || p->sent + lines_for(bytes) - p->acknowledged <= window_;
}

std::byte* remote_link::reserve(end_t to, std::size_t bytes) {
  (void)peer_of(to);
  if (!admits(to, bytes)) [[unlikely]]
    return nullptr;
  return reserve_control(to, bytes);
}

std::byte* remote_link::reserve_control(end_t to, std::size_t bytes) {
  std::byte* const place = net_.acquire(rank_of(to), bytes + sizeof(network_head));
  return place == nullptr ? nullptr : place + sizeof(network_head);
}

std::uint64_t remote_link::sent(end_t to) const noexcept {
  const peer* const p = peers_[to];
  return p != nullptr ? p->sent : 0;
}

std::uint32_t remote_link::next_bulk(end_t to) { return peer_of(to).next_bulk++ * bulk_step_ + std::uint32_t(lane_to(to)); }

void remote_link::publish(std::byte* bundles, end_t to, std::size_t bytes, kind how) {
  peer& p = peer_of(to);
  // Written where it leaves: a copy would be read by longer words than it was just written by, and wait for them.
  new (bundles - sizeof(network_head)) network_head{
      network_head::good_mark, 0, std::uint8_t(how), lane_to(to), std::uint32_t(me_), std::uint32_t(bytes), p.next_out, p.taken};
  p.reported = p.taken;
  if (bytes != 0) ++p.next_out;
  if (bytes != 0 && how != kind::watch && !p.forgotten) ++events_sent_, ++p.events_sent;
  if (bytes != 0 && how == kind::counted) {
    p.sent += lines_for(bytes);
    sent_ += lines_for(bytes) * pair_weight(std::uint32_t(me_), to);
  }
  net_.submit(rank_of(to), bytes + sizeof(network_head));
}

// A frame that only says what was taken in. It needs no credit: there is one for many lines.
void remote_link::tell(end_t to) {
  if (std::byte* const place = net_.acquire(rank_of(to), sizeof(network_head)))
    return publish(place + sizeof(network_head), to, 0);
  peer& p = peer_of(to);
  if (!p.owes) owing_.push_back(to);
  p.owes = true;
}

void remote_link::forget(rank_t r) noexcept {
  for (end_t e = end_t(r); e < ends_; e += end_t(ranks_)) {
    peer* const p = peers_[e];
    if (p == nullptr || p->forgotten) continue;
    events_sent_ -= p->events_sent;
    events_taken_ -= p->events_taken;
    p->forgotten = true;
  }
}

// ---- receiving ----

std::uint64_t remote_link::taken(end_t source) const noexcept {
  const peer* const p = peers_[source];
  return p != nullptr ? p->taken : 0;
}

void remote_link::hold(end_t source) { peer_of(source).held = true; }

bool remote_link::is_held(end_t source) const noexcept { return peers_[source] != nullptr && peers_[source]->held; }

void remote_link::shut_out(end_t source, bool shut) {
  peer_of(source).shut = shut;
  take_turn(source);
}

// What is wrong with a frame's own words; null: nothing. `value`: what it says.
inline const char* remote_link::damage(const network::arrival& a, std::uint64_t& value) const noexcept {
  const auto& head = *reinterpret_cast<const network_head*>(a.data);
  if (value = a.bytes; a.bytes < sizeof head) return "the length of a frame";
  if (value = head.mark; head.mark != network_head::good_mark) return "the mark of a frame";
  if (value = head.source; head.source >= std::uint32_t(ranks_) || rank_t(head.source) == me_) return "the source of a frame";
  if (a.source != no_rank && rank_t(head.source) != a.source) return "the source of a frame";
  if (value = head.control; head.control > std::uint8_t(kind::watch)) return "the kind of a frame";
  if (value = std::uint64_t(head.lane); value >= frame_lanes || first_of_lane_[value] == no_end) return "the lane of a frame";
  if (value = head.bytes; head.bytes != a.bytes - sizeof head || head.bytes % 8 != 0 || head.bytes > most_)
    return "the length of a frame";
  return nullptr;
}

inline const network_head& remote_link::check(const network::arrival& a) {
  std::uint64_t value = 0;
  if (const char* const what = damage(a, value)) [[unlikely]]
    refuse_damage(a, what, value);
  return *reinterpret_cast<const network_head*>(a.data);
}

void remote_link::refuse_damage(const network::arrival& a, const char* what, std::uint64_t value) {
  rank_t source = a.source;
  if (source == no_rank && a.bytes >= sizeof(network_head)) {
    const std::uint32_t said = reinterpret_cast<const network_head*>(a.data)->source;
    if (said < std::uint32_t(ranks_)) source = rank_t(said);
  }
  refuse(a, source, what, value);
}

// The network gets its buffer back: what others send still arrives.
void remote_link::refuse(const network::arrival& a, rank_t source, const char* what, std::uint64_t value) {
  net_.release(a.token);
  throw_damaged(source, what, value);
}

// Budget: the usual frame is in turn; words of its head are read once, where they lie.
bool remote_link::take(const network::arrival& a, frame& f) {
  const network_head& head = check(a);  // the network's again when the frame is released
  const auto source = rank_t(head.source);
  const std::uint64_t number = head.number, said = head.taken;
  const end_t from = first_of_lane_[std::size_t(head.lane)] + end_t(source);
  peer& p = peer_of(from);
  if (said > p.sent) [[unlikely]]
    refuse(a, source, "the lines taken in, said by a frame", said);
  if (said > p.acknowledged) p.acknowledged = said;
  f.data = a.data + sizeof head;
  f.bytes = head.bytes;
  f.source = source;
  f.token = a.token;
  f.control = head.control != 0;
  f.word = head.control >= std::uint8_t(kind::word);
  f.watch = head.control == std::uint8_t(kind::watch);
  f.copy = nullptr;
  f.next = nullptr;
  f.end = from;
  if (number == p.next_in && !p.held && !p.shut && f.bytes != 0 && p.kept.empty()) [[likely]] {
    ++p.next_in;
    if (!p.early.empty()) [[unlikely]]
      p.bring_up(), take_turn(from);
    return true;
  }
  if (f.bytes == 0 || number < p.next_in) {  // a word about credit, or a frame that has come before
    net_.release(a.token);
    return false;
  }
  store(a, f, number);
  return false;
}

// A frame that is early, or behind others that wait here.
void remote_link::store(const network::arrival& a, const frame& f, std::uint64_t number) {
  peer& p = peer_of(f.end);
  // Neither can be early, nor wait here, what may not be under way.
  if (number - p.next_in > window_) refuse(a, f.source, "the number of a frame", number);
  const std::uint64_t lines = p.lines_of(f);
  if (number != p.next_in && p.early.contains(number)) return net_.release(a.token);
  if (p.stored + lines > window_) refuse(a, f.source, "the lines under way, with a frame", p.stored + lines);
  const frame copy = copy_of(f);
  net_.release(f.token);
  p.stored += lines;
  if (number != p.next_in) {
    p.early.emplace(number, copy);
    return;
  }
  ++p.next_in;
  p.kept.push_back(copy);
  p.bring_up();
  take_turn(f.end);
}

remote_link::frame remote_link::copy_of(const frame& f) {
  frame kept = f;
  kept.copy = new std::byte[f.bytes];
  std::memcpy(kept.copy, f.data, f.bytes);
  kept.data = kept.copy;
  return kept;
}

// Of a copy: the network has few buffers, and others need them.
std::byte* remote_link::put_back(const frame& f, const std::byte* next) {
  peer& p = peer_of(f.end);
  const std::ptrdiff_t done = next - f.data;
  put_back_.reserve(put_back_.size() + 1);
  p.kept.push_front(f);
  if (f.copy == nullptr) {
    try {
      p.kept.front() = copy_of(f);
    } catch (...) {
      p.kept.pop_front();
      throw;
    }
    net_.release(f.token);
  }
  frame& kept = p.kept.front();
  kept.next = kept.data + done;
  p.stored += p.lines_of(f);
  p.put_back = true;
  put_back_.push_back(f.end);
  return kept.copy + done;
}

void remote_link::take_up_from(end_t source) {
  peer_of(source).put_back = false;
  take_turn(source);
}

void remote_link::go_on(end_t source) {
  peer& p = peer_of(source);
  p.held = p.is_cut;
  take_turn(source);
}

// What is kept of it stands in line, if any may be taken.
void remote_link::take_turn(end_t source) {
  peer& p = peer_of(source);
  if (p.queued || p.next_kept() == p.kept.end()) return;
  p.queued = true;
  waiting_.push_back(source);
}

bool remote_link::take_waiting(frame& f) {
  while (!waiting_.empty()) {
    peer& p = peer_of(waiting_.front());
    if (const auto first = p.next_kept(); first != p.kept.end()) {
      f = *first;
      p.kept.erase(first);
      p.stored -= p.lines_of(f);
      return true;
    }
    p.queued = false;
    waiting_.pop_front();
  }
  return false;
}

bool remote_link::next(frame& f) {
  if (!waiting_.empty() && take_waiting(f)) [[unlikely]]
    return true;
  if (!owing_.empty()) [[unlikely]] {
    const end_t to = owing_.back();
    owing_.pop_back();
    peer_of(to).owes = false;
    tell(to);
  }
  for (;;) {
    const network::arrival a = net_.poll();
    if (a.data == nullptr) return false;
    if (take(a, f)) return true;
    if (!waiting_.empty() && take_waiting(f)) return true;
  }
}

void remote_link::release(const frame& f) {
  peer& p = peer_of(f.end);
  if (f.copy != nullptr) [[unlikely]]
    delete[] f.copy;
  else
    net_.release(f.token);
  ++p.released;
  if (!f.watch && !p.forgotten) ++events_taken_, ++p.events_taken;
  if (f.control) return;
  ++frames_taken_;
  p.taken += lines_for(f.bytes);
  if (!is_progress_thread(f.end)) taken_ += lines_for(f.bytes) * pair_weight(f.end, std::uint32_t(me_));
  if (p.taken - p.reported > window_ / 4) tell(f.end);
}

// ---- ranks that come into the running job ----

void remote_link::cut(end_t source) {
  peer& p = peer_of(source);
  p.held = p.is_cut = true;
}

bool remote_link::is_done_with(end_t source) const noexcept {
  const peer* const p = peers_[source];
  if (p == nullptr) return true;
  if (p->held && !p->is_cut) return false;  // a long message of it is under way, or its body runs
  return p->released + (p->is_cut ? p->kept.size() : 0) == p->next_in;
}

void remote_link::begin_again(end_t e) {
  peer& p = peer_of(e);
  for (const auto& [number, f] : p.early) delete[] f.copy;
  p.early.clear();
  for (const frame& f : p.kept) delete[] f.copy;
  p.kept.clear();
  p.is_cut = false;
  p.stored = 0;
  p.acknowledged = p.sent;
  p.reported = p.taken;
  p.next_out = p.next_in = p.released = 0;
  if (!p.forgotten) events_sent_ -= p.events_sent, events_taken_ -= p.events_taken;
  p.events_sent = p.events_taken = 0;
  p.next_bulk = 0;
  p.forgotten = false;
  p.shut = p.put_back = p.owes = false;
  std::erase(owing_, e);
  p.held = true;
}

void remote_link::follow(end_t e, std::uint64_t sent, std::uint64_t taken) {
  peer& p = peer_of(e);
  p.sent = p.acknowledged = sent;
  p.taken = p.reported = taken;
  sent_ += sent * pair_weight(std::uint32_t(me_), e);
  taken_ += taken * pair_weight(e, std::uint32_t(me_));
}

void remote_link::throw_damaged(rank_t source, const char* what, std::uint64_t value) const {
  throw_decode(
      source, "receive",
      fmt::format("{} from rank {} cannot be right ({}); do all ranks run the same version of Armilla?", what, source, value));
}

}  // namespace armilla::detail
