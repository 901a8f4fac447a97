// SPDX-License-Identifier: Apache-2.0
#include "armilla/client/rank_line.hpp"

#include <linux/futex.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/values/clock.hpp"
#include "armilla/client/look.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t spin_ns = 20'000;
constexpr std::uint64_t look_every_ns = 50'000'000;  // whether the rank still lives
constexpr std::uint64_t look_at_another_ns = 500'000;

std::string reason() { return std::generic_category().message(errno); }

std::uint32_t random_number() noexcept {
  std::uint32_t number = std::uint32_t(now_ns());
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) < 0) errno = 0;  // the clock tells two mailboxes apart as well
  return number;
}

mailbox_answer& in_mailbox(client_answer& one) noexcept { return static_cast<mailbox_answer&>(one); }

bool is_reply(std::uint32_t state) noexcept { return state != client_slot::asked && state != client_slot::running; }

// Lines that the rank wrote last, to be written: they come together, while the message is made.
void prefetch_for_writing(const client_slot& slot) noexcept {
  __builtin_prefetch(&slot.state, 1);
  __builtin_prefetch(slot.room, 1);
}

}  // namespace

rank_line::rank_line(std::shared_ptr<job_memory> job, rank_t to) : client_line(to), job_(std::move(job)), forks_(forks_so_far()) {
  std::ranges::fill(overflow_, -1);
  check_rank("call");
  if (!job_->write_control()) throw_limit("attach", fmt::format("the job's control pages cannot be written to: {}", reason()));
  box_ = mapped_mailbox::make();
  if (box_ == nullptr) throw_limit("call", fmt::format("no memory for calls of rank {}: {}", this->to(), reason()));
  take_place();
}

// The rank sees that the place is empty, or another's, when it is called next.
rank_line::~rank_line() {
  if (forked()) return;  // it is the parent's
  for (auto& one : in_slot_)
    if (one != nullptr) drop(*one);
  std::uint64_t mine = word_;
  control().clients[place_].compare_exchange_strong(mine, 0, std::memory_order_relaxed);
  for (const int file : overflow_)
    if (file >= 0) close(file);
}

bool rank_line::forked() const noexcept { return forks_ != forks_so_far(); }

bool rank_line::good() const noexcept { return !forked() && control().clients[place_].load(std::memory_order_relaxed) == word_; }

void rank_line::check_line(std::string_view name) const {
  check_rank(name);
  if (!good())
    throw_limit("call",
                fmt::format("rank {} could not open what this process writes calls to, or this is a forked child; '{}' does not "
                            "begin: call again",
                            to(), name));
}

void rank_line::check_rank(std::string_view name) const {
  const rank_record& record = job_->job().rank[to()];
  const pid_t process = record.pid.load(std::memory_order_relaxed);
  const char state = process_state(process);
  if (record.stage.load(std::memory_order_acquire) == rank_stage::finished || state == 0 || state == 'Z')
    throw_rank_lost(to(), "call", fmt::format("has ended (process {}); there is no reply to '{}'", process, name));
}

// A place whose attached client is dead is free. All attached clients of a rank may come at once.
void rank_line::take_place() {
  word_ = client_place{getpid(), box_->file(), random_number()}.word();
  for (place_ = 0; place_ < control_block::client_places; ++place_) {
    std::uint64_t before = control().clients[place_].load(std::memory_order_relaxed);
    if (!is_taken(before) && control().clients[place_].compare_exchange_strong(before, word_, std::memory_order_seq_cst)) return;
  }
  place_ = 0;
  throw_limit("call", fmt::format("rank {} has {} attached clients already, and takes no more; end one", to(),
                                  control_block::client_places));
}

std::shared_ptr<client_answer> rank_line::ask(const client_two_way_call& what, std::uint64_t patience_ns) {
  std::uint64_t deadline_ns = 0;
  __builtin_prefetch(&(*box_)->asked, 1);
  __builtin_prefetch(&control().called, 1);
  for (unsigned turn = 0;;) {  // any of them may end first
    std::shared_ptr<mailbox_answer> other;
    {
      const std::lock_guard lock(lock_);
      if (const int slot = free_slot(); slot >= 0) {
        prefetch_for_writing((*box_)->slot[slot]);
        auto one = std::make_shared<mailbox_answer>(what.name, slot);
        client_slot& place = (*box_)->slot[slot];
        put(place, what);
        in_slot_[slot] = one;
        place.state.store(client_slot::asked, std::memory_order_release);
        (*box_)->asked.fetch_or(1u << slot, std::memory_order_release);
        control().called.fetch_or(1u << place_, std::memory_order_seq_cst);
        if (control().sleeping.load(std::memory_order_seq_cst) != awake) wake(control());
        return one;
      }
      other = in_slot_[turn++ % client_mailbox::slots];
    }
    if (deadline_ns == 0) deadline_ns = now_ns() + patience_ns;
    if (!wait(*other, now_ns() + look_at_another_ns) && now_ns() >= deadline_ns)
      throw_limit("call", fmt::format("{} calls of rank {} are under way, and none has ended: '{}' does not begin; wait for some "
                                      "of them first",
                                      client_mailbox::slots, to(), what.name));
  }
}

bool rank_line::has_room() {
  const std::lock_guard lock(lock_);
  return free_slot() >= 0;
}

// Replies that wait to be fetched make room.
int rank_line::free_slot() {
  for (int slot = 0; slot < client_mailbox::slots; ++slot) {
    if (in_slot_[slot] != nullptr) take_reply(*std::shared_ptr(in_slot_[slot]));
    if (in_slot_[slot] == nullptr) return slot;
  }
  return -1;
}

void rank_line::put(client_slot& slot, const client_two_way_call& what) {
  const std::size_t behind_name = align_up(what.name.size(), 8), letters = behind_name + align_up(what.signature.size(), 8);
  const std::size_t bytes = letters + what.message.size();
  const auto write = [&](char* to) {
    std::memcpy(to, what.name.data(), what.name.size());
    std::memcpy(to + behind_name, what.signature.data(), what.signature.size());
    if (!what.message.empty()) std::memcpy(to + letters, what.message.data(), what.message.size());
  };
  int& beside = overflow_[&slot - (*box_)->slot];
  if (beside < 0 && (beside = make_client_file()) < 0)
    throw_limit("call", fmt::format("no file for a long call of rank {}: {}", to(), reason()));
  slot.overflow = beside;
  slot.request = what.request;
  slot.name_bytes = std::uint32_t(what.name.size());
  slot.signature_bytes = std::uint32_t(what.signature.size());
  slot.hash = what.hash;
  slot.message_bytes = bytes;
  slot.sleeps.store(0, std::memory_order_relaxed);
  if (bytes <= sizeof slot.room) return write(slot.room);
  std::vector<std::byte> all(bytes);
  write(reinterpret_cast<char*>(all.data()));
  write_into_slot(slot, all, *box_);
}

// A long reply's memory goes with its file.
void rank_line::take_reply(mailbox_answer& one) {
  if (one.slot < 0) return;
  client_slot& slot = (*box_)->slot[one.slot];
  const std::uint32_t state = slot.state.load(std::memory_order_acquire);
  if (state != client_slot::answered && state != client_slot::failed) return;
  try {
    one.bytes = read_from_slot(slot, slot.reply_bytes, *box_);
    one.outcome = state == client_slot::failed ? client_outcome::thrown : client_outcome::answered;
  } catch (const error& why) {  // this call alone fails
    const std::string text = std::string("armilla::limit_error") + '\0' + why.what();
    one.bytes.assign(reinterpret_cast<const std::byte*>(text.data()),
                     reinterpret_cast<const std::byte*>(text.data() + text.size()));
    one.outcome = client_outcome::thrown;
  }
  one.done.store(true, std::memory_order_release);
  int& beside = overflow_[one.slot];
  if (slot.reply_bytes > sizeof slot.room || slot.message_bytes > sizeof slot.room) close(std::exchange(beside, -1));
  slot.state.store(client_slot::free, std::memory_order_relaxed);
  in_slot_[std::exchange(one.slot, -1)] = nullptr;
}

bool rank_line::ready(client_answer& one) { return take_if_there(in_mailbox(one)); }

bool rank_line::take_if_there(mailbox_answer& one) {
  const std::lock_guard lock(lock_);
  take_reply(one);
  return one.done;
}

// Null: the reply is there.
client_slot* rank_line::slot_of(mailbox_answer& one) {
  const std::lock_guard lock(lock_);
  take_reply(one);
  return one.done ? nullptr : &(*box_)->slot[one.slot];
}

// Looks without the lock, and seldom at the clock; between two looks it leaves the line to the rank that writes it.
bool rank_line::spin(client_answer& one, std::uint64_t span_ns) {
  constexpr unsigned looks_a_clock = 16;
  const client_slot* const slot = slot_of(in_mailbox(one));
  if (slot == nullptr) return true;
  std::uint64_t began = 0;
  for (unsigned looks = 1;; ++looks) {
    if (one.done.load(std::memory_order_acquire)) return true;  // another thread has made room
    if (is_reply(slot->state.load(std::memory_order_acquire)) && ready(one)) return true;
    if (looks % looks_a_clock == 0) {
      const std::uint64_t now = now_ns();
      if (began == 0) began = now;
      if (now - began >= span_ns) return false;
    }
    relax();
  }
}

bool rank_line::wait(client_answer& one, std::uint64_t deadline_ns) {
  if (spin(one, spin_ns)) return true;
  client_slot* const slot = slot_of(in_mailbox(one));
  if (slot == nullptr) return true;
  for (std::uint64_t checked = now_ns();;) {
    if (one.done.load(std::memory_order_acquire)) return true;
    const std::uint32_t state = slot->state.load(std::memory_order_acquire);
    if (is_reply(state) && ready(one)) return true;
    const std::uint64_t now = now_ns();
    if (deadline_ns != 0 && now >= deadline_ns) return ready(one);
    if (now - checked >= look_every_ns) {
      checked = now;
      if (!ready(one)) try {
          check_line(one.name);
        } catch (const error&) {
          if (!ready(one)) throw;  // else it came just before the end
        }
    }
    sleep_at(*slot, state, std::min(deadline_ns != 0 ? deadline_ns : ~std::uint64_t(0), checked + look_every_ns));
  }
}

void rank_line::sleep_at(client_slot& slot, std::uint32_t state, std::uint64_t deadline_ns) noexcept {
  if (is_reply(state)) return;
  slot.sleeps.store(1, std::memory_order_seq_cst);
  const std::uint64_t now = now_ns(), span = deadline_ns > now ? deadline_ns - now : 0;
  const timespec most{time_t(span / 1'000'000'000), long(span % 1'000'000'000)};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&slot.state), FUTEX_WAIT, state, &most, nullptr, 0);
}

void rank_line::drop(client_answer& dropped) noexcept {
  mailbox_answer& one = in_mailbox(dropped);
  if (forked()) return;
  const std::lock_guard lock(lock_);
  if (one.slot < 0) return;
  client_slot& slot = (*box_)->slot[one.slot];
  std::uint32_t asked = client_slot::asked;
  if (slot.state.compare_exchange_strong(asked, client_slot::free, std::memory_order_acq_rel))
    in_slot_[std::exchange(one.slot, -1)] = nullptr;
}

std::string rank_line::why_late(client_answer& late, double seconds) {
  const mailbox_answer& one = in_mailbox(late);
  const std::lock_guard lock(lock_);
  const bool begun = one.slot >= 0 && (*box_)->slot[one.slot].state.load(std::memory_order_acquire) == client_slot::running;
  return fmt::format("'{}' of rank {} has {} within {:.1f} s: the rank {}", one.name, to(),
                     begun ? "begun, but not ended" : "not begun", seconds, what_it_does(look_at(*job_, to())));
}

}  // namespace armilla::detail
