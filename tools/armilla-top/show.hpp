// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "snapshot.hpp"

// A snapshot as text: tables of the terminal, and JSON.
namespace armilla::top {

enum class order { rank, messages, bytes, waits, memory };
void sort_by(std::vector<rank_rates>& ranks, order by);
const char* name_of(order by) noexcept;

/// Lines for a terminal, a head and one for each rank; at most `lines` of them.
std::string table_of(const snapshot& s, order by, std::size_t lines);
/// The same of what comes in, a line for each method, the most frequent first.
std::string methods_table_of(const snapshot& s, std::size_t lines);
/// The same of containers and of what the job exposes, a line for each.
std::string containers_table_of(const snapshot& s, std::size_t lines);

/// One object; its names are an interface: docs/guide/attach.md lists them.
nlohmann::ordered_json json_of(const snapshot& s, bool with_counters);
/// What is not UTF-8 is replaced.
std::string text_of(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace armilla::top
