// SPDX-License-Identifier: Apache-2.0
#include "armilla/fiber/stack_switch.hpp"

#if !defined(__x86_64__)

#include <boost/context/detail/fcontext.hpp>

namespace armilla::detail {
namespace {

namespace boost_context = boost::context::detail;

void arrive(boost_context::transfer_t from) noexcept { *static_cast<void**>(from.data) = from.fctx; }

thread_local void (*begins_with)();

void begin(boost_context::transfer_t from) {
  void (*const run)() = begins_with;
  arrive(from);
  void* here = nullptr;
  switch_stack(here, from.fctx);  // back to new_stack; the next switch to it starts it
  run();
}

}  // namespace

void switch_stack(void*& saved, void* to) noexcept { arrive(boost_context::jump_fcontext(to, &saved)); }

void* new_stack(std::byte* top, std::size_t bytes, void (*entry)()) noexcept {
  begins_with = entry;
  void* back = nullptr;
  const boost_context::transfer_t ready = boost_context::jump_fcontext(boost_context::make_fcontext(top, bytes, &begin), &back);
  arrive(ready);
  return ready.fctx;
}

}  // namespace armilla::detail

#endif
