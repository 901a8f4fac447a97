// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace kv {

using content = std::optional<long>;

/// What one client did to one key, and what it saw: a history consists of these.
struct operation {
  enum class kind { get, put, exchange };
  static constexpr std::uint64_t never = UINT64_MAX;

  kind what = kind::get;
  long key = 0;
  content written;            // put, exchange
  content expected;           // exchange: `written` takes its place, if the key holds it
  content found;              // get, exchange: what the key held
  std::uint64_t begin = 0;    // by one clock for all
  std::uint64_t end = never;  // never: the client has not heard of it. It happens at any time behind `begin`, or not at all
};

/// Each operation must have happened at one moment between its begin and its end, in an order in which each sees what the last
/// write before it has written; a key holds nothing at first. Gives the first operation at whose end there was no such order any
/// more, or none. Cost: some steps for each operation and each order that is possible at its time. Errors: length_error where
/// more than 64 operations on one key are under way at a time.
std::optional<operation> first_unexplained(std::vector<operation> history);

}  // namespace kv
