// SPDX-License-Identifier: Apache-2.0
// Where static variables lie on other processors: each process has loaded program and libraries somewhere else.
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armilla/call.hpp"
#include "armilla/dialect/splitc_pointer.hpp"
#include "armilla/error.hpp"
#include "armilla/rank.hpp"

namespace armilla::splitc::detail {
namespace {

using armilla::detail::global_address;
using armilla::detail::memory_kind;

/// A program or library as a process has loaded it.
struct loaded {
  std::string name;  ///< empty: the program
  std::uint64_t base = 0, first = 0, last = 0;

  bool holds(std::uint64_t address) const noexcept { return address - first < last - first; }
  /// Whether it is the same one elsewhere.
  bool is(const loaded& other) const noexcept {
    return name == other.name && first - base == other.first - other.base && last - base == other.last - other.base;
  }
};

int add_image(dl_phdr_info* info, std::size_t, void* list) {
  loaded image{info->dlpi_name, info->dlpi_addr, std::numeric_limits<std::uint64_t>::max(), 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    image.first = std::min<std::uint64_t>(image.first, info->dlpi_addr + part.p_vaddr);
    image.last = std::max<std::uint64_t>(image.last, info->dlpi_addr + part.p_vaddr + part.p_memsz);
  }
  if (image.last != 0) static_cast<std::vector<loaded>*>(list)->push_back(std::move(image));
  return 0;
}

std::vector<loaded> images_here() {
  std::vector<loaded> all;
  dl_iterate_phdr(&add_image, &all);
  return all;
}

/// How many images this process has loaded and let go so far.
std::uint64_t loads_here() {
  std::uint64_t loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        *static_cast<std::uint64_t*>(to) = info->dlpi_adds + info->dlpi_subs;
        return 1;
      },
      &loads);
  return loads;
}

/// The images of the processors that were asked, and how many this one had loaded and let go then.
struct known_images {
  std::vector<std::vector<loaded>> of;
  std::vector<std::uint64_t> at;
};
per_rank<known_images> asked;

/// The image of a processor for which `wanted` holds, if it has one. What was asked for before this processor loaded another
/// library, or lacks the image, is asked for again.
template <class Wanted>
std::optional<loaded> image_on(rank_t proc, Wanted wanted) {
  const auto p = std::size_t(proc);
  asked->of.resize(std::size_t(ranks()));
  asked->at.resize(std::size_t(ranks()));
  const std::uint64_t loads = loads_here();
  for (const bool again : {false, true}) {
    if (again || asked->at[p] != loads) {
      std::vector<loaded> found = proc == rank() ? images_here() : call<&images_here>(proc).get();
      asked->of[p] = std::move(found);
      asked->at[p] = loads;
    }
    const auto found = std::ranges::find_if(asked->of[p], wanted);
    if (found != asked->of[p].end()) return *found;
  }
  return std::nullopt;
}

/// An address of processor `from` that lies in an image, in the same image on `to`; others stay as they are.
std::uint64_t moved(std::uint64_t address, rank_t from, rank_t to) {
  if (from == to) return address;
  const auto image = image_on(from, [address](const loaded& i) { return i.holds(address); });
  if (!image) return address;
  const auto same = image_on(to, [&image](const loaded& i) { return i.is(*image); });
  if (!same)
    armilla::detail::throw_usage("toglobal",
                                 fmt::format("processor {} has not loaded {}, whose variable this is on processor {}; "
                                             "load it on all processors first",
                                             to, image->name.empty() ? "this program" : image->name, from));
  return address - image->base + same->base;
}

void require_processor(rank_t proc) {
  if (proc < 0 || proc >= ranks())
    armilla::detail::throw_usage("toglobal", fmt::format("there is no processor {}; the last is {}", proc, ranks() - 1));
}

}  // namespace

global_address on_processor(rank_t proc, const void* mine) {
  require_processor(proc);
  const global_address here = armilla::detail::address_for_others(mine);
  if (here.null() || proc == rank()) return here;
  if (here.kind() == memory_kind::segment) return global_address::make(here.kind(), proc, here.offset, here.generation());
  return global_address::make(memory_kind::process, proc, moved(here.offset, rank(), proc));
}

global_address spread_static(global_address at, std::ptrdiff_t n, std::size_t bytes) {
  const std::int64_t processors = ranks(), line = std::int64_t(at.rank()) + n;
  const std::int64_t rows = line >= 0 ? line / processors : -((processors - 1 - line) / processors);
  const rank_t proc = rank_t(line - rows * processors);
  return global_address::make(at.kind(), proc, moved(at.offset, at.rank(), proc) + std::uint64_t(rows * std::int64_t(bytes)),
                              at.generation());
}

std::ptrdiff_t spread_distance(global_address a, global_address b, std::size_t bytes) {
  const std::uint64_t beside_b = a.kind() == memory_kind::process ? moved(a.offset, a.rank(), b.rank()) : a.offset;
  return std::int64_t(beside_b - b.offset) / std::int64_t(bytes) * ranks() + a.rank() - b.rank();
}

}  // namespace armilla::splitc::detail
