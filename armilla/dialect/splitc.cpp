// SPDX-License-Identifier: Apache-2.0
#include "armilla/dialect/splitc.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "armilla/base/error.hpp"
#include "armilla/base/loaded_images.hpp"
#include "armilla/base/rank.hpp"
#include "armilla/global/spread_array.hpp"
#include "armilla/rpc/question.hpp"

namespace armilla::splitc::detail {
namespace {

using armilla::detail::global_address;
using armilla::detail::memory_kind;

std::uint64_t base_of_image(std::uint64_t image) { return armilla::detail::images_at_start()[image].base; }

/// Where the images of the other processors begin, as far as they were asked.
struct image_bases {
  std::vector<std::uint64_t> known;  // [rank * images + image]; 0: not asked
};
per_rank<image_bases> asked;

/// What all_spread_malloc gave out.
per_rank<std::vector<armilla::detail::spread_storage>> spread_memory;

// Each process has loaded them somewhere else.
std::uint64_t base_on(rank_t proc, std::size_t image) {
  const std::size_t images = armilla::detail::images_at_start().size();
  std::vector<std::uint64_t>& known = asked->known;
  known.resize(images * std::size_t(ranks()));
  std::uint64_t& base = known[std::size_t(proc) * images + image];
  if (base == 0) base = call<&base_of_image>(proc, std::uint64_t(image)).get() + 1;
  return base - 1;
}

void require_processor(rank_t proc) {
  if (proc < 0 || proc >= ranks())
    armilla::detail::throw_usage("toglobal", fmt::format("there is no processor {}; the last is {}", proc, ranks() - 1));
}

}  // namespace

void* local_part(const global_address& at) {
  if (at.null()) return nullptr;
  if (at.rank() != rank())
    armilla::detail::throw_usage("tolocal", fmt::format("the memory lies on processor {}: only there its local part means "
                                                        "something; read it by *gp or bulk_read",
                                                        at.rank()));
  return global_ptr<void>(at).local();
}

global_address on_processor(rank_t proc, const void* mine) {
  require_processor(proc);
  const global_address here = armilla::detail::address_for_others(mine);
  if (here.null() || proc == rank()) return here;
  if (here.kind() == memory_kind::segment) return global_address::make(here.kind(), proc, here.offset, here.generation());
  const auto& images = armilla::detail::images_at_start();
  for (std::size_t i = 0; i < images.size(); ++i)
    if (images[i].variables.holds(here.offset))
      return global_address::make(memory_kind::process, proc, here.offset - images[i].base + base_on(proc, i));
  return global_address::make(memory_kind::process, proc, here.offset);
}

}  // namespace armilla::splitc::detail

namespace armilla::splitc {

spread<void*> all_spread_malloc(std::size_t count, std::size_t bytes) {
  const auto processors = std::size_t(ranks());
  // Blocks in turn, each where the next element of its processor would be: aligned for anything.
  const std::uint64_t each = armilla::detail::spread_bytes(count, 1, processors, bytes);
  auto& memory = detail::spread_memory->emplace_back(each == 0 ? 1 : each, alignof(std::max_align_t));
  std::memset(global_ptr<void>(memory.begin()).local(), 0, each);
  memory.meet();
  const auto at = memory.begin();
  return spread<void*>(
      global<void*>(global_ptr<void>(armilla::detail::global_address::make(at.kind(), 0, at.offset, at.generation()))));
}

void all_spread_free(const spread<void*>& memory) {
  const auto at = global<void*>(memory).address().address();
  auto& all = *detail::spread_memory;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.begin().offset == at.offset; });
  if (found == all.end() || at.null())
    armilla::detail::throw_usage("all_spread_free",
                                 "all_spread_malloc did not return this pointer, or its memory was given back "
                                 "already; keep the pointer that it returned");
  all.erase(found);
}

namespace detail {

int start(int argc, char** argv, int (*program)(int, char**)) {
  return run(argc, argv, [=] {
    const int code = program(argc, argv);
    // What it has not given back: by all together, as long as the job is whole.
    spread_memory->clear();
    return code;
  });
}

}  // namespace detail
}  // namespace armilla::splitc
