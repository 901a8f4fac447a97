// SPDX-License-Identifier: Apache-2.0
#include "armilla/disjoint_set.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "armilla/async.hpp"
#include "armilla/call.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/image/save.hpp"
#include "armilla/when_all.hpp"

namespace armilla {
namespace detail {
namespace {

using core_name = object_ref<disjoint_set_core*>;

/// For the numbers `a` and `b`, which another rank has sent.
disjoint_set_core& core_of(core_name name, std::uint64_t a, std::uint64_t b) {
  disjoint_set_core** const here = name.local();
  if (here == nullptr) [[unlikely]]
    throw_part_ended(object_access::id(name));
  const std::uint64_t most = a < b ? b : a;
  if (const std::size_t n = (*here)->parents().size(); most >= n) [[unlikely]]
    throw_element(*here, most, n);
  return **here;
}

void unite_there(core_name name, std::uint64_t a, std::uint64_t b) { core_of(name, a, b).unite(a, b); }
bool test_and_unite_there(core_name name, std::uint64_t a, std::uint64_t b) { return core_of(name, a, b).test_and_unite(a, b); }
std::size_t root_there(core_name name, std::uint64_t a) { return core_of(name, a, a).root_of(a); }

std::vector<std::uint64_t> parents_there(core_name name, const std::vector<std::uint64_t>& places) {
  std::vector<std::uint64_t> found;
  const disjoint_set_core& core = core_of(name, 0, 0);
  for (const std::uint64_t place : places) found.push_back(core.parents().local()[place]);
  return found;
}

std::uint64_t parent_at(const std::uint64_t* at) {
  return std::atomic_ref(*const_cast<std::uint64_t*>(at)).load(std::memory_order_acquire);
}
void shorten(std::uint64_t* at, std::uint64_t further) { std::atomic_ref(*at).store(further, std::memory_order_release); }

using parent_finder = mapped_blocks<std::uint64_t>::finder;

// Paths are halved while they are walked: the parent of the parent becomes the parent. A number that is no root never is one
// again, and all that is ever stored as its parent is on its path to the root, so a store suffices: it may make a path longer
// again, but never wrong.
std::size_t root_in(const parent_finder all, std::size_t a) noexcept {
  for (std::uint64_t* place = all.at(a);;) {
    const std::uint64_t up = parent_at(place);
    if (up == a) return a;
    const std::uint64_t further = parent_at(all.at(up));
    if (further != up) shorten(place, further);
    a = further;
    place = all.at(a);
  }
}

// Both paths are walked side by side, so that their cache misses overlap. A root is the least number of its tree: one that is
// greater than a number of the other tree is not in that tree, and becomes a child of the number.
bool join_in(const parent_finder all, std::size_t a, std::size_t b) noexcept {
  std::uint64_t *at = all.at(a), *bt = all.at(b);
  for (;;) {
    const std::uint64_t up = parent_at(at), other = parent_at(bt);
    if (up == other) return true;
    if (int(up == a) & int(other < a)) {
      std::uint64_t expected = a;
      if (std::atomic_ref(*at).compare_exchange_strong(expected, other, std::memory_order_acq_rel)) return false;
      continue;
    }
    if (int(other == b) & int(up < b)) {
      std::uint64_t expected = b;
      if (std::atomic_ref(*bt).compare_exchange_strong(expected, up, std::memory_order_acq_rel)) return false;
      continue;
    }
    const std::uint64_t further = parent_at(all.at(up)), other_further = parent_at(all.at(other));
    if (further != up) shorten(at, further);
    if (other_further != other) shorten(bt, other_further);
    a = further, at = all.at(a);
    b = other_further, bt = all.at(b);
  }
}

}  // namespace

disjoint_set_core::disjoint_set_core(const team& t, std::size_t n)
    : fence_participant(t), parents_(n, on(t)), name_(object_access::of_members<disjoint_set_core*>(t, this)) {
  const std::span<std::uint64_t> mine = parents_.local();
  std::iota(mine.begin(), mine.end(), mine.empty() ? 0 : std::uint64_t(parents_.index_of_local(0)));
  all_ = mapped_blocks<std::uint64_t>(parents_);
  meet(t);
}

disjoint_set_core::disjoint_set_core(array<std::uint64_t> parents)
    : fence_participant(parents.members()),
      parents_(std::move(parents)),
      name_(object_access::of_members<disjoint_set_core*>(parents_.members(), this)),
      all_(parents_) {}

void disjoint_set_core::exchange(array<std::uint64_t>& parents) {
  swap(parents_, parents);
  all_ = mapped_blocks<std::uint64_t>(parents_);
}

std::uint64_t* disjoint_set_core::mapped(std::size_t a) const {
  const global_ptr<std::uint64_t> p = parents_.ptr(a);
  return p.is_mapped() ? p.local() : nullptr;
}

// As root_in.
std::size_t disjoint_set_core::climb(std::size_t a, std::uint64_t*& at) const {
  for (;;) {
    const std::uint64_t up = parent_at(at);
    if (up == a) return a;
    std::uint64_t* const above = mapped(up);
    if (above == nullptr) {
      a = up;
      at = nullptr;
      return a;
    }
    const std::uint64_t further = parent_at(above);
    if (further != up) shorten(at, further);
    a = further;
    at = mapped(a);
    if (at == nullptr) return a;
  }
}

void disjoint_set_core::unite(std::size_t a, std::size_t b) {
  if (all_) return void(join_in(all_.find(), a, b));
  for (;;) {
    if (a == b) return;
    std::uint64_t* at = mapped(a);
    if (at != nullptr) a = climb(a, at);
    if (at == nullptr) return async(parents_.rank_of(a), &unite_there, name_on(parents_.rank_of(a)), a, b);
    // a is a root, or was one.
    if (a == b) return;
    if (a < b) {
      std::swap(a, b);
      continue;
    }
    std::uint64_t expected = a;
    if (std::atomic_ref(*at).compare_exchange_strong(expected, b, std::memory_order_acq_rel)) return;
  }
}

// As `unite`. A root is the least number of its tree, so a smaller one is in another, and whoever changes the root's parent joins
// two sets.
bool disjoint_set_core::test_and_unite(std::size_t a, std::size_t b) {
  if (all_) return join_in(all_.find(), a, b);
  while (a != b) {
    std::uint64_t* at = mapped(a);
    if (at != nullptr) a = climb(a, at);
    if (at == nullptr) return call(parents_.rank_of(a), &test_and_unite_there, name_on(parents_.rank_of(a)), a, b).get();
    if (a < b) {
      std::swap(a, b);
      continue;
    }
    std::uint64_t expected = a;
    if (a != b && std::atomic_ref(*at).compare_exchange_strong(expected, b, std::memory_order_acq_rel)) return false;
  }
  return true;
}

std::size_t disjoint_set_core::root_of(std::size_t a) {
  if (all_) return root_in(all_.find(), a);
  std::uint64_t* at = mapped(a);
  if (at != nullptr) a = climb(a, at);
  if (at != nullptr) return a;
  return call(parents_.rank_of(a), &root_there, name_on(parents_.rank_of(a)), a).get();
}

bool disjoint_set_core::shorten_paths() {
  if (!all_) return false;
  const parent_finder all = all_.find();
  for (std::uint64_t& parent : parents_.local()) {
    const std::uint64_t up = parent_at(&parent);
    if (parent_at(all.at(up)) != up) shorten(&parent, root_in(all, up));
  }
  return true;
}

std::vector<std::uint64_t> disjoint_set_core::parents_of(std::span<const std::uint64_t> numbers) const {
  std::vector<std::uint64_t> found(numbers.size());
  std::vector<std::vector<std::uint64_t>> places(std::size_t(members().size())), wanted(places.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (const std::uint64_t* const at = mapped(numbers[k])) {
      found[k] = *at;
      continue;
    }
    const auto [member, place] = parents_.placement().locate(numbers[k]);
    places[std::size_t(member)].push_back(place);
    wanted[std::size_t(member)].push_back(k);
  }
  std::vector<future<std::vector<std::uint64_t>>> come(places.size());
  for (std::size_t m = 0; m < places.size(); ++m)
    if (const rank_t r = members().world_rank(rank_t(m)); !places[m].empty())
      come[m] = call(r, &parents_there, name_on(r), places[m]);
  for (std::size_t m = 0; m < places.size(); ++m) {
    if (places[m].empty()) continue;
    const std::vector<std::uint64_t> of_member = come[m].get();
    for (std::size_t j = 0; j < of_member.size(); ++j) found[wanted[m][j]] = of_member[j];
  }
  return found;
}

}  // namespace detail

disjoint_set::disjoint_set(std::size_t n, const team& members, const made_at& at)
    : disjoint_set(n, members, detail::making(at, typeid(disjoint_set), members)) {}

disjoint_set::disjoint_set(std::size_t n, const team& members, const detail::making& how)
    : core_(std::make_unique<detail::disjoint_set_core>(members, n)) {
  be_named(members, &how);
}

disjoint_set::disjoint_set(array<std::uint64_t> parents)
    : core_(std::make_unique<detail::disjoint_set_core>(std::move(parents))) {
  be_named(members());
  detail::meet(members());
}

disjoint_set::~disjoint_set() {
  if (core_ != nullptr) retire(std::move(core_));
}

namespace {

constexpr detail::saved_type image_of_parents{detail::saved_kind::disjoint_set, sizeof(std::uint64_t), "uint64"};

/// Parents are not greater than their children.
bool is_forest(std::span<const std::uint64_t> parents, std::size_t first) noexcept {
  for (std::size_t k = 0; k < parents.size(); ++k)
    if (parents[k] > first + k) return false;
  return true;
}

}  // namespace

void disjoint_set::save(const std::string& path) const {
  members().fence();
  const detail::object_operation name("save", this);
  detail::save_raw(members(), path, image_of_parents, {}, local().data(), local().size());
}

void disjoint_set::load(const std::string& path) {
  const detail::object_operation name("load", this);
  const team t = core_ != nullptr ? members() : world();
  t.fence();
  detail::saved_file file(t, path, image_of_parents);
  array<std::uint64_t> read(std::size_t(file.elements()), on(t));
  const std::size_t first = read.local().empty() ? 0 : read.index_of_local(0);
  file.read(first, read.local().size(), read.local().data());
  if (!is_forest(read.local(), first)) file.note("a number has a parent that is greater; the file is damaged: load another one");
  file.agree();
  if (core_ != nullptr) {
    core_->exchange(read);
    detail::meet(t);
  } else {
    *this = disjoint_set(std::move(read));
  }
}

void disjoint_set::keep(int copies) { core().parents().keep(copies); }

void disjoint_set::checkpoint(std::uint64_t mark) { core().parents().checkpoint(mark); }

recovered<disjoint_set> disjoint_set::recover(const team& t) {
  array<std::uint64_t>& mine = core().parents();
  recovered<array<std::uint64_t>> back = mine.recover(t);
  for (const auto& [begin, end] : back.gone)
    for (std::size_t k = 0; k < back.container.local().size(); ++k)
      if (const std::size_t i = back.container.index_of_local(k); i >= begin && i < end) back.container.local()[k] = i;
  recovered<disjoint_set> made{disjoint_set(), back.mark, std::move(back.gone)};
  made.container.core_ = std::make_unique<detail::disjoint_set_core>(std::move(back.container));
  made.container.be_named(t);
  detail::call_as(&made.container, this);
  try {
    detail::meet(t);
  } catch (const rank_lost&) {  // on other members it may have ended well: this one recovers from the same array next time
    core().exchange(made.container.core_->parents());
    made.container.core_ = nullptr;  // nobody finds it without them
    throw;
  }
  return made;
}

void disjoint_set::unite(std::size_t a, std::size_t b) {
  const std::size_t most = a < b ? b : a;
  if (most >= size()) [[unlikely]]
    detail::throw_element(this, most, size());
  core().unite(a, b);
}

future<bool> disjoint_set::test_and_unite(std::size_t a, std::size_t b) {
  const std::size_t most = a < b ? b : a;
  if (most >= size()) [[unlikely]]
    detail::throw_element(this, most, size());
  const rank_t owner = core().parents().rank_of(a);
  return call(owner, &detail::test_and_unite_there, core().name_on(owner), a, b);
}

future<std::size_t> disjoint_set::find(std::size_t a) const {
  const rank_t owner = core().parents().rank_of(a);
  return call(owner, &detail::root_there, core().name_on(owner), a);
}

future<bool> disjoint_set::same(std::size_t a, std::size_t b) const {
  return when_all(find(a), find(b)).then([](const std::tuple<std::size_t, std::size_t>& roots) {
    return std::get<0>(roots) == std::get<1>(roots);
  });
}

void disjoint_set::compress() {
  using namespace detail;
  array<std::uint64_t>& parents = core().parents();
  const team& t = members();
  meet(t);
  const bool whole = core().shorten_paths();
  for (bool again = t.all_reduce(std::uint32_t(!whole), std::plus<>{}) != 0; again;) {
    const std::vector<std::uint64_t> up(parents.local().begin(), parents.local().end());
    const std::vector<std::uint64_t> further = core().parents_of(up);
    bool changed = false;
    t.barrier();
    for (std::size_t k = 0; k < up.size(); ++k) {
      changed |= further[k] != up[k];
      parents.local()[k] = further[k];
    }
    const meeting here(t);
    again = t.all_reduce(std::uint32_t(changed), std::plus<>{}) != 0;
  }
}

void disjoint_set::clear() {
  const detail::named_algorithm name("clear");
  array<std::uint64_t>& parents = core().parents();
  members().fence();
  for (std::size_t k = 0; k < parents.local().size(); ++k) parents.local()[k] = first_local() + k;
  detail::meet(members());
}

std::size_t disjoint_set::num_sets() const {
  std::size_t roots = 0;
  for (std::size_t k = 0; const std::uint64_t parent : local()) roots += parent == first_local() + k++ ? 1 : 0;
  return members().all_reduce(roots, std::plus<>{});
}

}  // namespace armilla
