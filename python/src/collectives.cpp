// SPDX-License-Identifier: Apache-2.0
// Collectives of Python ranks. A fiber enters each, so the main fiber runs bodies while it waits.
#include <algorithm>

#include <nanobind/stl/string.h>

#include "armilla/error.hpp"
#include "armilla/fence.hpp"
#include "operation.hpp"

namespace armilla::python {
namespace {

using bytes = std::vector<std::byte>;

std::uint64_t barrier() {
  const auto work = [](const team& t) {
    t.barrier();
    return in_arrays();
  };
  return begin("barrier", nb::none(), work, {.on = {}, .named = false});
}

std::uint64_t agree_on(const std::string& name, const std::string& what) {
  const char* const kept = kept_name(name);
  return begin(kept, nb::none(), [kept, what](const team& t) {
    agree(kept, t, what);
    return std::vector<block>();
  });
}

std::uint64_t fence() {
  const auto work = [](const team&) {
    armilla::fence();
    return std::vector<block>();
  };
  return begin("fence", nb::none(), work, {.on = {}, .named = false});
}

// The fence that stands behind the function of `run`, in programs of C++.
std::uint64_t last_fence() {
  const auto work = [](const team&) {
    detail::run_end_fence(detail::ending_of::function);
    return std::vector<block>();
  };
  return begin("the end of the script", nb::none(), work, {.on = {}, .named = false});
}

}  // namespace

void agree(const char* name, const team& t, const std::string& what) {
  const std::vector<std::uint64_t> words = t.all_gather(word_of(what));
  const auto other = std::ranges::find_if(words, [&](std::uint64_t word) { return word != words[0]; });
  if (other == words.end()) return;
  const std::span<const std::byte> mine = std::as_bytes(std::span(what));
  const std::vector<bytes> all = t.all_gather(bytes(mine.begin(), mine.end()));
  const auto text = [&](std::size_t r) { return std::string(reinterpret_cast<const char*>(all[r].data()), all[r].size()); };
  const std::size_t r = std::size_t(other - words.begin());
  detail::throw_usage(name, "ranks do not ask for the same: rank 0 gives " + text(0) + ", rank " + std::to_string(r) + " " +
                                text(r) + "; all of them give the same");
}

void bind_collectives(nb::module_& m) {
  m.def("barrier", &barrier);
  m.def("barrier_now", [] { return ended_soon(barrier()); });
  m.def("agree", &agree_on);
  m.def("fence", &fence);
  m.def("last_fence", &last_fence);
}

}  // namespace armilla::python
