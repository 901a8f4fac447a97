// SPDX-License-Identifier: Apache-2.0
// No rank dies here: a rank that is asked as the primary takes those before it in the ring for dead.
#include "examples/kv/replicated_map.hpp"

#include "tests/rank_test.hpp"

namespace kv {
namespace {

using part = replica<long, long>;
constexpr long key = 0;  // whose holders are ranks 0, 1, 2 in that order

/// Parts on three ranks. Rank 0 does all that happens.
struct parts {
  explicit parts(int copies) : all(copies) { all->join(all.on(am::rank())); }
  ~parts() { am::fence(); }

  part::content get(am::rank_t r) { return am::call<&part::get>(all.on(r), key).get(); }
  void put(am::rank_t r, long value) { am::call<&part::put>(all.on(r), key, value).get(); }
  void keep(am::rank_t r, part::version number, long value) {
    am::call<&part::keep>(all.on(r), key, number, part::content(value)).get();
  }

  am::distributed<part> all;
};

RANK_TEST(a_write_is_on_all_holders_when_it_is_acknowledged) {
  parts p(2);
  if (am::rank() != 0) return;
  p.put(0, 7);
  EXPECT(p.get(1) == 7);
}

RANK_TEST(a_rank_that_is_no_holder_has_nothing) {
  parts p(2);
  if (am::rank() != 0) return;
  p.put(0, 7);
  EXPECT(p.get(2) == std::nullopt);
}

RANK_TEST(what_a_new_primary_has_shown_is_on_all_holders) {
  parts p(2);
  if (am::rank() != 0) return;
  p.keep(1, {0, 1}, 7);  // the old one has reached this one and died
  EXPECT(p.get(1) == 7);
  EXPECT(p.get(2) == 7);
}

RANK_TEST(what_a_new_primary_has_not_is_nowhere_any_more) {
  parts p(3);
  if (am::rank() != 0) return;
  p.keep(2, {0, 1}, 7);  // the old one has reached only this one
  EXPECT(p.get(1) == std::nullopt);
  EXPECT(p.get(2) == std::nullopt);
}

RANK_TEST(a_late_message_of_a_lost_primary_undoes_nothing) {
  parts p(3);
  if (am::rank() != 0) return;
  p.put(0, 1);
  p.put(1, 2);
  p.keep(1, {0, 99}, 3);
  p.keep(2, {0, 99}, 3);
  EXPECT(p.get(1) == 2);
  EXPECT(p.get(2) == 2);
}

RANK_TEST(behind_a_loss_the_next_rank_has_a_copy) {
  parts p(2);
  if (am::rank() != 0) return;
  p.put(0, 7);
  p.all->hear(1);
  EXPECT_EQ(p.all->restore(), 1);
  EXPECT(p.get(2) == 7);
}

RANK_TEST(all_ranks_use_one_map) {
  replicated_map<long, long> m(2);
  am::barrier();
  m.put(am::rank(), 10 * am::rank());
  am::barrier();
  for (long r = 0; r < am::ranks(); ++r) EXPECT(m.get(r) == 10 * r);
  EXPECT(m.get(99) == std::nullopt);
  am::barrier();
  for (;;) {  // each rank adds one
    const auto held = m.get(0);
    if (m.compare_exchange(0, held, *held + 1) == held) break;
  }
  am::barrier();
  EXPECT(m.get(0) == am::ranks());
  am::fence();
}

}  // namespace
}  // namespace kv
