// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>

#include "backends/conformance/checks.hpp"

namespace conformance {
namespace {

std::uint64_t word(rank_t from, rank_t to, std::uint32_t id, std::size_t at) {
  return (std::uint64_t(from) << 48) ^ (std::uint64_t(to) << 40) ^ (std::uint64_t(id) << 32) ^ (at * 0x9e3779b97f4a7c15ull);
}

/// One transfer between two ranks and what must be in it.
class transfer {
 public:
  transfer(const joined& j, rank_t from, rank_t to, std::uint32_t id, std::size_t bytes)
      : job_(j), from_(from), to_(to), id_(id), bytes_(bytes), room_(bytes + guard, std::byte{0xEE}) {
    if (from == j.rank)
      for (std::size_t at = 0; at < bytes; at += 8) put(at);
  }
  void start() {
    number_ = from_ == job_.rank ? job_.net->send_bulk(to_, id_, room_.data(), bytes_)
                                 : job_.net->receive_bulk(from_, id_, room_.data(), bytes_);
    if (number_ == 0) job_.fail("bulk of %zu bytes has the number 0", bytes_);
  }
  bool done() {
    if (number_ != 0 && job_.net->done(number_)) {
      number_ = 0;
      look();
    }
    return number_ == 0;
  }

 private:
  static constexpr std::size_t guard = 64;
  void put(std::size_t at) {
    const std::uint64_t w = word(from_, to_, id_, at);
    std::memcpy(&room_[at], &w, bytes_ - at < 8 ? bytes_ - at : 8);
  }
  void look() const {
    for (std::size_t at = 0; at < bytes_; at += 8) {
      const std::uint64_t w = word(from_, to_, id_, at);
      if (std::memcmp(&room_[at], &w, bytes_ - at < 8 ? bytes_ - at : 8) != 0)
        job_.fail("bulk %u of %zu bytes from rank %d to %d is wrong at byte %zu", id_, bytes_, from_, to_, at);
    }
    for (std::size_t at = bytes_; at < room_.size(); ++at)
      if (room_[at] != std::byte{0xEE}) job_.fail("bulk %u of %zu bytes went beyond its end", id_, bytes_);
  }

  const joined& job_;
  rank_t from_, to_;
  std::uint32_t id_;
  std::size_t bytes_;
  std::vector<std::byte> room_;
  std::uintptr_t number_ = 0;
};

using transfers = std::vector<std::unique_ptr<transfer>>;

/// Until all are over, while frames go to all others, if wanted.
void finish_all(const joined& j, traffic& t, transfers& all, bool frames) {
  for (bool over = false; !over;) {
    over = true;
    for (auto& each : all) over = each->done() && over;
    if (!over && frames)
      for (rank_t r = 0; r < j.ranks; ++r)
        if (r != j.rank) t.send(r);
    t.poll(2);
  }
  all.clear();
}

std::size_t frame_size(std::uint32_t number, std::size_t) { return 8 + number % 200; }

}  // namespace

void check_bulk(const joined& j, traffic& t) {
  const std::size_t sizes[] = {0, 1, 8, 511, 4096, 65536, 65537, std::size_t{1} << 20, (std::size_t{16} << 20) + 3};
  std::uint32_t id = 0;
  // Once all receivers wait before anything is sent, once the other way round.
  for (bool senders_first : {false, true}) {
    for (std::size_t bytes : sizes) {
      ++id;
      t.begin("bulk, one at a time", frame_size);
      for (rank_t distance = 1; distance < j.ranks; ++distance) {
        const rank_t to = (j.rank + distance) % j.ranks, from = (j.rank + j.ranks - distance) % j.ranks;
        transfers all;
        all.push_back(std::make_unique<transfer>(j, j.rank, to, id, bytes));
        all.push_back(std::make_unique<transfer>(j, from, j.rank, id, bytes));
        all[senders_first ? 0 : 1]->start();
        t.meet();
        all[senders_first ? 1 : 0]->start();
        finish_all(j, t, all, false);
      }
      t.end();
    }
  }
  // Many at once, from all to all, begun in different orders on the two sides, beside frames; ids beyond 16 bits.
  for (std::uint32_t round = 0; round < 3; ++round) {
    t.begin("bulk, many at once", frame_size);
    transfers all;
    const std::uint32_t count = 24, base = 0xfffffff0u + round;
    for (rank_t r = 0; r < j.ranks; ++r) {
      if (r == j.rank) continue;
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t mixed = i * 7 % count;  // 7 and 24 have no common divisor
        all.push_back(std::make_unique<transfer>(j, j.rank, r, base + i, i * 4999));
        all.push_back(std::make_unique<transfer>(j, r, j.rank, base + mixed, mixed * 4999));
      }
    }
    for (auto& each : all) each->start();
    finish_all(j, t, all, true);
    t.end();
  }
}

}  // namespace conformance
