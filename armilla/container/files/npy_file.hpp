// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "armilla/base/host/regular_file.hpp"
#include "armilla/base/values/is_complex.hpp"
#include "armilla/boot/host/descriptor.hpp"
#include "armilla/container/files/zip_file.hpp"
#include "armilla/container/image/new_file.hpp"
#include "armilla/team.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

/// Arrays in NumPy's formats .npy, and .npz: an archive of such.
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

/// A file, or an array of an archive, that the members of a team read together.
class npy_file {
 public:
  /// Collective. Throws a usage_error on all members if the elements or the number of dimensions differ. `array`: its name in an
  /// archive, or null.
  npy_file(const team& members, const std::string& path, const npy_type& type, std::size_t dimensions,
           const std::string* array = nullptr);

  const npy_header& header() const noexcept { return header_; }
  /// Elements in the order of the file. Those of a deflated array should be read in this order.
  void read(std::uint64_t first, std::size_t n, void* to);
  /// Collective: throws on all members if one could not read, or if the checksum of an archive does not fit.
  void end();

 private:
  std::string open(const npy_type& type, std::size_t dimensions);
  std::string check(const npy_type& type, std::size_t dimensions);
  void compare_checksum();
  void agree() const;

  const char* operation_;
  const named_algorithm name_{operation_};
  team members_;
  std::string path_;
  npy_type type_;
  const std::string* array_;
  descriptor file_{-1};
  regular_file found_;
  std::uint64_t bytes_ = 0;
  zip_member place_;
  zip_source source_;
  npy_header header_;
  bool swapped_ = false;
  std::string wrong_;
};

/// A file of one array, or an archive of some, that the members of a team write together, row by row.
class npy_writer {
 public:
  enum class format { npy, npz, npz_compressed };
  npy_writer(const char* operation, const team& members, const std::string& path, format as);

  /// `name`: in an archive.
  void add(const std::string& name, const npy_type& type, const std::vector<std::uint64_t>& shape);
  /// Collective: there is room for the elements of all that was added. Throws a usage_error on all members for names that are
  /// not different.
  void open();
  void write(std::size_t array, std::uint64_t first, std::size_t n, const void* from);
  /// Collective: the file takes its name.
  void publish();

 private:
  struct array {
    zip_member member{};
    std::string header{};  ///< of NumPy
    std::size_t element = 0;
    std::string packed{};  ///< this member's share
  };
  void put(std::uint64_t at, std::string_view bytes);
  void end_archive();
  void read_back(array& a, int file, std::uint64_t& length);

  const char* operation_;
  const named_algorithm name_{operation_};
  team members_;
  std::string path_;
  format as_;
  std::vector<array> arrays_;
  new_file file_;
};

}  // namespace armilla::detail
