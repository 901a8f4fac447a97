// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

namespace armilla::fuzz {

/// Decodes one input; aborts if the decoder breaks a promise.
void try_input(const std::byte* bytes, std::size_t n);

/// A good input for every type that is tried.
std::vector<std::vector<std::byte>> samples();

}  // namespace armilla::fuzz
