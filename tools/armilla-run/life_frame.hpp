// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "armilla/base/values/types.hpp"

namespace armilla::run {

using armilla::rank_t;

/// What armilla-run and the agents say to each other of a process that comes into the running job (new_rank_desk.hpp). Behind it,
/// with `address`, where that is in the network.
struct life_frame {
  enum class word : std::uint32_t {
    coming,   ///< to all agents: it comes
    address,  ///< to all agents: its address; from each: that is in the memory of its host
    lives,    ///< to all agents: it lives
    gone      ///< from its agent: the process has ended before it lived; to all agents: the rank stays lost
  };
  word what = word::coming;
  rank_t rank = 0;
  std::uint32_t life = 0;  ///< with `lives`

  std::string text(std::string_view address = {}) const {
    std::string all(reinterpret_cast<const char*>(this), sizeof *this);
    return all.append(address);
  }
  static std::optional<life_frame> from(std::string_view text) {
    life_frame one;
    if (text.size() < sizeof one) return std::nullopt;
    std::memcpy(&one, text.data(), sizeof one);
    return one;
  }
  static std::string_view address_in(std::string_view text) { return text.substr(sizeof(life_frame)); }
};
static_assert(sizeof(life_frame) == 12);

}  // namespace armilla::run
