// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "armilla/wire/shared_range.hpp"
#include "binding.hpp"
#include "signature.hpp"

namespace armilla::python {

/// Appends the value to a message, whose offsets count from `begin`. Throws a TypeError or OverflowError that names the type;
/// what stands in the message is of no use then.
void encode(std::vector<std::byte>& message, std::size_t begin, const wire_type& type, nb::handle value);

/// The value of the type that `bytes` begin with, which are a whole message; `at`: offset of its end, then. `memory`: of the
/// sender, where long views may have stayed. Lists of numbers become arrays of NumPy, aggregates tuples. Throws decode_error if
/// the bytes contradict themselves.
nb::object decode(std::span<const std::byte> bytes, std::size_t& at, const wire_type& type,
                  const detail::shared_range& memory = {});

/// How many of these bytes the values of these types take. Needs no interpreter. Throws decode_error.
std::size_t extent_of(std::span<const std::byte> bytes, const std::vector<wire_type>& types);

}  // namespace armilla::python
