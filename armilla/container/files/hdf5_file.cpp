// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/files/hdf5_file.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/host/regular_file.hpp"
#include "armilla/base/values/escaped.hpp"
#include "armilla/base/values/extents.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/files/file_plugin.hpp"
#include "armilla/container/image/save_agreement.hpp"
#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

using number_kind = hdf5_type::kind;

constexpr file_plugin hdf5_plugin{.name = "hdf5", .symbol = hdf5_symbol, .format = "HDF5", .package = "libhdf5-dev"};

std::string name_of(hdf5_type t) {
  switch (t.is) {
    case number_kind::integer: return fmt::format("std::int{}_t", 8 * t.bytes);
    case number_kind::natural: return fmt::format("std::uint{}_t", 8 * t.bytes);
    case number_kind::floating:
      return t.bytes == 8 ? "double" : t.bytes == 4 ? "float" : fmt::format("floating-point numbers of {} bytes", t.bytes);
    case number_kind::complex: return t.bytes == 16 ? "std::complex<double>" : "std::complex<float>";
    default: return "no numbers";
  }
}

/// How many bits a number has that distinguish it from others.
std::uint32_t digits_of(hdf5_type t) {
  const std::uint32_t bytes = t.is == number_kind::complex ? t.bytes / 2 : t.bytes;
  if (t.is == number_kind::integer) return 8 * bytes - 1;
  if (t.is == number_kind::natural) return 8 * bytes;
  return bytes == 8 ? 53 : bytes == 4 ? 24 : bytes == 2 ? 11 : 1000;
}

/// Whether each number of type `have` is one of `want`.
bool fits(hdf5_type have, hdf5_type want) {
  if (have.is == number_kind::none || digits_of(have) > digits_of(want)) return false;
  const bool whole = have.is == number_kind::integer || have.is == number_kind::natural;
  switch (want.is) {
    case number_kind::integer: return whole;
    case number_kind::natural: return have.is == number_kind::natural;
    case number_kind::floating: return whole || have.is == number_kind::floating;
    default: return have.is == number_kind::complex;
  }
}

std::string text_of_extents(const hdf5_shape& s) {
  return fmt::format("{}", fmt::join(s.extent.begin(), s.extent.begin() + std::min(s.dimensions, hdf5_shape::most), " x "));
}

/// Why a dataset is not what the caller reads it for.
std::string text_of_shape(const hdf5_shape& s, hdf5_type wanted, std::uint32_t dimensions) {
  if (s.dimensions != dimensions)
    return fmt::format("it has {} dimension{}{}{}; {}", s.dimensions, s.dimensions == 1 ? "" : "s", s.dimensions == 0 ? "" : ": ",
                       text_of_extents(s),
                       s.dimensions == 1                        ? "read it into a vector"
                       : s.dimensions == 2 || s.dimensions == 3 ? fmt::format("read it into a matrix<T, {}>", s.dimensions)
                                                                : "convert it first: containers have 1 to 3 dimensions");
  if (s.type.is == number_kind::none) return "its elements are not integers, floating-point or complex numbers";
  if (!fits(s.type, wanted))
    return fmt::format("its numbers are {}, which {} does not represent exactly; read it into a container of {}", name_of(s.type),
                       name_of(wanted), name_of(s.type));
  return {};
}

std::string name_in_process(const descriptor& file) { return fmt::format("/proc/self/fd/{}", file.get()); }

std::string text_of_name(const std::string& name) {
  return name.empty() || name.find('\0') != name.npos ? "the name of a dataset or attribute is empty or contains a NUL" : "";
}

}  // namespace

hdf5_input::hdf5_input(const char* operation, const std::string& path, const std::string& name, const team& members,
                       hdf5_type wanted, std::uint32_t dimensions)
    : called_(operation),
      operation_(operation),
      path_(path),
      name_(name),
      members_(members ? members : world()),
      wrong_(text_of_name(name)) {
  if (wrong_.empty()) engine_ = load_engine<hdf5_engine>(hdf5_plugin, wrong_);
  agree();
  regular_file found = open_regular(path);
  file_.reset(found.file);
  wrong_ = found.wrong;
  agree();
  if (members_.rank() == 0) {
    note(engine_->describe(name_in_process(file_).c_str(), name_.c_str(), &shape_));
    if (wrong_.empty()) note(text_of_shape(shape_, wanted, dimensions).c_str());
  }
  agree();
  shape_ = members_.broadcast(shape_, 0);
  shape_.type = wanted;
}

void hdf5_input::note(const char* wrong) {
  if (wrong != nullptr && *wrong != 0 && wrong_.empty()) wrong_ = fmt::format("dataset '{}': {}", escaped(name_), wrong);
}

void hdf5_input::agree() { agree_on_file(members_, operation_, "read", path_, wrong_); }

void hdf5_input::read(const hdf5_part& part, void* to) {
  if (wrong_.empty()) note(engine_->read(name_in_process(file_).c_str(), name_.c_str(), &shape_, &part, to));
}

void hdf5_input::end() { agree(); }

hdf5_value read_hdf5_value(const char* operation, const std::string& path, const std::string& dataset, const std::string& name,
                           const team& given, hdf5_type wanted) {
  const team members = given ? given : world();
  std::string wrong = text_of_name(dataset).empty() ? text_of_name(name) : text_of_name(dataset);
  hdf5_value value;
  const hdf5_engine* const engine = wrong.empty() ? load_engine<hdf5_engine>(hdf5_plugin, wrong) : nullptr;
  if (engine != nullptr && members.rank() == 0) {
    regular_file found = open_regular(path);
    const descriptor file(found.file);
    wrong = found.wrong;
    hdf5_attribute a{dataset.c_str(), name.c_str(), {}, 0, nullptr};
    if (wrong.empty())
      if (const char* const why = engine->read_attribute(name_in_process(file).c_str(), &a); why != nullptr) wrong = why;
    if (wrong.empty() && (a.type.is == number_kind::none) != (wanted.is == number_kind::none))
      wrong = a.type.is == number_kind::none ? "it is a text; read it as std::string"
                                             : fmt::format("it is a number; read it as {}", name_of(a.type));
    else if (wrong.empty() && wanted.is != number_kind::none && !fits(a.type, wanted))
      wrong = fmt::format("it is {}, which {} does not represent exactly", name_of(a.type), name_of(wanted));
    if (!wrong.empty()) wrong = fmt::format("attribute '{}' of dataset '{}': {}", escaped(name), escaped(dataset), wrong);
    value.type = a.type, value.number = a.number, value.text = a.text == nullptr ? "" : a.text;
  }
  agree_on_file(members, operation, "read", path, wrong);
  value.type = members.broadcast(value.type, 0);
  value.number = members.broadcast(value.number, 0);
  value.text = members.broadcast(value.text, 0);
  return value;
}

hdf5_output::hdf5_output(const char* operation, const std::string& path, std::span<const team* const> teams)
    : called_(operation), operation_(operation), path_(path), members_(*teams[0]) {
  require_team_of_file(operation, teams);
}

void hdf5_output::add(const std::string& name, hdf5_type type, std::span<const std::size_t> extents,
                      const std::vector<hdf5_value>& attributes) {
  for (const hdf5_value& a : attributes) attributes_.emplace_back(names_.size(), a);
  names_.push_back(name);
  hdf5_dataset d{.shape = {.type = type, .dimensions = std::uint32_t(extents.size())}};
  std::ranges::copy(extents, d.shape.extent.begin());
  datasets_.push_back(d);
}

void hdf5_output::make() {
  std::string wrong;
  for (const std::string& name : names_)
    if (wrong.empty()) wrong = text_of_name(name);
  for (const auto& [of, a] : attributes_)
    if (wrong.empty()) wrong = text_of_name(a.name);
  const hdf5_engine* const engine = wrong.empty() ? load_engine<hdf5_engine>(hdf5_plugin, wrong) : nullptr;
  agree_on_file(members_, operation_, "write", path_, wrong);
  file_.emplace(members_, operation_, "write", path_, false);
  file_->open(0);
  for (std::size_t k = 0; k < names_.size(); ++k) datasets_[k].name = names_[k].c_str();
  if (members_.rank() == 0 && file_->usable()) {
    std::vector<hdf5_attribute> all;
    for (const auto& [of, a] : attributes_) all.push_back({names_[of].c_str(), a.name.c_str(), a.type, a.number, a.text.c_str()});
    const std::string name = fmt::format("/proc/self/fd/{}", file_->number());
    const char* const why =
        engine->create(name.c_str(), datasets_.data(), std::uint32_t(datasets_.size()), all.data(), std::uint32_t(all.size()));
    if (why != nullptr) file_->note(why);
  }
  file_->end_data();
  for (hdf5_dataset& d : datasets_) d.at = members_.broadcast(d.at, 0);
}

/// Short pieces that follow each other in the file are written together.
void hdf5_output::write(std::size_t dataset, std::uint64_t first, const void* from, std::size_t count) {
  constexpr std::size_t enough = std::size_t(1) << 20;
  const hdf5_dataset& d = datasets_[dataset];
  const std::uint64_t at = d.at + first * d.shape.type.bytes;
  const std::span bytes(static_cast<const std::byte*>(from), count * d.shape.type.bytes);
  if (at != waiting_at_ + waiting_.size() || waiting_.size() + bytes.size() > enough) flush();
  if (bytes.size() > enough) return put(at, bytes);
  if (waiting_.empty()) waiting_at_ = at;
  waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
}

void hdf5_output::put(std::uint64_t at, std::span<const std::byte> bytes) {
  if (!file_->usable() || bytes.empty()) return;
  if (const int error = write_all(file_->number(), bytes.data(), bytes.size(), at); error != 0) file_->note(text_of_errno(error));
}

void hdf5_output::flush() {
  put(waiting_at_, waiting_);
  waiting_.clear();
}

void hdf5_output::end() {
  flush();
  file_->end_data();
  file_->publish({});
}

}  // namespace armilla::detail
