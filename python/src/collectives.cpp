// SPDX-License-Identifier: Apache-2.0
// Collectives of Python ranks. A fiber enters each, so the main fiber runs bodies while it waits.
#include <algorithm>
#include <functional>
#include <set>
#include <string_view>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "armilla/error.hpp"
#include "armilla/fence.hpp"
#include "operation.hpp"

namespace armilla::python {
namespace {

using bytes = std::vector<std::byte>;

bytes packed_parts(nb::handle parts) {
  const held_buffers held(parts);
  return packed(held.parts());
}

std::vector<block> blocks_of(const std::vector<bytes>& all) {
  std::vector<block> values;
  for (const bytes& one : all) values.emplace_back(bytes_view(one));
  return values;
}

// What Python calls it: a few names.
const char* kept_name(const std::string& name) {
  static std::set<std::string> names;
  return names.insert(name).first->c_str();
}

std::uint64_t barrier() {
  const auto work = [](const team& t) {
    t.barrier();
    return std::vector<block>();
  };
  return begin("barrier", nb::none(), work, false);
}

std::uint64_t all_gather(nb::handle parts, const std::string& name) {
  return begin(kept_name(name), nb::none(),
               [mine = packed_parts(parts)](const team& t) { return blocks_of(t.all_gather(mine)); });
}

template <class T, class Op>
std::uint64_t reduce_by(nb::object kept, std::span<T> data, const std::string& what, Op op) {
  return begin("all_reduce", std::move(kept), [data, what, op](const team& t) {
    if (!what.empty()) agree("all_reduce", t, what);
    t.all_reduce(data, op);
    return std::vector<block>();
  });
}

template <class T>
std::uint64_t reduce_as(nb::object kept, const nb::ndarray<>& a, const std::string& op, const std::string& what) {
  const std::span<T> data(static_cast<T*>(a.data()), a.size());
  if (op == "sum") return reduce_by(std::move(kept), data, what, std::plus<>{});
  if (op == "prod") return reduce_by(std::move(kept), data, what, std::multiplies<>{});
  if (op == "min") return reduce_by(std::move(kept), data, what, minimum{});
  if (op == "max") return reduce_by(std::move(kept), data, what, maximum{});
  detail::throw_usage("all_reduce",
                      "the operation '" + op + "' is none; there are sum, prod, min and max, or give a function of two values");
}

// Element by element, in place. 0: not of a kind that the library reduces. `what`: on which all members agree first; empty: they
// are of several languages, so they do not.
std::uint64_t all_reduce(nb::object array, const std::string& op, const std::string& what) {
  const auto a = nb::cast<nb::ndarray<nb::c_contig>>(array);
  const nb::ndarray<> any(a);
  if (any.dtype() == nb::dtype<double>()) return reduce_as<double>(array, any, op, what);
  if (any.dtype() == nb::dtype<float>()) return reduce_as<float>(array, any, op, what);
  if (any.dtype() == nb::dtype<std::int64_t>()) return reduce_as<std::int64_t>(array, any, op, what);
  if (any.dtype() == nb::dtype<std::int32_t>()) return reduce_as<std::int32_t>(array, any, op, what);
  return 0;
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
  return begin("fence", nb::none(), work, false);
}

// The fence that stands behind the function of `run`, in programs of C++.
std::uint64_t last_fence() {
  const auto work = [](const team&) {
    detail::run_end_fence(detail::ending_of::function);
    return std::vector<block>();
  };
  return begin("the end of the script", nb::none(), work, false);
}

std::uint64_t word_of(std::string_view text) {
  std::uint64_t word = 0xcbf29ce484222325u;
  for (const char letter : text) word = (word ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
  return word;
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
  m.def("all_gather", &all_gather);
  m.def("all_reduce", &all_reduce);
  m.def("agree", &agree_on);
  m.def("fence", &fence);
  m.def("last_fence", &last_fence);
}

}  // namespace armilla::python
