// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

/// What the library and its plug-in for JSON have in common. The plug-in links simdjson; the library loads the plug-in when a
/// program reads JSON.
namespace armilla::detail {

/// A value of a document. Objects and arrays precede what is in them.
struct json_node {
  enum class kind : std::uint32_t { null, truth, number, text, array, object };
  kind is = kind::null;
  std::uint32_t count = 0;  ///< of an array or object: what is in it
  std::size_t nodes = 1;    ///< with all that is in it: the next value follows them
  std::string_view key{};   ///< in an object
  std::string_view text{};  ///< of a text, without escapes; of a number, "true", "false" and "null", as it is in the file
};

/// The plug-in.
struct json_engine {
  static constexpr std::uint32_t good_version = 1;
  std::uint32_t version = good_version;
  void* (*make)();  ///< a parser, or null if there is no memory
  void (*free)(void* parser);
  /// Parses a document of `size` bytes, of which `room` can be read. Returns null, or what is wrong. The nodes and all texts are
  /// valid until the parser's next call.
  const char* (*parse)(void* parser, const char* from, std::size_t size, std::size_t room, const json_node** nodes);
};

using json_function = const json_engine* (*)();
inline constexpr const char* json_symbol = "armilla_json";

}  // namespace armilla::detail
