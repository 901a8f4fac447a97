// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

/// What the library and its plug-in for HDF5 have in common. The plug-in links libhdf5; the library loads the plug-in when a
/// program reads or writes such a file.
namespace armilla::detail {

/// The elements of a dataset, or a member of such.
struct hdf5_type {
  enum class kind : std::uint32_t { none, integer, natural, floating, complex, truth, text, compound };
  kind is = kind::none;
  std::uint32_t bytes = 0;  ///< of a text: 0 if a pointer to a text with a 0 at its end is in its place
  friend bool operator==(const hdf5_type&, const hdf5_type&) = default;
};

struct hdf5_shape {
  static constexpr std::uint32_t most = 8;
  hdf5_type type{};
  std::uint32_t dimensions = 0;  ///< may be more than `most`; then only the first extents are given
  std::array<std::uint64_t, most> extent{};
};

/// A part of an element that is not a number. A compound precedes its members, and an element is the first part.
struct hdf5_node {
  std::string_view name{};      ///< of a member
  hdf5_type type{};             ///< of one value
  std::uint32_t array = 0;      ///< not 0: so many values
  std::uint32_t members = 0;    ///< of a compound: how many follow, with theirs
  std::uint64_t at = 0;         ///< in the element, in memory
  std::uint32_t character = 0;  ///< of a text in the file: the number of its character set
};

/// A dataset that is written: `at` is where its elements begin in the file.
struct hdf5_dataset {
  const char* name = nullptr;
  hdf5_shape shape{};
  const hdf5_node* nodes = nullptr;  ///< null: numbers
  std::uint64_t at = 0;
};

/// One value that belongs to a dataset: a text, or a number of 8 bytes.
struct hdf5_attribute {
  const char* dataset = nullptr;
  const char* name = nullptr;
  hdf5_type type{};            ///< none: a text
  std::uint64_t number = 0;    ///< its bits
  const char* text = nullptr;  ///< one that was read is valid until the thread's next call
};

/// A part of a dataset: in each dimension the first index and how many, and how many there is room for in memory, row by row.
struct hdf5_part {
  std::array<std::uint64_t, hdf5_shape::most> first{}, count{}, room{};
};

/// The plug-in. Its functions return null, or what is wrong: a text that is valid until the thread's next call.
struct hdf5_engine {
  static constexpr std::uint32_t good_version = 2;
  std::uint32_t version = good_version;
  const char* (*describe)(const char* file, const char* name, hdf5_shape* shape);
  /// Converts numbers in the order of rows; the shape is that of `describe`, with the type that is wanted.
  const char* (*read)(const char* file, const char* name, const hdf5_shape* shape, const hdf5_part* part, void* to);
  /// Creates the file, in place of an old one, with room for the numbers of all datasets, and writes their attributes.
  const char* (*create)(const char* file, hdf5_dataset* datasets, std::uint32_t count, const hdf5_attribute* attributes,
                        std::uint32_t attribute_count);
  /// Gets the value of an attribute of which `dataset` and `name` are given.
  const char* (*read_attribute)(const char* file, hdf5_attribute* attribute);
  /// Replaces the types that are wanted by those of the file.
  const char* (*describe_nodes)(const char* file, const char* name, hdf5_node* nodes);
  /// As `read`, for elements of these nodes.
  const char* (*read_nodes)(const char* file, const char* name, const hdf5_shape* shape, const hdf5_part* part,
                            const hdf5_node* nodes, void* to);
  /// Frees the texts that `count` elements point to.
  void (*free_texts)(const hdf5_node* nodes, std::uint64_t count, void* elements);
};

using hdf5_function = const hdf5_engine* (*)();
inline constexpr const char* hdf5_symbol = "armilla_hdf5";

}  // namespace armilla::detail
