// SPDX-License-Identifier: Apache-2.0
// What new ranks may rely on, a scene each: new_rank_scenes SCENE [MILLISECONDS]. Driven by on_replace_test.py.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>
#include <armilla/array.hpp>
#include <armilla/bitmap.hpp>
#include <armilla/disjoint_set.hpp>
#include <armilla/matrix.hpp>
#include <armilla/unordered_map.hpp>
#include <armilla/vector.hpp>

namespace am = armilla;

namespace {

using namespace std::chrono_literals;

constexpr am::rank_t lost = 1;

void kill_this() { kill(getpid(), SIGKILL); }

/// When the others have passed the barrier.
void die() {
  am::sleep_for(30ms);
  kill_this();
}

bool is_here() { return am::joined(); }

/// Until another rank in the lost one's place answers.
void await_successor() {
  for (;;) try {
      if (am::call(lost, is_here).get()) return;
      am::sleep_for(1ms);
    } catch (const am::rank_lost&) { am::sleep_for(1ms); }
}

void say(const char* what) {
  std::printf("rank %d: %s\n", int(am::rank()), what);
  std::fflush(stdout);
}

/// The others stay until rank 0 has done its part: none comes once a rank is at its end.
am::per_rank<int> over;

void stay() {
  if (am::rank() == 0)
    for (am::rank_t r = 2; r < am::ranks(); ++r) am::async(r, [] { *over = 1; });
  else
    while (*over == 0) am::sleep_for(1ms);
}

// ---- what was the lost rank's is old ----

struct thing {
  int value = 7;
  int get() const { return value; }
};

// The lost rank has asked rank 0 for as much, in the same order, as its successor has when both are answered.
constexpr int two_way_calls = 300;
am::per_rank<int> asked;

int answer_when_both_have_asked(int what) {
  for (++*asked; *asked < 2 * two_way_calls;) am::sleep_for(1ms);
  return what;
}

std::vector<am::future<int>> ask_all(int first) {
  std::vector<am::future<int>> all;
  for (int i = 0; i < two_way_calls; ++i) all.push_back(am::call(0, answer_when_both_have_asked, first + i));
  am::flush();
  return all;
}

void old_replies() {
  if (am::rank() == lost) {
    const auto all = ask_all(-two_way_calls);
    die();
  }
  while (am::rank() == 0 && *asked < 2 * two_way_calls) am::sleep_for(1ms);
}

void ask_like_the_lost() {
  auto all = ask_all(0);
  bool right = true;
  for (int i = 0; i < two_way_calls; ++i) right &= all[std::size_t(i)].get() == i;
  say(right ? "replies are those that were asked for" : "WRONG replies");
}

void old_objects() {
  am::remote<thing> object;
  if (am::rank() == 0) object = am::create<thing>(lost).get();
  am::barrier();
  if (am::rank() == lost) die();
  if (am::rank() != 0) return;
  await_successor();
  const auto other = am::create<thing>(lost).get();
  try {
    am::call<&thing::get>(object).get();
    say("WRONG: an old name finds an object");
  } catch (const am::error&) { say("an old name finds nothing"); }
  if (am::call<&thing::get>(other).get() != 7) say("WRONG: a new one does not");
}

// ---- unless their class says how they are made again ----

class ledger final {
 public:
  explicit ledger(long balance) : balance_(balance) {}
  static std::unique_ptr<ledger> made_again(am::remote<ledger> self);
  void pay_in(long n) { balance_ += n; }
  long balance() const { return balance_; }
  bool is(const am::remote<ledger>& other) const { return other.local() == this; }

 private:
  long balance_;
};
std::map<am::remote<ledger>, long> saved;  // on rank 0
am::per_rank<int> made;                    // again, on the new rank

std::unique_ptr<ledger> ledger::made_again(am::remote<ledger> self) {
  ++*made;
  const long balance = am::call(0, [](const am::remote<ledger>& of) { return saved[of]; }, self).get();
  if (balance == 0) throw std::runtime_error("not yet");
  return balance < 0 ? nullptr : std::make_unique<ledger>(balance);
}

std::string balance_of(const am::remote<ledger>& l) {
  try {
    return std::to_string(am::call<&ledger::balance>(l).get());
  } catch (const am::remote_error& e) { return std::string(e.what()).find("not yet") != std::string::npos ? "not yet" : "none"; }
}

// Ranks 0 and 2 call it, the latter in several fibers.
void pay_in_by_all(const am::remote<ledger>& l) {
  await_successor();
  am::parfor(0, 10, [&](int) { am::call<&ledger::pay_in>(l, 1L).get(); });
  am::async(0, [] { ++*asked; });
  while (am::rank() == 0 && *asked < 2) am::sleep_for(1ms);
}

void objects_again() {
  const auto make = [] { return am::create<ledger>(lost, 100L).get(); };
  am::remote<ledger> kept, ended, barred, late;
  if (am::rank() == 0) {
    kept = make(), ended = make(), barred = make(), late = make();
    saved = {{kept, 200}, {ended, 300}, {barred, -1}, {late, 0}};
  }
  kept = am::broadcast(kept, 0);
  am::barrier();
  if (am::rank() == lost) die();
  if (am::rank() == 0 || am::rank() == 2) pay_in_by_all(kept);
  if (am::rank() != 0) return;
  const std::string paid_in = balance_of(kept);
  if (!am::call<&ledger::is>(kept, kept).get()) say("WRONG: its name means another");
  const std::string first = balance_of(late);
  saved[late] = 5;
  const std::string second = balance_of(late);
  am::destroy(ended), am::destroy(kept);
  say((paid_in + ", " + first + ", " + second + ", " + balance_of(barred) + ", " + balance_of(ended) + ", " + balance_of(kept))
          .c_str());
  say(("made " + std::to_string(am::call(lost, [] { return *made; }).get()) + " times").c_str());
}

// The successor provides the same methods, in another order: where the lost one had them is of no use.
constexpr am::method<int()> one{"scene.one"}, two{"scene.two"};

int say_one() { return 1; }
int say_two() { return 2; }

void old_methods() {
  if (am::rank() == lost) am::provide<one, &say_one>(), am::provide<two, &say_two>();
  am::barrier();
  if (am::rank() == 0 && (am::call<one>(lost).get() != 1 || am::call<two>(lost).get() != 2)) say("WRONG before the loss");
  am::barrier();
  if (am::rank() == lost) die();
  if (am::rank() != 0) return;
  await_successor();
  say(am::call<two>(lost).get() == 2 && am::call<one>(lost).get() == 1 ? "names find the methods" : "WRONG methods");
}

void provide_otherwise() { am::provide<two, &say_two>(), am::provide<one, &say_one>(); }

// ---- parts ----

struct bins {
  int count = 0;
  void add(int n) { count += n; }
  int get() const { return count; }
};

void parts() {
  const am::unordered_map<int, int> before;  // which the new rank does not make
  am::distributed<bins> all;
  am::barrier();
  if (am::rank() == lost && !am::joined()) die();
  if (am::rank() != 0) return;
  await_successor();
  for (int i = 0; i < 100; ++i) am::async<&bins::add>(all.on(lost), 1);
  say(am::call<&bins::get>(all.on(lost)).get() == 100 ? "a fresh part counts" : "WRONG count");
}

void be_part() {
  am::distributed<bins> all;
  am::sleep_for(300ms);
}

bool is_lost_in(auto&& operation) {
  try {
    operation();
  } catch (const am::rank_lost&) { return true; }
  return false;
}

// One that the new rank does not make: what waits for it is lost when that rank's function ends.
void unmade_parts() {
  am::distributed<bins> all;
  am::barrier();
  if (am::rank() == lost) die();
  if (am::rank() != 0) return;
  await_successor();
  for (int i = 0; i < 100; ++i) am::async<&bins::add>(all.on(lost), 1);
  auto asked = am::call<&bins::get>(all.on(lost));
  am::async(lost, [] { *over = 1; });
  say(is_lost_in([&] { asked.get(); }) ? "a part that is not made again is lost" : "WRONG: a part answers");
}

void make_no_part() {
  while (*over == 0) am::sleep_for(1ms);
}

// ---- containers that were made before: the new rank has no part of them ----

using words = am::unordered_map<long, std::string>;

// One-way calls are dropped; what waits for the lost rank throws. Returns how much of that does not.
int ask_lost_part(words& map) {
  int wrong = 0;
  for (long key = 0; key < 200; ++key) {
    map.visit(key, [](std::string& word) { word += "!"; });
    if (map.rank_of(key) != lost) continue;
    wrong += !is_lost_in([&] { map.find(key).get(); });
    wrong += !is_lost_in([&] { map.call(key, [](const std::string& word) { return word.size(); }).get(); });
  }
  const auto read_here = [](words::handle_type here) { return here->size(); };
  am::async(lost, [](words::handle_type here) { here->insert(1, "one"); }, map.handle());
  return wrong + !is_lost_in([&] { am::call(lost, read_here, map.handle()).get(); });
}

// Where memory is shared these are loads and stores, and the memory is the new rank's.
template <class Numbers>
int lost_elements(Numbers& x) {
  int wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x.rank_of(i) == lost)
      wrong += !is_lost_in([&] { x[i] = 1; }) + !is_lost_in([&] { (void)long(x[i]); }) + !is_lost_in([&] { x.get(i).get(); }) +
               !is_lost_in([&] { x.store(i, 1); });
  return wrong;
}

int lost_bits(am::bitmap& seen) {
  int wrong = 0;
  for (std::size_t i = 0; i < seen.size(); i += 64)
    if (seen.rank_of(i) == lost)
      wrong += !is_lost_in([&] { seen.set(i); }) + !is_lost_in([&] { static_cast<void>(seen.test_and_set(i)); }) +
               !is_lost_in([&] { static_cast<void>(seen.test(i)); });
  return wrong;
}

// `numbers` has as many elements as there are in sets. One-way calls to lost ranks are dropped.
int lost_sets(am::disjoint_set& sets, const am::array<long>& numbers) {
  int wrong = 0;
  for (std::size_t i = 1; i < numbers.size(); ++i)
    if (numbers.rank_of(i) == lost) {
      sets.unite(i, 0);
      wrong += !is_lost_in([&] { static_cast<void>(sets.test_and_unite(i, 0).get()); }) +
               !is_lost_in([&] { static_cast<void>(sets.find(i).get()); });
    }
  return wrong;
}

// The new rank waits for a team meanwhile, which the others make when they have their answers.
void old_containers() {
  const am::team some = am::world().split(am::rank() < 3 ? 0 : 1);
  words of_all, of_some(some);
  am::array<std::string> texts(100);
  am::array<long> numbers(100), moved(std::move(numbers));
  am::bitmap seen(1000);
  am::disjoint_set sets(100), other_sets(std::move(sets));
  am::vector<double> reals(100);
  am::matrix<float> table({10, 10});
  am::barrier();
  if (am::rank() == lost) die();
  if (am::rank() != 0) return;
  await_successor();
  int wrong = ask_lost_part(of_all) + ask_lost_part(of_some);
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (texts.rank_of(i) == lost) wrong += !is_lost_in([&] { texts[i] = "of another"; });
  wrong += lost_elements(moved) + lost_elements(reals) + lost_bits(seen) + lost_sets(other_sets, moved);
  for (std::size_t i = 0; i < 10; ++i)
    if (table.rank_of({i, 0}) == lost)
      wrong += !is_lost_in([&] { table(i, 0) = 1; }) + !is_lost_in([&] { (void)float(table(i, 0)); });
  const auto count_here = [](am::array<std::string>::handle_type here) { return here->local().size(); };
  wrong += !is_lost_in([&] { am::call(lost, count_here, texts.handle()).get(); });
  say(wrong == 0 ? "they are lost with their rank" : ("WRONG: " + std::to_string(wrong) + " are not lost").c_str());
}

// ---- others ----

void fences_of_all() {
  if (am::rank() == lost) die();
  if (am::rank() != 0) return;
  await_successor();
  const auto meet_all = [] {
    try {
      am::world().barrier();
    } catch (const am::usage_error&) { return std::string("it is not in the team of all ranks"); }
    return std::string("WRONG: a barrier of all");
  };
  say(am::call(lost, am::as_fiber(meet_all)).get().c_str());
}

void fence_in_new_rank() {
  try {
    am::fence();
  } catch (const am::usage_error&) { say("no fence of all ranks"); }
}

/// In a team, of which it may have one.
void come_into_one() {
  if (!am::await_team()) say("WRONG: no team");
  try {
    am::await_team();
    say("WRONG: another team");
  } catch (const am::usage_error&) { say("one team"); }
}

void take_in() {
  if (am::rank() == lost) die();
  am::team t = am::world().survivors();
  while (t.size() < am::ranks()) t = t.grow();
}

using kept_numbers = am::array<std::uint64_t>;
constexpr std::size_t numbers = 1000;

/// On each member of the team, which a new rank is in: elements, and that they survive the next loss.
void check_kept(am::team t, kept_numbers x) {
  x.checkpoint(2);
  const std::uint64_t sum = am::reduce(x, std::uint64_t{0});
  if (sum != numbers * (numbers - 1) / 2) say(("WRONG: the sum is " + std::to_string(sum)).c_str());
  for (std::size_t i = 0; i < numbers; i += 97)
    if (x[i] != i) say("WRONG: an element");
  t.fence();
  if (t.rank() == 0) say(("elements of " + std::to_string(t.size()) + " ranks").c_str());
}

void take_in_with_elements() {
  kept_numbers x(numbers);
  am::iota(x, std::uint64_t{0});
  x.keep(1);
  x.checkpoint(1);
  am::barrier();
  if (am::rank() == lost) die();
  am::team t = am::world().survivors();
  auto recovered = x.recover(t);
  x = std::move(recovered.container);
  while (t.size() < am::ranks())
    if (const am::team more = t.grow(); more.size() > t.size()) {
      x = am::rebalance(more, std::move(x));
      t = more;
    }
  check_kept(t, std::move(x));
}

void come_with_elements() {
  const am::team t = am::await_team();
  check_kept(t, am::rebalance<kept_numbers>(t));
}

/// libfabric takes up to a second to open in a new process.
std::chrono::milliseconds time_for_new_ranks(std::chrono::milliseconds in_memory) {
  const char* const fabric = std::getenv("ARMILLA_FABRIC");
  return in_memory * (fabric != nullptr && std::string(fabric) == "ofi" ? 8 : 1);
}

void wait_a_while() {
  if (am::rank() == lost) die();
  am::sleep_for(time_for_new_ranks(2500ms));
}

// Each rank of the start fails. A replacement that starts meanwhile finds no team, and ends well.
void all_fail(int milliseconds) {
  if (am::rank() == lost) die();
  am::sleep_for(std::chrono::milliseconds(milliseconds));
  throw std::runtime_error("this one, too");
}

// Rank 0 has come to its end before the loss.
void late() {
  if (am::rank() == lost) {
    am::sleep_for(100ms);
    die();
  }
  if (am::rank() == 2) am::sleep_for(time_for_new_ranks(300ms));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string scene = argc > 1 ? argv[1] : "";
  if (scene == "by_session") {
    am::session all(argc, argv);
    if (am::joined())
      say("joined");
    else if (am::rank() == lost)
      die();
    else
      await_successor();
    return 0;
  }
  if (scene == "serves")
    return am::run_main(argc, argv, [] {
      am::async(lost, kill_this);
      await_successor();
      say("served");
    });
  if (scene != "nothing_said")
    am::on_join([&] {
      if (scene == "short_lives") kill_this();
      if (scene == "old_replies") ask_like_the_lost();
      if (scene == "old_methods") provide_otherwise();
      if (scene == "parts") be_part();
      if (scene == "unmade_parts") make_no_part();
      if (scene == "old_containers") am::await_team();
      if (scene == "one_team") come_into_one();
      if (scene == "fence_in_new_rank") fence_in_new_rank();
      if (scene == "with_elements") come_with_elements();
      if (scene == "all_fail") am::await_team();
      if (scene == "alone" && !am::await_team()) say("no team any more");
    });
  return am::run(argc, argv, [&] {
    am::barrier();
    if (scene == "old_replies") old_replies();
    if (scene == "old_objects") old_objects();
    if (scene == "old_methods") old_methods();
    if (scene == "objects_again") objects_again();
    if (scene == "parts") parts();
    if (scene == "unmade_parts") unmade_parts();
    if (scene == "old_containers") old_containers();
    if (scene == "fences_of_all") fences_of_all();
    if (scene.starts_with("old_") || scene.ends_with("parts") || scene == "objects_again" || scene == "fences_of_all") stay();
    if (scene == "one_team") take_in();
    if (scene == "with_elements") take_in_with_elements();
    if (scene == "late") late();
    if (scene == "all_fail") all_fail(std::atoi(argv[2]));
    if (scene == "short_lives" || scene == "fence_in_new_rank" || scene == "nothing_said" || scene == "alone" ||
        scene == "no_memory")
      wait_a_while();
  });
}
