// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/grid/hdf5_inline.hpp"
#include "armilla/team.hpp"

/// Reads and writes datasets of HDF5 files in parallel.
///
///     am::write_hdf5("run.h5", am::dataset("heat", heat), am::dataset("grid/x", x));
///     auto again = am::read_hdf5<am::matrix<double>>("run.h5", "heat");
///     auto column = am::read_hdf5<am::vector<double>>("run.h5", "grid/x");
///
/// **Containers**: an `array` or `vector` is a dataset of one dimension, a `matrix<T, N>` one of N.
///
/// **Numbers** are integers of 1 to 8 bytes, `float`, `double`, and `std::complex` of them, which h5py writes as a pair of `r`
/// and `i`. A dataset is read into any type that represents all its numbers exactly: 32-bit integers into `double` or
/// `std::int64_t`, but not into `float`.
///
/// **Other elements** are `bool`, `std::string`, and aggregates whose members are numbers, `bool`, `std::string`, `std::array` or
/// aggregates:
///
///     struct particle { std::array<double, 3> place; std::int32_t kind; std::string name; };
///     am::vector<particle> all = am::read_hdf5<am::vector<particle>>("run.h5", "particles");
///
/// An aggregate corresponds to a compound (in h5py, a structured dtype) whose members have the same names. The compound in a file
/// may have more members, in any order. Strings of fixed and of variable length are read. Strings are written in UTF-8 with the
/// length of the longest one; h5py reads them as bytes, or as strings with `.asstr()`. A string must not contain a NUL.
///
/// **Reading.** Each rank reads its own elements, with all filters and layouts of libhdf5: chunks, compression, fill values.
///
/// **Writing.** The first rank makes a file with room for all datasets. Then each rank writes its own elements directly into the
/// file, without MPI. h5py and h5dump read the file. The file is written completely, or the old one remains.
///
/// **Dependency.** A program does not link libhdf5. The plug-in `libarmilla-hdf5.so` does; the first call loads it
/// (`ARMILLA_BACKENDS` names its folder). It is built if libhdf5-dev is installed. Without it, all functions throw
/// `usage_error` on all members.
///
/// **Errors.** Throws `usage_error` on all members for a file or dataset that cannot be read or written, and for a dataset with
/// a different number of dimensions or with numbers that do not fit the type. Throws `limit_error` if memory does not suffice.
///
/// **Cost.** libhdf5 is not thread-safe: ranks that are threads read one after the other.
namespace armilla {

/// A container and the name of its dataset, for `write_hdf5`. Groups precede the name, separated by slashes.
template <class X>
struct dataset {
  std::string name;  ///< "x" or "group/x"
  const X* values;   ///< the container, which must exist until it is written
  std::vector<detail::hdf5_value> attributes{};
  dataset(std::string called, const X& of) : name(std::move(called)), values(&of) {}

  /// Adds an attribute: a number, which is written with 8 bytes, or a string. Returns the dataset.
  ///
  ///     am::write_hdf5("run.h5", am::dataset("heat", heat).with("unit", "K").with("step", 17));
  template <class T>
    requires std::is_arithmetic_v<T> || std::convertible_to<const T&, std::string>
  dataset& with(std::string called, const T& value) {
    attributes.emplace_back(std::move(called), value);
    return *this;
  }
};

/// Reads a dataset into an `array`, a `vector` or a `matrix` over the ranks of `members`. Collective.
template <class X>
  requires detail::hdf5_container<X>
X read_hdf5(const std::string& path, const std::string& name, const team& members = {},
            const made_at& at = std::source_location::current()) {
  using T = typename X::value_type;
  constexpr std::uint32_t dimensions = detail::hdf5_dimensions<X>;
  const auto finish = [](detail::hdf5_input& file, X made) {
    file.end();
    detail::meet(file.members());
    return made;
  };
  if constexpr (detail::is_hdf5_number<T>) {
    detail::hdf5_input file("read_hdf5", path, name, members, detail::hdf5_type_of<T>(), dimensions);
    X made = detail::hdf5_container_of<X>(file.shape(), file.members(), at);
    detail::with_hdf5_part(made, [&](const detail::hdf5_part& part, T* to) { file.read(part, to); });
    return finish(file, std::move(made));
  } else {
    detail::hdf5_layout<T> layout;
    detail::hdf5_input file("read_hdf5", path, name, members, layout.nodes, dimensions);
    X made = detail::hdf5_container_of<X>(file.shape(), file.members(), at);
    detail::read_hdf5_records(made, file, layout);
    return finish(file, std::move(made));
  }
}

/// Reads an attribute of a dataset: a number that `T` represents exactly, or a `std::string`. Collective.
///
///     const auto unit = am::read_hdf5_attribute<std::string>("run.h5", "heat", "unit");
template <class T>
  requires(detail::is_hdf5_number<T> && std::is_arithmetic_v<T>) || std::same_as<T, std::string>
T read_hdf5_attribute(const std::string& path, const std::string& of, const std::string& name, const team& members = {}) {
  detail::hdf5_type wanted{};
  if constexpr (std::is_arithmetic_v<T>) wanted = detail::hdf5_type_of<T>();
  return detail::as_hdf5_value<T>(detail::read_hdf5_value("read_hdf5_attribute", path, of, name, members, wanted));
}

/// Writes datasets to a new file, which replaces an old one. Collective: all containers must be over the same team.
template <class... X>
  requires(sizeof...(X) > 0 && (detail::hdf5_container<X> && ...))
void write_hdf5(const std::string& path, const dataset<X>&... data) {
  const std::array<const team*, sizeof...(X)> teams = {&data.values->members()...};
  detail::hdf5_output file("write_hdf5", path, teams);
  std::tuple<detail::hdf5_layout_of<X>...> layouts;
  std::apply(
      [&](auto&... layout) {
        (detail::add_hdf5_dataset(file, data.name, *data.values, data.attributes, layout), ...);
        file.make();
        std::size_t k = 0;
        (detail::write_hdf5_parts(file, k++, *data.values, layout), ...);
      },
      layouts);
  file.end();
}

}  // namespace armilla
