// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/boot/host/descriptor.hpp"
#include "armilla/container/files/files_inline.hpp"
#include "armilla/container/files/hdf5_engine.hpp"
#include "armilla/container/image/new_file.hpp"
#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/team.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

/// Datasets of HDF5 files, as all members read or write them.
namespace armilla::detail {

template <class T>
inline constexpr bool is_hdf5_number = (std::is_arithmetic_v<T> && sizeof(T) <= 8 && !std::is_same_v<T, bool>) ||
                                       std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class T>
constexpr hdf5_type hdf5_type_of() {
  using kind = hdf5_type::kind;
  return {is_complex<T>                 ? kind::complex
          : std::is_floating_point_v<T> ? kind::floating
          : std::is_signed_v<T>         ? kind::integer
                                        : kind::natural,
          sizeof(T)};
}

/// Bytes of one value of a node in memory.
std::uint64_t room_of(const hdf5_node& node) noexcept;
/// Gives each node its place in an element; returns the bytes of the element.
std::uint64_t lay_out(std::span<hdf5_node> nodes) noexcept;
/// Makes room for a text. Throws std::invalid_argument if it contains a NUL.
void measure_hdf5_text(hdf5_node& node, const std::string& text);
std::string hdf5_text_at(const hdf5_node& node, const std::byte* at);

/// The value of an attribute.
struct hdf5_value {
  std::string name{};
  hdf5_type type{};          ///< none: a text
  std::uint64_t number = 0;  ///< its bits
  std::string text{};

  hdf5_value() = default;
  template <class T>
  hdf5_value(std::string called, const T& value) : name(std::move(called)) {
    if constexpr (std::is_arithmetic_v<T>) {
      using wide = std::conditional_t<std::is_floating_point_v<T>, double,
                                      std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
      type = hdf5_type_of<wide>();
      number = std::bit_cast<std::uint64_t>(wide(value));
    } else {
      text = value;
    }
  }
};

/// Returns the value of an attribute. Collective. Throws on all members if the value is not of the type `wanted`, whose kind is
/// `none` for a text.
hdf5_value read_hdf5_value(const char* operation, const std::string& path, const std::string& dataset, const std::string& name,
                           const team& members, hdf5_type wanted);

template <class T>
T as_hdf5_value(const hdf5_value& v) {
  if constexpr (std::is_arithmetic_v<T>) {
    if (v.type.is == hdf5_type::kind::floating) return T(std::bit_cast<double>(v.number));
    return v.type.is == hdf5_type::kind::integer ? T(std::bit_cast<std::int64_t>(v.number)) : T(v.number);
  } else {
    return T(v.text);
  }
}

/// Collective, but for `read`.
class hdf5_input {
 public:
  /// Throws on all members if the file has no dataset of this name that fits.
  hdf5_input(const char* operation, const std::string& path, const std::string& name, const team& members, hdf5_type wanted,
             std::uint32_t dimensions);
  /// The same for elements of these nodes, which get their sizes and places.
  hdf5_input(const char* operation, const std::string& path, const std::string& name, const team& members,
             std::vector<hdf5_node>& nodes, std::uint32_t dimensions);
  const hdf5_shape& shape() const noexcept { return shape_; }
  const team& members() const noexcept { return members_; }
  void read(const hdf5_part& part, void* to);
  /// Elements of nodes, and what is freed behind them. Returns false if they cannot be read.
  bool read(const hdf5_part& part, std::span<const hdf5_node> nodes, void* to);
  void free_texts(std::span<const hdf5_node> nodes, std::uint64_t count, void* elements);
  void end();

 private:
  /// Opens the file.
  hdf5_input(const char* operation, const std::string& path, const std::string& name, const team& members);
  void open();
  void note(const char* wrong);
  void agree();

  const named_algorithm called_;
  const char* operation_;
  std::string path_, name_;
  team members_;
  const hdf5_engine* engine_ = nullptr;
  descriptor file_{-1};
  std::string wrong_;
  hdf5_shape shape_;
};

/// Collective, but for `add` and `write`.
class hdf5_output {
 public:
  /// usage_error if the teams differ.
  hdf5_output(const char* operation, const std::string& path, std::span<const team* const> teams);
  void add(const std::string& name, hdf5_type type, std::span<const std::size_t> extents,
           const std::vector<hdf5_value>& attributes);
  /// Elements of these nodes. `why`: what failed when this member measured its texts.
  void add(const std::string& name, std::vector<hdf5_node>& nodes, std::span<const std::size_t> extents,
           const std::vector<hdf5_value>& attributes, failure& why);
  /// Makes a file in which these have room.
  void make();
  /// The numbers from index `first` on, in the order of rows.
  void write(std::size_t dataset, std::uint64_t first, const void* from, std::size_t count);
  void end();

 private:
  void put(std::uint64_t at, std::span<const std::byte> bytes);
  void flush();

  const named_algorithm called_;
  const char* operation_;
  std::string path_;
  team members_;
  std::vector<std::string> names_;
  std::vector<hdf5_dataset> datasets_;
  std::deque<std::vector<hdf5_node>> nodes_;                    // of datasets
  std::vector<std::pair<std::size_t, hdf5_value>> attributes_;  // and of which dataset
  std::optional<new_file> file_;
  std::vector<std::byte> waiting_;  // bytes of which the file has none yet, at waiting_at_
  std::uint64_t waiting_at_ = 0;
};

}  // namespace armilla::detail
