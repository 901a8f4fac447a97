// SPDX-License-Identifier: Apache-2.0
// Algorithms on the last of several ranks that has no memory for their lists: an error on all ranks, never a wait.
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;

namespace {

constexpr std::size_t large = 4096;  // smaller blocks are always there: messages and errors need them
constexpr std::size_t unlimited = std::size_t{1} << 62;
std::atomic<std::size_t> in_use = 0, most = unlimited;  // bytes of large blocks of this process
std::atomic<bool> refused = false;

/// Large blocks of more than `bytes` in sum are refused on this rank until the end of the scope.
struct memory_limit {
  explicit memory_limit(std::size_t bytes) { refused = false, most = in_use + bytes; }
  ~memory_limit() { most = unlimited; }
};

constexpr std::size_t n = 80'000;

/// What one algorithm is called with.
struct ranges {
  am::vector<long> in, out, other;
  am::vector<std::string> words, more_words;
  std::vector<std::pair<long, long>> pairs, more_pairs;
  std::vector<std::pair<std::string, long>> named;
  am::bag<long> heap;
  am::bag<std::string> heap_of_words;

  explicit ranges(const am::distribution& d) : in(n, d), out(n), other(n), words(n / 8, d), more_words(n / 8) {
    for (std::size_t i = 0; i < n / 8; ++i) {
      pairs.emplace_back(i, i), more_pairs.emplace_back(2 * i, i);
      if (i % 8 == 0) named.emplace_back("a long name of the number " + std::to_string(i), i);
      if (am::rank() == 0) heap.push(long(i));
      if (am::rank() == 0 && i % 8 == 0) heap_of_words.push("a long name of the number " + std::to_string(i));
    }
    am::for_each_index(in, [](std::size_t i, long& e) { e = long(i) / 2; });
    am::for_each_index(words, [](std::size_t i, std::string& e) { e = std::to_string(i); });
  }
};

bool is_kept(long e) { return e % 8 != 0; }
bool is_long(const std::string& e) { return e.size() > 2; }

struct algorithm {
  const char* name;
  std::size_t (*call)(ranges&);
  bool in_turn = true;          ///< also where elements are dealt in turn: not where their parts are sent as messages
  bool does_with_less = false;  ///< it has a slower way that takes less memory
};
const algorithm algorithms[] = {
    {"copy_if", [](ranges& r) { return am::copy_if(r.in, r.out, is_kept); }},
    {"copy_if of words", [](ranges& r) { return am::copy_if(r.words, r.more_words, is_long); }, false},
    {"remove_copy_if", [](ranges& r) { return am::remove_copy_if(r.in, r.out, is_kept); }},
    {"unique_copy", [](ranges& r) { return am::unique_copy(r.in, r.out); }},
    {"partition_copy", [](ranges& r) { return am::partition_copy(r.in, r.out, r.other, is_kept).first; }},
    {"stable_partition", [](ranges& r) { return am::stable_partition(r.in, is_kept); }},
    {"pack", [](ranges& r) { return am::pack(r.in, is_kept).size(); }},
    {"pack_index", [](ranges& r) { return am::pack_index(r.in, is_kept).size(); }},
    {"join", [](ranges& r) { return am::join(r.pairs, r.more_pairs).size(); }, false},
    {"join of names", [](ranges& r) { return am::join(r.named, r.named).size(); }, false},
    {"semi_join", [](ranges& r) { return am::semi_join(r.pairs, r.more_pairs).size(); }, false},
    {"anti_join of names", [](ranges& r) { return am::anti_join(r.named, r.named).size(); }, false},
    {"group_by", [](ranges& r) { return am::group_by(r.pairs).size(); }, false},
    {"bag::rebalance", [](ranges& r) { return r.heap.rebalance(), r.heap.size(); }, false},
    {"bag::rebalance of words", [](ranges& r) { return r.heap_of_words.rebalance(), r.heap_of_words.size(); }, false},
    {"sort of words", [](ranges& r) { return am::sort(r.words), r.words.size(); }, false, true},
    {"remove_if", [](ranges& r) { return am::remove_if(am::views::all(r.in), is_kept); }},
};

/// Calls `a` with that much memory on the last rank. All ranks throw, or none: none if nothing was refused.
void check(const algorithm& a, const am::distribution& d, std::size_t bytes) {
  ranges r(d);
  bool threw = false;
  {
    const memory_limit here(am::rank() == am::ranks() - 1 ? bytes : unlimited / 2);
    try {
      a.call(r);
    } catch (const am::remote_error& e) {
      threw = true;
      most = unlimited;
      if (!EXPECT(std::string(e.what()).find("this rank has no more memory") != std::string::npos))
        std::fprintf(stderr, "%s\n", e.what());
    }
  }
  const bool any_refused = am::all_reduce(refused.load(), std::logical_or<>{});
  const int throwing = am::all_reduce(int(threw), std::plus<>{});
  if (!EXPECT(throwing == (any_refused ? am::ranks() : 0) || (throwing == 0 && a.does_with_less)))
    std::fprintf(stderr, "%s with %zu bytes\n", a.name, bytes);
}

}  // namespace

void* operator new(std::size_t bytes) {
  void* const p = bytes >= large && in_use + bytes > most ? nullptr : std::malloc(bytes);
  if (p == nullptr) {
    refused = true;
    throw std::bad_alloc();
  }
  if (const std::size_t taken = malloc_usable_size(p); taken >= large) in_use += taken;
  return p;
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void operator delete(void* p) noexcept {
  if (const std::size_t taken = p == nullptr ? 0 : malloc_usable_size(p); taken >= large) in_use -= taken;
  std::free(p);
}
void operator delete[](void* p) noexcept { operator delete(p); }
void operator delete(void* p, std::size_t) noexcept { operator delete(p); }
void operator delete[](void* p, std::size_t) noexcept { operator delete(p); }

RANK_TEST(a_rank_without_memory_is_an_error_on_all) {
  for (const bool in_turn : {false, true})
    for (const algorithm& a : algorithms)
      for (std::size_t bytes = 0; bytes < 64 * n; bytes = bytes < n / 16 ? n / 16 : bytes * 2)
        if (a.in_turn || !in_turn) check(a, in_turn ? am::on(am::world(), am::cyclic(3)) : am::on(am::world()), bytes);
}
