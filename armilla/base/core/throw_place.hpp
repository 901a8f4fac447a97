// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <exception>

namespace armilla::detail {

/// Is never caught: `catch (const passing&) { throw; } catch (...) { ... }`. On its way to the second clause an exception passes
/// the first, and the stack from there to the `throw` still stands; its addresses are then kept for `place_of_throw`. Costs
/// nothing unless something is thrown, and then as much as the throw. Put it in front of each `catch (...)` that functions of the
/// user may reach, also of one that throws on; in functions that are noexcept with an empty block, as compilers see a throw that
/// ends the program.
class [[gnu::visibility("default")]] passing {
 public:
  virtual ~passing();  // defined nowhere, so that no compiler makes its type_info: throw_place.cpp does
};

/// Where a function threw, as it travels to another rank: addresses in a program or library, which has the names and lines.
struct throw_place {
  static constexpr std::uint32_t most = 12;
  std::uint64_t module = 0;  ///< what is in that file, as a number; 0: the place is not known
  std::uint32_t size = 0;
  std::uint32_t offset[most] = {};  ///< innermost first, from where the file is loaded
  char file[28] = "";               ///< without its folder
};

/// Of an exception that was caught after a `passing`; of an error of Armilla in any case, and for a `remote_error` where the
/// other rank threw.
[[gnu::cold]] throw_place place_of_throw(const std::exception_ptr& thrown) noexcept;

}  // namespace armilla::detail
