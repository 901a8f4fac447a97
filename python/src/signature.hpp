// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace armilla::python {

/// A type as the text of a signature describes it, and how its values lie in a message. See docs/spec/wire.md and
/// armilla/wire/signature.hpp.
struct wire_type {
  enum class kind {
    nothing,
    boolean,
    character,
    sign,
    unsign,
    real,
    complex,
    text,
    list,
    set,
    map,
    optional,
    variant,
    view,
    tuple,
    array,
    aggregate
  };

  kind is = kind::nothing;
  std::size_t size = 0, align = 1;  ///< of what travels as bytes
  bool as_bytes = false;            ///< in one piece, padding included
  std::size_t extent = 0;           ///< of an array
  std::vector<wire_type> parts;
  std::string name;  ///< the text

  /// Whether it is a number that arrays of NumPy can hold.
  bool is_number() const noexcept { return as_bytes && parts.empty() && is != kind::nothing && is != kind::character; }
  /// The fewest bytes that a value takes.
  std::size_t least() const noexcept;
};

struct wire_signature {
  wire_type result;
  std::vector<wire_type> parameters;
};

/// Throws usage_error if the text is no signature, or has types that Python cannot make: classes with private members, and
/// aggregates whose lay-out the text does not tell.
wire_signature parse_signature(std::string_view text);

/// As armilla::detail::signature::hash.
std::uint64_t signature_hash(std::string_view text) noexcept;

}  // namespace armilla::python
