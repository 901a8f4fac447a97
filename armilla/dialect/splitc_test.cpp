// SPDX-License-Identifier: Apache-2.0
// Split-C's words, each as the papers or the programs of its time use it.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/dialect/splitc.hpp>
#include <armilla/error.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace split_c_test {

using namespace armilla::splitc;
using armilla::splitc::poll;
using armilla::splitc::sync;

struct body {
  double x, y;
  int n;
};

int next() { return (MYPROC + 1) % PROCS; }
int before() { return (MYPROC + PROCS - 1) % PROCS; }

int counted = 0;
am::per_rank<int> counts;
am::per_rank<std::vector<std::string>> heard;
void count() { ++*counts; }
void count_by(int n) { *counts += n; }
int fetch_and_add(int a, int b) {
  const int old = *counts;
  *counts += a * b;
  return old;
}

RANK_TEST(reads_and_writes_are_complete_when_they_return) {
  spread_array<double, 1, 1> A(PROCS, 4);
  const global<double*> theirs = A[std::size_t(next())];
  theirs[1] = 2.5;
  double lx = theirs[1];
  EXPECT_EQ(lx, 2.5);
  *(theirs + 2) = lx + MYPROC;
  theirs[2] += 1.0;
  EXPECT_EQ(double(theirs[2]), 3.5 + MYPROC);
  barrier();
  EXPECT_EQ(tolocal(A[std::size_t(MYPROC)])[2], 3.5 + before());
}

RANK_TEST(split_phase_assignments_are_complete_behind_sync) {
  spread_array<double> A(std::size_t(3 * PROCS));
  for_my_1D(i, 3 * PROCS) A[std::size_t(i)] = i;
  barrier();
  std::vector<double> mine(std::size_t(3 * PROCS));
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] <<= A[i];
  sync();
  for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_EQ(mine[i], double(i));
  barrier();
  for (int i = 0; i < 3; ++i) A[std::size_t(i * PROCS + next())] <<= mine[std::size_t(i)] * 2 + MYPROC;
  sync();
  barrier();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(double(A[std::size_t(i * PROCS + MYPROC)]), 2.0 * i + before());
}

RANK_TEST(stores_are_complete_where_their_bytes_are_waited_for) {
  spread_array<int, 1, 1> A(PROCS, 2 * PROCS);
  for (int p = 0; p < PROCS; ++p) A[std::size_t(p)][std::size_t(MYPROC)] <<= store(MYPROC + 1);
  const int pair[2] = {MYPROC, -MYPROC};
  bulk_store(&A[std::size_t(next())][std::size_t(PROCS)], pair, sizeof(int));
  store_sync(std::size_t(PROCS + 1) * sizeof(int));
  const int* const mine = tolocal(A[std::size_t(MYPROC)]);
  for (int p = 0; p < PROCS; ++p) EXPECT_EQ(mine[p], p + 1);
  EXPECT_EQ(mine[PROCS], before());
  barrier();
  A[std::size_t(next())][0] <<= store(99);
  all_store_sync();
  EXPECT_EQ(mine[0], 99);
}

RANK_TEST(bulk_transfers_count_bytes_and_take_arrays) {
  spread_array<double, 1, 1> A(PROCS, 20);
  double lA[20];
  for (int i = 0; i < 20; ++i) lA[i] = 100 * MYPROC + i;
  const global<void*> gpA = &A[std::size_t(next())][0];
  bulk_write(gpA, &lA, 20 * sizeof(double));
  barrier();
  double back[20] = {};
  bulk_read(&back, &A[std::size_t(MYPROC)][0], 20 * sizeof(double));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(back[i], 100.0 * before() + i);
  barrier();
  double got[2] = {};
  bulk_get(got, &A[std::size_t(next())][18], sizeof got);
  bulk_put(&A[std::size_t(next())][0], lA + 5, sizeof(double));
  sync();
  EXPECT_EQ(got[1], lA[19]);
  EXPECT_EQ(double(A[std::size_t(next())][0]), lA[5]);
  const global<const double*> read_only = &A[std::size_t(next())][18];
  bulk_get(back, read_only, sizeof(double));
  bulk_read(back + 1, read_only + 1, sizeof(double));
  sync();
  EXPECT_EQ(back[0], lA[18]);
  EXPECT_EQ(back[1], lA[19]);
}

RANK_TEST(structs_are_copied_and_their_members_reached) {
  spread_array<body> A(std::size_t(PROCS));
  const global<body*> gp = &A[std::size_t(next())];
  *gp = body{1, 2, MYPROC};
  gp->*& body::y = 7;
  const body copy = *gp;
  EXPECT_EQ(copy.n, MYPROC);
  EXPECT_EQ(double(gp->*&body::y), 7.0);
  int n = -1;
  n <<= gp->*&body::n;
  sync();
  EXPECT_EQ(n, MYPROC);
  EXPECT_EQ(copy.y, 7.0);
}

RANK_TEST(a_global_pointer_may_point_to_a_global_pointer) {
  spread_array<global<double*>> heads(std::size_t(PROCS));
  spread_array<double, 1, 1> A(PROCS, 3);
  heads[std::size_t(MYPROC)] = &A[std::size_t(next())][0];
  barrier();
  const global<global<double*>*> gg = &heads[std::size_t(next())];
  **gg = 4.5;
  (*gg)[2] = 5.5;
  EXPECT_EQ(toproc(global<double*>(*gg)), (next() + 1) % PROCS);
  EXPECT_EQ(double(**gg), 4.5);
  barrier();
  EXPECT_EQ(tolocal(A[std::size_t(MYPROC)])[2], 5.5);
}

RANK_TEST(plain_pointers_become_global_ones_of_this_processor) {
  const am::global_ptr<double> memory = am::allocate<double>(2);
  double* const mine = memory.local();
  mine[0] = 1.5;
  const global<double*> gp = mine;
  EXPECT_EQ(toproc(gp), MYPROC);
  EXPECT_EQ(double(*gp), 1.5);
  EXPECT(tolocal(gp + 1) == mine + 1);
  const global<void*> raw = gp;
  EXPECT(global<double*>(raw) == gp);
  am::deallocate(memory);
  if (PROCS > 1) {
    spread_array<int> A(std::size_t(PROCS));
    EXPECT_THROWS_SAYING(am::usage_error, "only there its local part means something", tolocal(&A[std::size_t(next())]));
  }
}

RANK_TEST(static_variables_are_reached_on_any_processor) {
  if (am::fabric() == "threads") {
    EXPECT_THROWS_SAYING(am::usage_error, "per_rank", toglobal(next(), &counted));
    return;
  }
  counted = 10 * MYPROC;
  barrier();
  const global<int*> gp = toglobal(next(), &counted);
  EXPECT_EQ(toproc(gp), next());
  EXPECT_EQ(int(*gp), 10 * next());
  barrier();
  *gp = MYPROC;
  barrier();
  EXPECT_EQ(counted, before());
  EXPECT_THROWS_SAYING(am::usage_error, "there is no processor", toglobal(PROCS, &counted));
}

RANK_TEST(spread_pointers_to_static_variables_find_them_on_each_processor) {
  if (am::fabric() == "threads") return;
  static int table[3];
  static const std::array<int, 2> constants = {7, 8};
  for (int row = 0; row < 3; ++row) table[row] = 100 * row + MYPROC;
  barrier();
  for (int base = 0; base < PROCS; ++base) {
    const spread<int*> s = tospread(base, &table[0]);
    for (int i = -base; i < 2 * PROCS - base; ++i) {
      const int line = base + i;
      EXPECT_EQ(int(s[i]), 100 * (line / PROCS) + line % PROCS);
      EXPECT_EQ(toproc(global<int*>(s + i)), line % PROCS);
      EXPECT_EQ(int((s + i) - s), i);
      EXPECT((s + i) - i == s);
    }
    EXPECT_EQ(int(*toglobal(base, &constants[1])), 8);
  }
  barrier();
}

RANK_TEST(static_variables_of_libraries_are_reached_on_any_processor) {
  if (am::fabric() == "threads") return;
  void* const library = dlopen(LIBRARY, RTLD_NOW);
  if (!EXPECT(library != nullptr)) return;
  int& late = *static_cast<int*>(dlsym(library, "late_variable"));
  late = 20 + MYPROC;
  barrier();
  const spread<int*> s = tospread(0, &late);
  for (int proc = 0; proc < PROCS; ++proc) EXPECT_EQ(int(s[proc]), 20 + proc);
  barrier();
}

RANK_TEST(a_static_variable_of_a_library_that_is_not_there_is_refused) {
  if (am::fabric() == "threads" || PROCS == 1) return;
  if (MYPROC == 0) {
    void* const library = dlopen(ONE_SIDED, RTLD_NOW);
    if (!EXPECT(library != nullptr)) return;
    int* const late = static_cast<int*>(dlsym(library, "late_variable"));
    EXPECT_THROWS_SAYING(am::usage_error, "processor 1 has not loaded", toglobal(1, late));
    EXPECT_THROWS_SAYING(am::usage_error, "processor 1 has not loaded", tospread(0, late) + 1);
  }
  barrier();
}

RANK_TEST(spread_pointers_go_from_processor_to_processor) {
  spread_array<int> A(std::size_t(2 * PROCS));
  spread<int*> s = A;
  on_one for (int i = 0; i < 2 * PROCS; ++i) * (s + i) = i;
  barrier();
  int sum = 0;
  for (int i = 0; i < 2 * PROCS; ++i) sum += *s++;
  EXPECT_EQ(sum, PROCS * (2 * PROCS - 1));
  EXPECT_EQ(int(s - spread<int*>(A)), 2 * PROCS);
  EXPECT_EQ(*(static_cast<int*>(A + MYPROC) + 1), PROCS + MYPROC);
  const global<int*> column = global<int*>(A + next());
  EXPECT_EQ(int(column[1]), PROCS + next());
  EXPECT_EQ(my_elements(2 * PROCS), 2);
}

RANK_TEST(tiles_lie_where_their_row_major_number_says) {
  spread_array<int, 2, 2> X(2, std::size_t(PROCS), 3, 5);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < PROCS; ++j) {
      const int owner = (i * PROCS + j) % PROCS;
      EXPECT_EQ(toproc(X[std::size_t(i)][std::size_t(j)]), owner);
      on_proc(owner) X[std::size_t(i)][std::size_t(j)][2][4] = 10 * i + j;
    }
  barrier();
  EXPECT_EQ(int(X[1][std::size_t(next())][2][4]), 10 + next());
  EXPECT_EQ(tolocal(X[1][std::size_t(MYPROC)])[14], 10 + MYPROC);
}

RANK_TEST(all_spread_malloc_deals_blocks_in_turn) {
  const spread<void*> memory = all_spread_malloc(std::size_t(2 * PROCS), sizeof(long));
  const spread<long*> s(memory);
  EXPECT_EQ(toproc(global<long*>(s + next())), next());
  s[PROCS + next()] = 5 + MYPROC;
  barrier();
  EXPECT_EQ(*(static_cast<long*>(s + MYPROC) + 1), 5L + before());
  all_spread_free(memory);
  EXPECT_THROWS_SAYING(am::usage_error, "all_spread_malloc did not return", all_spread_free(memory));
}

RANK_TEST(atomic_functions_exclude_each_other) {
  *counts = 0;
  barrier();
  atomic(&count, next());
  atomic(&count_by, next(), 2);
  barrier();
  EXPECT_EQ(*counts, 3);
  barrier();
  const int old = atomic(&fetch_and_add, next(), 2, 5);
  EXPECT_EQ(old, 3);
  barrier();
  EXPECT_EQ(*counts, 13);
}

RANK_TEST(active_messages_take_any_arguments_and_are_replied_to) {
  request(
      next(),
      +[](int source, std::string text, double x) {
        heard->push_back(text + std::to_string(int(x)));
        reply(source, +[](int from, std::string back) { heard->push_back(std::to_string(from) + back); }, std::string("!"));
      },
      std::string("hello "), 3.0);
  while (heard->size() < 2) poll();
  std::sort(heard->begin(), heard->end());
  EXPECT_EQ((*heard)[0], std::to_string(next()) + "!");
  EXPECT_EQ((*heard)[1], std::string("hello 3"));
}

RANK_TEST(collectives_have_split_c_s_names) {
  EXPECT_EQ(all_bcast(MYPROC + 7), 7);
  EXPECT_EQ(all_bcast_d(MYPROC + 0.5), 0.5);
  EXPECT_EQ(all_reduce_to_all_add(MYPROC + 1), PROCS * (PROCS + 1) / 2);
  EXPECT_EQ(all_reduce_to_all_dmax(MYPROC * 1.5), (PROCS - 1) * 1.5);
  EXPECT_EQ(all_reduce_to_all_min(MYPROC - 3), -3);
  const int sum = all_reduce_to_one_add(2);
  on_one EXPECT_EQ(sum, 2 * PROCS);
  EXPECT_EQ(PROCSLOG, PROCS == 1 ? 0 : PROCS == 2 ? 1 : PROCS == 4 ? 2 : -1);
}

}  // namespace split_c_test
