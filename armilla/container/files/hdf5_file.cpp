// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/files/hdf5_file.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
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

constexpr std::uint64_t most_element = std::uint64_t(64) << 20;
constexpr file_plugin hdf5_plugin{.name = "hdf5", .symbol = hdf5_symbol, .format = "HDF5", .package = "libhdf5-dev"};

std::string name_of(hdf5_type t) {
  switch (t.is) {
    case number_kind::integer: return fmt::format("std::int{}_t", 8 * t.bytes);
    case number_kind::natural: return fmt::format("std::uint{}_t", 8 * t.bytes);
    case number_kind::floating:
      return t.bytes == 8 ? "double" : t.bytes == 4 ? "float" : fmt::format("floating-point numbers of {} bytes", t.bytes);
    case number_kind::truth: return "bool";
    case number_kind::text: return "std::string";
    case number_kind::compound: return "a structure";
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
  if (want.is >= number_kind::truth || have.is >= number_kind::truth) return have.is == want.is;
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

std::string text_of_dimensions(const hdf5_shape& s, std::uint32_t dimensions) {
  if (s.dimensions == dimensions) return {};
  return fmt::format("it has {} dimension{}{}{}; {}", s.dimensions, s.dimensions == 1 ? "" : "s", s.dimensions == 0 ? "" : ": ",
                     text_of_extents(s),
                     s.dimensions == 1                        ? "read it into a vector"
                     : s.dimensions == 2 || s.dimensions == 3 ? fmt::format("read it into a matrix<T, {}>", s.dimensions)
                                                              : "convert it first: containers have 1 to 3 dimensions");
}

/// Why numbers are not what the caller reads them for.
std::string text_of_type(hdf5_type have, hdf5_type wanted) {
  if (fits(have, wanted)) return {};
  if (have.is == number_kind::none) return "its elements have a type that has no counterpart in C++";
  if (have.is == number_kind::compound) return "its elements are structures; read them into a container of an aggregate";
  if (have.is >= number_kind::truth) return fmt::format("its elements are {}; read it into a container of these", name_of(have));
  return fmt::format("its numbers are {}, which {} does not represent exactly; read it into a container of {}", name_of(have),
                     name_of(wanted), name_of(have));
}

/// Why a node of the file is not the one that is wanted.
std::string text_of_node(const hdf5_node& have, const hdf5_node& wanted) {
  if (fits(have.type, wanted.type)) return {};
  const std::string which = wanted.name.empty() ? "its elements are" : fmt::format("its member '{}' is", wanted.name);
  if (have.type.is == number_kind::none) return which + " of a type that has no counterpart in C++";
  return fmt::format("{} {}, which {} does not represent", which, name_of(have.type), name_of(wanted.type));
}

std::string name_in_process(const descriptor& file) { return fmt::format("/proc/self/fd/{}", file.get()); }

std::uint64_t product(std::span<const std::uint64_t> extents) {
  std::uint64_t all = 1;
  for (const std::uint64_t n : extents) all *= n;
  return all;
}

/// Each member reads or writes about as much.
void expect_share(const hdf5_shape& s, const team& members) {
  expect_work(product(std::span(s.extent).first(s.dimensions)) * s.type.bytes / std::uint64_t(members.size()), "bytes");
}

std::string text_of_name(const std::string& name) {
  return name.empty() || name.find('\0') != name.npos ? "the name of a dataset or attribute is empty or contains a NUL" : "";
}

}  // namespace

std::uint64_t room_of(const hdf5_node& node) noexcept {
  return node.type.is == number_kind::text && node.type.bytes == 0 ? sizeof(char*) : node.type.bytes;
}

namespace {
/// Returns where the node behind these begins; `k` goes to it.
std::uint64_t lay_out_from(std::span<hdf5_node> nodes, std::size_t& k, std::uint64_t at) noexcept {
  hdf5_node& n = nodes[k++];
  n.at = at;
  std::uint64_t one = room_of(n);
  if (n.type.is == number_kind::compound) {
    std::uint64_t behind = at;
    for (std::uint32_t m = 0; m < n.members; ++m) behind = lay_out_from(nodes, k, behind);
    one = behind - at;
    n.type.bytes = std::uint32_t(std::min<std::uint64_t>(one, UINT32_MAX));  // an element that long is refused
  }
  return at + one * std::max<std::uint64_t>(n.array, 1);
}
}  // namespace

std::uint64_t lay_out(std::span<hdf5_node> nodes) noexcept {
  std::size_t k = 0;
  return lay_out_from(nodes, k, 0);
}

void measure_hdf5_text(hdf5_node& node, const std::string& text) {
  if (text.find('\0') != text.npos)
    throw std::invalid_argument(fmt::format("'{}' contains a NUL, which ends a string in HDF5", escaped(text.substr(0, 60))));
  if (text.size() > most_element)
    throw std::invalid_argument(fmt::format("a string has {} bytes, more than 64 MiB", text.size()));
  node.type.bytes = std::max(node.type.bytes, std::uint32_t(text.size()));
}

std::string hdf5_text_at(const hdf5_node& node, const std::byte* at) {
  if (node.type.bytes == 0) {
    const char* text = nullptr;
    std::memcpy(&text, at, sizeof text);
    return text == nullptr ? "" : text;
  }
  const std::string_view all(reinterpret_cast<const char*>(at), node.type.bytes);
  return std::string(all.substr(0, all.find_last_not_of('\0') + 1));
}

hdf5_input::hdf5_input(const char* operation, const std::string& path, const std::string& name, const team& members)
    : called_(operation),
      operation_(operation),
      path_(path),
      name_(name),
      members_(members ? members : world()),
      wrong_(text_of_name(name)) {
  open();
}

hdf5_input::hdf5_input(const char* operation, const std::string& path, const std::string& name, const team& members,
                       hdf5_type wanted, std::uint32_t dimensions)
    : hdf5_input(operation, path, name, members) {
  if (members_.rank() == 0 && wrong_.empty()) {
    note(text_of_dimensions(shape_, dimensions).c_str());
    note(text_of_type(shape_.type, wanted).c_str());
  }
  agree();
  shape_ = members_.broadcast(shape_, 0);
  shape_.type = wanted;
  expect_share(shape_, members_);
}

hdf5_input::hdf5_input(const char* operation, const std::string& path, const std::string& name, const team& members,
                       std::vector<hdf5_node>& nodes, std::uint32_t dimensions)
    : hdf5_input(operation, path, name, members) {
  // each member looks, since names of members are in its memory
  std::vector<hdf5_node> have = nodes;
  if (wrong_.empty()) note(engine_->describe_nodes(name_in_process(file_).c_str(), name_.c_str(), have.data()));
  for (std::size_t k = 0; k < nodes.size() && wrong_.empty(); ++k) {
    note(text_of_node(have[k], nodes[k]).c_str());
    if (nodes[k].type.is == number_kind::text) nodes[k] = have[k];
  }
  if (members_.rank() == 0 && wrong_.empty()) note(text_of_dimensions(shape_, dimensions).c_str());
  const std::uint64_t bytes = lay_out(nodes);
  if (bytes > most_element) note(fmt::format("its elements have {} bytes, more than 64 MiB", bytes).c_str());
  agree();
  shape_ = members_.broadcast(shape_, 0);
  shape_.type = {number_kind::compound, std::uint32_t(bytes)};
  expect_share(shape_, members_);
}

/// The first member learns the shape.
void hdf5_input::open() {
  if (wrong_.empty()) engine_ = load_engine<hdf5_engine>(hdf5_plugin, wrong_);
  agree();
  regular_file found = open_regular(path_);
  file_.reset(found.file);
  wrong_ = found.wrong;
  agree();
  if (members_.rank() == 0) note(engine_->describe(name_in_process(file_).c_str(), name_.c_str(), &shape_));
}

bool hdf5_input::read(const hdf5_part& part, std::span<const hdf5_node> nodes, void* to) {
  if (wrong_.empty()) note(engine_->read_nodes(name_in_process(file_).c_str(), name_.c_str(), &shape_, &part, nodes.data(), to));
  count_work(product(std::span(part.count).first(shape_.dimensions)) * shape_.type.bytes);
  return wrong_.empty();
}

void hdf5_input::free_texts(std::span<const hdf5_node> nodes, std::uint64_t count, void* elements) {
  if (std::ranges::any_of(nodes, [](const hdf5_node& n) { return n.type.is == number_kind::text && n.type.bytes == 0; }))
    engine_->free_texts(nodes.data(), count, elements);
}

void hdf5_input::note(const char* wrong) {
  if (wrong != nullptr && *wrong != 0 && wrong_.empty()) wrong_ = fmt::format("dataset '{}': {}", escaped(name_), wrong);
}

void hdf5_input::agree() { agree_on_file(members_, operation_, "read", path_, wrong_); }

/// Some rows at a time, between which the progress is shown. Few pieces: each unpacks the chunks at its borders, and so does the
/// next one.
void hdf5_input::read(const hdf5_part& part, void* to) {
  constexpr std::uint64_t at_once = std::uint64_t(16) << 20;
  const auto inner = [this](const auto& extents) {
    return shape_.type.bytes * product(std::span(extents).first(shape_.dimensions).subspan(1));
  };
  const std::uint64_t row = inner(part.room), counted = inner(part.count),
                      rows = std::max<std::uint64_t>(at_once / std::max<std::uint64_t>(row, 1), 1);
  for (std::uint64_t done = 0; done < part.count[0] && wrong_.empty(); done += rows) {
    hdf5_part some = part;
    some.first[0] += done;
    some.count[0] = some.room[0] = std::min(rows, part.count[0] - done);
    note(engine_->read(name_in_process(file_).c_str(), name_.c_str(), &shape_, &some, static_cast<std::byte*>(to) + done * row));
    count_work(some.count[0] * counted);
  }
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
  expect_share(d.shape, members_);
}

void hdf5_output::add(const std::string& name, std::vector<hdf5_node>& nodes, std::span<const std::size_t> extents,
                      const std::vector<hdf5_value>& attributes, failure& why) {
  detail::agree(members_, operation_, why);
  for (hdf5_node& n : nodes)
    if (n.type.is == number_kind::text)
      n.type.bytes = members_.all_reduce(n.type.bytes, [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
  const std::uint64_t bytes = lay_out(nodes);
  if (bytes > most_element)
    throw_usage(operation_, fmt::format("elements of '{}' have {} bytes, more than 64 MiB", escaped(name), bytes));
  add(name, hdf5_type{number_kind::compound, std::uint32_t(bytes)}, extents, attributes);
  datasets_.back().nodes = nodes_.emplace_back(nodes).data();
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
