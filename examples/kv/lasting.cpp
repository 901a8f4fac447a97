// SPDX-License-Identifier: Apache-2.0
// A key-value service that loses no acknowledged write: ARMILLA_ON_LOSS=continue, and kill any ranks, but fewer than COPIES until
// those that are left say that all copies are there again. All ranks serve, and have clients. What these do and see lies in
// memory that outlives its rank. In the end a rank that is left checks it.
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <armilla/algorithms.hpp>

#include "examples/kv/linearisable.hpp"
#include "examples/kv/replicated_map.hpp"

namespace am = armilla;

namespace {

using kv::operation;
using service = kv::replicated_map<long, long>;

constexpr long clients = 3;  // on each rank
constexpr long most_operations = 500'000;

std::uint64_t now() { return std::uint64_t(std::chrono::steady_clock::now().time_since_epoch().count()); }

/// What the clients of one rank have done. Any rank of its host can read it, also when this one is lost.
class log {
 public:
  log() { *count_ = 0; }
  bool is_full() const { return begun_ == most_operations; }
  /// Before the service hears of it, as that may be the last this rank does.
  long begin(operation::kind what, long key, long written, const kv::content& expected) {
    operations_[begun_] = operation{what, key, written, expected, {}, now()};
    *count_ = ++begun_;
    return begun_ - 1;
  }
  void end(long which, const kv::content& found) {
    operation* const mine = (operations_ + which).local();
    mine->found = found;
    mine->end = now();
  }
  /// Nothing: it lies on another host.
  std::optional<std::vector<operation>> all() const {
    const long* const begun = count_.local();
    if (begun == nullptr) return std::nullopt;
    return std::vector<operation>(operations_.local(), operations_.local() + *begun);
  }

 private:
  am::global_ptr<operation> operations_ = am::allocate<operation>(most_operations);
  am::global_ptr<long> count_ = am::allocate<long>();
  long begun_ = 0;
};

/// One client: gets, puts and exchanges of keys, one after the other. Each value is written once.
void use(service& s, log& mine, long client, long keys, std::uint64_t until) {
  std::mt19937 dice(std::random_device{}());
  auto last = std::vector<kv::content>(std::size_t(keys));  // what this client knows each key to have held
  for (long n = client * most_operations; now() < until && !mine.is_full(); ++n) {
    const long key = long(dice() % std::uint64_t(keys));
    kv::content& known = last[std::size_t(key)];
    const auto what = operation::kind(dice() % 3);
    const long it = mine.begin(what, key, n, known);
    try {
      kv::content found;
      if (what == operation::kind::get) found = s.get(key);
      if (what == operation::kind::put) s.put(key, n);
      if (what == operation::kind::exchange) found = s.compare_exchange(key, known, n);
      mine.end(it, found);
      const bool written = what == operation::kind::put || (what == operation::kind::exchange && found == known);
      known = written ? n : found;
    } catch (const am::rank_lost&) {}  // a write that may have happened
  }
}

std::vector<log> logs;  // of all ranks

/// What the clients of rank `r` have done: read here, or by a rank of its host that is left, and not at its end.
std::optional<std::vector<operation>> operations_of(am::rank_t r) {
  const auto read = [](am::rank_t of) { return logs[std::size_t(of)].all(); };
  if (auto mine = read(r)) return mine;
  const am::team left = am::living();  // at the last meeting
  for (am::rank_t m = 0; m < left.size(); ++m) try {
      if (auto theirs = am::call(left.world_rank(m), read, r).get()) return theirs;
    } catch (const am::rank_lost&) {}  // another one of its host may be left
  return std::nullopt;
}

bool check(long keys) {
  std::vector<operation> history;
  for (am::rank_t r = 0; r < am::ranks(); ++r) {
    const auto some = operations_of(r);
    if (!some) {
      am::print_on(am::rank(), "no rank that is left can read what rank {} did: not checked here\n", r);
      return true;
    }
    history.insert(history.end(), some->begin(), some->end());
  }
  const auto wrong = kv::first_unexplained(history);
  am::print_on(am::rank(), "{} operations on {} keys, {}; {} of {} ranks are left\n", history.size(), keys,
               wrong ? "WRONG" : "right", am::living().size(), am::ranks());
  if (wrong)
    am::print_on(am::rank(), "no order explains what an operation on key {} saw from {} to {}: {}\n", wrong->key, wrong->begin,
                 wrong->end, wrong->found.value_or(-1));
  return !wrong;
}

void meet() {
  try {
    am::fence();
  } catch (const am::rank_lost&) {}  // those that are left have met
}

bool serve(double seconds, long keys, int copies) {
  service mine(copies,
               [](int losses) { am::print_on(am::rank(), "rank {}: all copies again behind {} losses\n", am::rank(), losses); });
  log done;
  logs = am::all_gather(done);
  am::barrier();
  am::print_on(0, "{} ranks serve\n", am::ranks());
  const std::uint64_t until = now() + std::uint64_t(seconds * 1e9);
  am::parfor(0L, clients, [&](long i) { use(mine, done, am::rank() * clients + i, keys, until); });
  meet();  // no operation is under way any more
  for (bool right = true;;) try {
      if (am::living().rank() == 0) right = check(keys);
      am::barrier();  // else that one may have died before it said so
      return right;
    } catch (const am::rank_lost&) {}
}

}  // namespace

int main(int argc, char** argv) { return am::run(argc, argv, "SECONDS KEYS COPIES", serve); }
