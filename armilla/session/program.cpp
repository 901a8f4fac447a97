// SPDX-License-Identifier: Apache-2.0
#include "armilla/program.hpp"

#include <fmt/format.h>

#include "armilla/error.hpp"
#include "armilla/session/report.hpp"
#include "armilla/session/session_state.hpp"

namespace armilla {
namespace {

const detail::program_entry& entry(const char* operation, std::uint32_t i) {
  const auto& all = detail::here(operation).session->self.programs;
  if (i >= all.size())
    detail::throw_usage(operation, fmt::format("program {} of a job with {}; they are numbered from 0", i, all.size()));
  return all[i];
}

}  // namespace

std::uint32_t this_program() { return detail::here("this_program").program; }
std::string fabric() { return detail::fabric_of(detail::here("fabric").session->self); }
std::uint32_t program_count() { return std::uint32_t(detail::here("program_count").session->self.programs.size()); }
std::string_view program_name(std::uint32_t i) { return entry("program_name", i).name; }
std::span<const rank_t> program_ranks(std::uint32_t i) { return entry("program_ranks", i).ranks; }

}  // namespace armilla
