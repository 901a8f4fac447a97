// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "armilla/base/values/is_complex.hpp"
#include "armilla/boot/host/descriptor.hpp"
#include "armilla/container/image/new_file.hpp"
#include "armilla/team.hpp"

/// Arrays in NumPy's format .npy.
namespace armilla::detail {

/// An element: b, i, u, f or c, and its bytes.
struct npy_type {
  char kind = 0;
  std::size_t bytes = 0;
};
/// A type that NumPy has.
template <class T>
concept npy_element = std::is_arithmetic_v<T> || is_complex<T>;
template <npy_element T>
constexpr npy_type npy_type_of() {
  if constexpr (std::is_same_v<T, bool>) return {'b', sizeof(T)};
  if constexpr (is_complex<T>) return {'c', sizeof(T)};
  if constexpr (std::is_floating_point_v<T>) return {'f', sizeof(T)};
  return {std::is_signed_v<T> ? 'i' : 'u', sizeof(T)};
}

/// What the header of a file says.
struct npy_header {
  std::string type;
  bool fortran = false;
  std::vector<std::uint64_t> shape{};
  std::uint64_t begin = 0;  ///< of the elements, in the file
};
/// Empty, or what is wrong. `bytes`: the beginning of the file, all of its header.
std::string parse_npy_header(std::string_view bytes, npy_header& header);

/// A file that the members of a team read together.
class npy_file {
 public:
  /// Collective. Throws a usage_error on all members if the elements or the number of dimensions differ.
  npy_file(const team& members, const std::string& path, const npy_type& type, std::size_t dimensions);

  const npy_header& header() const noexcept { return header_; }
  /// Elements in the order of the file.
  void read(std::uint64_t first, std::size_t n, void* to);
  /// Collective: throws on all members if one could not read.
  void agree() const;

 private:
  std::string open(const npy_type& type, std::size_t dimensions);
  std::string check(const npy_type& type, std::size_t dimensions);

  team members_;
  std::string path_;
  npy_type type_;
  descriptor file_{-1};
  std::uint64_t bytes_ = 0;
  npy_header header_;
  bool swapped_ = false;
  std::string wrong_;
};

/// A file that the members of a team write together, row by row.
class npy_writer {
 public:
  /// Collective.
  npy_writer(const team& members, const std::string& path, const npy_type& type, const std::vector<std::uint64_t>& shape);

  void write(std::uint64_t first, std::size_t n, const void* from);
  /// Collective: the file takes its name.
  void publish();

 private:
  team members_;
  std::string path_;
  std::size_t element_;
  std::string header_;
  new_file file_;
};

}  // namespace armilla::detail
