// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

/// What the library and its plug-in for HDF5 have in common. The plug-in links libhdf5; the library loads the plug-in when a
/// program reads or writes such a file.
namespace armilla::detail {

/// The numbers of a dataset.
struct hdf5_type {
  enum class kind : std::uint32_t { none, integer, natural, floating, complex };
  kind is = kind::none;
  std::uint32_t bytes = 0;
  friend bool operator==(const hdf5_type&, const hdf5_type&) = default;
};

struct hdf5_shape {
  static constexpr std::uint32_t most = 8;
  hdf5_type type{};
  std::uint32_t dimensions = 0;  ///< may be more than `most`; then only the first extents are given
  std::array<std::uint64_t, most> extent{};
};

/// A dataset that is written: `at` is where its numbers begin in the file.
struct hdf5_dataset {
  const char* name = nullptr;
  hdf5_shape shape{};
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
  static constexpr std::uint32_t good_version = 1;
  std::uint32_t version = good_version;
  const char* (*describe)(const char* file, const char* name, hdf5_shape* shape);
  /// Converts numbers in the order of rows; the shape is that of `describe`, with the type that is wanted.
  const char* (*read)(const char* file, const char* name, const hdf5_shape* shape, const hdf5_part* part, void* to);
  /// Creates the file, in place of an old one, with room for the numbers of all datasets, and writes their attributes.
  const char* (*create)(const char* file, hdf5_dataset* datasets, std::uint32_t count, const hdf5_attribute* attributes,
                        std::uint32_t attribute_count);
  /// Gets the value of an attribute of which `dataset` and `name` are given.
  const char* (*read_attribute)(const char* file, hdf5_attribute* attribute);
};

using hdf5_function = const hdf5_engine* (*)();
inline constexpr const char* hdf5_symbol = "armilla_hdf5";

}  // namespace armilla::detail
