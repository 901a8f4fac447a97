// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/rpc/method_table.hpp"
#include "binding.hpp"
#include "signature.hpp"

namespace armilla::python {

/// A method by name, as this process calls or provides it.
struct method_signature {
  /// Throws usage_error if the text is no signature, or has types that Python cannot make.
  method_signature(std::string called, std::string signature);

  std::string name, text;
  std::uint64_t hash;
  wire_signature types;

  detail::method_description description() const noexcept { return {name, text, hash}; }
};

/// A message with the arguments behind `head` bytes, which are left zero: its length is a multiple of 8. Throws a TypeError or
/// OverflowError that says what does not fit.
std::vector<std::byte> message_of(const method_signature& method, std::size_t head, const nb::args& arguments);

}  // namespace armilla::python
