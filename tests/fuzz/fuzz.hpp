// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

/// What each target of this folder defines; replay.cpp and libFuzzer drive it.
namespace armilla::fuzz {

/// Takes in one input; aborts if the library breaks a promise.
void try_input(const std::byte* bytes, std::size_t n);

/// Good inputs of every kind.
std::vector<std::vector<std::byte>> samples();

/// How many changed inputs a replay tries: a matter of seconds.
extern const int mutations;

}  // namespace armilla::fuzz
