// SPDX-License-Identifier: Apache-2.0
// HDF5 files by libhdf5. It is not safe for threads, and ranks may be threads: one of them is inside at a time.
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "armilla/container/files/hdf5_engine.hpp"

namespace armilla::detail {
namespace {

using kind = hdf5_type::kind;

std::mutex one_at_a_time;

/// The innermost reason that HDF5 gives.
std::string reason() {
  std::string text;
  const auto take = [](unsigned, const H5E_error2_t* e, void* to) -> herr_t {
    if (e->desc != nullptr && *e->desc != 0) *static_cast<std::string*>(to) = e->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, take, &text);
  return text.empty() ? "HDF5 gives no reason" : text;
}

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

/// An identifier of HDF5, which is closed in the end.
class handle {
 public:
  handle(hid_t id, herr_t (*close)(hid_t), const char* what) : id_(id), close_(close) {
    if (id < 0) fail(std::string(what) + ": " + reason());
  }
  ~handle() {
    if (id_ >= 0) close_(id_);
  }
  handle(handle&& o) noexcept : id_(std::exchange(o.id_, -1)), close_(o.close_) {}
  operator hid_t() const noexcept { return id_; }  // NOLINT(google-explicit-constructor)

  /// Errors that are reported late.
  void close(const char* what) {
    if (close_(std::exchange(id_, -1)) < 0) fail(std::string(what) + ": " + reason());
  }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check(herr_t result, const char* what) {
  if (result < 0) fail(std::string(what) + ": " + reason());
}

/// Calls f with HDF5's own printing off; what it throws is the result.
template <class F>
const char* guarded(F f) noexcept {
  thread_local std::string wrong;
  try {
    const std::lock_guard<std::mutex> alone(one_at_a_time);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    f();
    return nullptr;
  } catch (const std::exception& e) { wrong = e.what(); } catch (...) {
    wrong = "unknown error";
  }
  return wrong.c_str();
}

handle open_file(const char* file) {
  const handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "no access list");
  H5Pset_file_locking(access, false, true);  // nothing may write to the file, which is checked otherwise
  return {H5Fopen(file, H5F_ACC_RDONLY, access), H5Fclose, "it is not a whole HDF5 file"};
}
handle open_dataset(hid_t file, const char* name) {
  const bool there = H5Oexists_by_name(file, name, H5P_DEFAULT) > 0;
  return {H5Dopen2(file, name, H5P_DEFAULT), H5Dclose,
          there ? "this libhdf5 cannot open it (has a newer one written it?)" : "no such dataset"};
}

/// A size that 32 bits do not hold becomes the largest, which fits nothing.
std::uint32_t bytes_of(hid_t type) { return std::uint32_t(std::min<std::size_t>(H5Tget_size(type), UINT32_MAX)); }

/// As h5py writes complex numbers: a pair of r and i.
hdf5_type complex_type(hid_t type) {
  if (H5Tget_nmembers(type) != 2) return {};
  std::array<hdf5_type, 2> part;
  for (unsigned k = 0; k < 2; ++k) {
    const handle member(H5Tget_member_type(type, k), H5Tclose, "no type");
    char* const name = H5Tget_member_name(type, k);
    const bool good = name != nullptr && std::string(name) == (k == 0 ? "r" : "i") && H5Tget_class(member) == H5T_FLOAT;
    H5free_memory(name);
    if (!good) return {};
    part[k].bytes = bytes_of(member);
  }
  return part[0] == part[1] && part[0].bytes <= UINT32_MAX / 2 ? hdf5_type{kind::complex, 2 * part[0].bytes} : hdf5_type{};
}
/// As h5py writes truths.
bool is_truth(hid_t type) {
  if (H5Tget_nmembers(type) != 2 || H5Tget_size(type) != 1) return false;
  std::string names;
  for (unsigned k = 0; k < 2; ++k) {
    char* const name = H5Tget_member_name(type, k);
    if (name != nullptr) names += name;
    H5free_memory(name);
  }
  return names == "FALSETRUE";
}
hdf5_type type_of(hid_t type) {
  const std::uint32_t bytes = bytes_of(type);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER: return {H5Tget_sign(type) == H5T_SGN_NONE ? kind::natural : kind::integer, bytes};
    case H5T_FLOAT: return {kind::floating, bytes};
    case H5T_COMPOUND: {
      const hdf5_type pair = complex_type(type);
      return pair.is == kind::complex ? pair : hdf5_type{kind::compound, bytes};
    }
    case H5T_STRING: return {kind::text, H5Tis_variable_str(type) > 0 ? 0 : bytes};
    case H5T_ENUM: return {is_truth(type) ? kind::truth : kind::none, bytes};
    default: return {};
  }
}

handle native_type(hdf5_type t) {
  const auto integer = [&](hid_t one, hid_t two, hid_t four, hid_t eight) {
    return t.bytes == 1 ? one : t.bytes == 2 ? two : t.bytes == 4 ? four : t.bytes == 8 ? eight : hid_t(-1);
  };
  const auto floating = [](std::uint32_t bytes) {
    return bytes == 4 ? H5T_NATIVE_FLOAT : bytes == 8 ? H5T_NATIVE_DOUBLE : hid_t(-1);
  };
  if (t.is == kind::complex) {
    handle pair(H5Tcreate(H5T_COMPOUND, t.bytes), H5Tclose, "no type");
    check(H5Tinsert(pair, "r", 0, floating(t.bytes / 2)), "no type");
    check(H5Tinsert(pair, "i", t.bytes / 2, floating(t.bytes / 2)), "no type");
    return pair;
  }
  const hid_t known = t.is == kind::floating ? floating(t.bytes)
                      : t.is == kind::integer
                          ? integer(H5T_NATIVE_INT8, H5T_NATIVE_INT16, H5T_NATIVE_INT32, H5T_NATIVE_INT64)
                          : integer(H5T_NATIVE_UINT8, H5T_NATIVE_UINT16, H5T_NATIVE_UINT32, H5T_NATIVE_UINT64);
  return {known < 0 ? known : H5Tcopy(known), H5Tclose, "no type of this size"};
}

handle truth_type() {
  handle truth(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose, "no type");
  for (std::int8_t value = 0; value < 2; ++value) check(H5Tenum_insert(truth, value == 0 ? "FALSE" : "TRUE", &value), "no type");
  return truth;
}

/// The type of a node, which `at` goes behind.
handle node_type(const hdf5_node*& at) {
  const hdf5_node& n = *at++;
  const auto one = [&]() -> handle {
    if (n.type.is == kind::truth) return truth_type();
    if (n.type.is == kind::text) {
      handle text(H5Tcopy(H5T_C_S1), H5Tclose, "no type");
      check(H5Tset_size(text, n.type.bytes == 0 ? H5T_VARIABLE : n.type.bytes), "no type");
      check(H5Tset_strpad(text, n.type.bytes == 0 ? H5T_STR_NULLTERM : H5T_STR_NULLPAD), "no type");
      check(H5Tset_cset(text, H5T_cset_t(n.character)), "no type");
      return text;
    }
    if (n.type.is != kind::compound) return native_type(n.type);
    handle whole(H5Tcreate(H5T_COMPOUND, n.type.bytes), H5Tclose, "no type");
    for (std::uint32_t k = 0; k < n.members; ++k) {
      const hdf5_node& member = *at;
      const handle type = node_type(at);
      check(H5Tinsert(whole, std::string(member.name).c_str(), std::size_t(member.at - n.at), type), "no type");
    }
    return whole;
  };
  handle type = one();
  if (n.array == 0) return type;
  const hsize_t extent = n.array;
  return {H5Tarray_create2(type, 1, &extent), H5Tclose, "no type"};
}

/// Finds the nodes in the type of the file, by the names of members.
void describe_node(hid_t type, hdf5_node*& at, const std::string& where) {
  hdf5_node& n = *at++;
  const std::string which = where.empty() ? "its elements are" : "its member '" + where + "' is";
  const bool is_array = H5Tget_class(type) == H5T_ARRAY;
  handle element(is_array ? H5Tget_super(type) : H5Tcopy(type), H5Tclose, "it has no type");
  if (is_array || n.array != 0) {
    hsize_t extent = 0;
    const bool one = is_array && H5Tget_array_ndims(type) == 1 && H5Tget_array_dims2(type, &extent) == 1;
    if (n.array == 0) fail(which + " an array, which only std::array reads");
    if (!one || extent != n.array) fail(which + " not an array of " + std::to_string(n.array));
  }
  const hdf5_type have = type_of(element);
  if (n.type.is != kind::compound) {
    n.type = have;
    if (have.is == kind::text) n.character = std::uint32_t(H5Tget_cset(element));
    return;
  }
  if (H5Tget_class(element) != H5T_COMPOUND) fail(which + " not a structure");
  for (std::uint32_t k = 0; k < n.members; ++k) {
    const std::string name(at->name), path = where.empty() ? name : where + "." + name;
    const int index = H5Tget_member_index(element, name.c_str());
    if (index < 0) fail("its elements have no member '" + path + "'");
    const handle member(H5Tget_member_type(element, unsigned(index)), H5Tclose, "it has no type");
    describe_node(member, at, path);
  }
}

void describe_dataset(const char* file_name, const char* name, hdf5_shape& shape) {
  const handle file = open_file(file_name), dataset = open_dataset(file, name);
  const handle type(H5Dget_type(dataset), H5Tclose, "it has no type"), space(H5Dget_space(dataset), H5Sclose, "it has no shape");
  shape.type = type_of(type);
  const int n = H5Sget_simple_extent_ndims(space);
  if (n < 0 || H5Sget_simple_extent_type(space) == H5S_NULL) fail("the dataset has no shape");
  shape.dimensions = std::uint32_t(n);
  std::array<hsize_t, H5S_MAX_RANK> extent{};
  check(H5Sget_simple_extent_dims(space, extent.data(), nullptr), "it has no shape");
  std::copy_n(extent.begin(), std::min(shape.dimensions, hdf5_shape::most), shape.extent.begin());
}

void describe_nodes(const char* file_name, const char* name, hdf5_node* nodes) {
  const handle file = open_file(file_name), dataset = open_dataset(file, name);
  const handle type(H5Dget_type(dataset), H5Tclose, "it has no type");
  describe_node(type, nodes, "");
}

void free_texts(const hdf5_node* nodes, std::uint64_t count, void* elements) {
  const handle type = node_type(nodes);
  const hsize_t extent = count;
  const handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose, "no room");
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, elements);
}

/// `nodes` may be null: numbers.
void read_dataset(const char* file_name, const char* name, const hdf5_shape& shape, const hdf5_part& part, const hdf5_node* nodes,
                  void* to) {
  const handle file = open_file(file_name), dataset = open_dataset(file, name);
  const handle type = nodes != nullptr ? node_type(nodes) : native_type(shape.type);
  const handle space(H5Dget_space(dataset), H5Sclose, "it has no shape");
  const auto select = [&](hid_t in, const std::array<std::uint64_t, hdf5_shape::most>& from, const char* otherwise) {
    std::array<hsize_t, hdf5_shape::most> first{}, count{};
    std::copy(from.begin(), from.end(), first.begin());
    std::copy(part.count.begin(), part.count.end(), count.begin());
    check(H5Sselect_hyperslab(in, H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr), otherwise);
  };
  if (H5Sget_simple_extent_ndims(space) != int(shape.dimensions)) fail("it changed while it was read");
  std::array<hsize_t, hdf5_shape::most> room{};
  std::copy(part.room.begin(), part.room.end(), room.begin());
  const handle memory(H5Screate_simple(int(shape.dimensions), room.data(), nullptr), H5Sclose, "no room");
  select(space, part.first, "it changed while it was read");
  select(memory, {}, "no room");
  check(H5Dread(dataset, type, memory, space, H5P_DEFAULT, to), "the dataset cannot be read");
}

/// The room of a dataset is there when it is made, in one piece; nothing fills it.
void create_dataset(hid_t file, hdf5_dataset& d) {
  const hdf5_node* nodes = d.nodes;
  const handle type = nodes != nullptr ? node_type(nodes) : native_type(d.shape.type);
  std::array<hsize_t, hdf5_shape::most> extent{};
  std::copy(d.shape.extent.begin(), d.shape.extent.end(), extent.begin());
  const handle space(H5Screate_simple(int(d.shape.dimensions), extent.data(), nullptr), H5Sclose, "no such shape");
  const handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "no list"), groups(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "no list");
  check(H5Pset_layout(how, H5D_CONTIGUOUS), "no layout");
  check(H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY), "no layout");
  check(H5Pset_fill_time(how, H5D_FILL_TIME_NEVER), "no layout");
  check(H5Pset_create_intermediate_group(groups, 1), "no layout");
  const handle made(H5Dcreate2(file, d.name, type, space, groups, how, H5P_DEFAULT), H5Dclose, "the dataset cannot be made");
  const haddr_t at = H5Dget_offset(made);
  d.at = at == HADDR_UNDEF ? 0 : at;  // without numbers it has no place
}

/// As h5py writes and reads them.
handle text_type() {
  handle text(H5Tcopy(H5T_C_S1), H5Tclose, "no type");
  check(H5Tset_size(text, H5T_VARIABLE), "no type");
  check(H5Tset_cset(text, H5T_CSET_UTF8), "no type");
  return text;
}

void create_attribute(hid_t file, const hdf5_attribute& a) {
  const bool is_text = a.type.is == kind::none;
  const handle type = is_text ? text_type() : native_type(a.type), space(H5Screate(H5S_SCALAR), H5Sclose, "no shape");
  const handle dataset = open_dataset(file, a.dataset);
  const handle made(H5Acreate2(dataset, a.name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, "the attribute cannot be made");
  check(H5Awrite(made, type, is_text ? static_cast<const void*>(&a.text) : &a.number), "the attribute cannot be written");
}

std::string read_text(hid_t attribute, hid_t type) {
  if (H5Tis_variable_str(type) > 0) {
    const handle as = text_type(), space(H5Screate(H5S_SCALAR), H5Sclose, "no shape");
    check(H5Tset_cset(as, H5Tget_cset(type)), "no type");
    char* found = nullptr;
    check(H5Aread(attribute, as, &found), "the attribute cannot be read");
    const std::string text = found == nullptr ? "" : found;
    H5Dvlen_reclaim(as, space, H5P_DEFAULT, &found);
    return text;
  }
  const std::size_t bytes = H5Tget_size(type);
  if (bytes > (1U << 16)) fail("the attribute has more than 64 KiB");  // no attribute of a file's header does
  std::string text(bytes, 0);
  check(H5Aread(attribute, type, text.data()), "the attribute cannot be read");
  return text.c_str();
}

void read_attribute(const char* file_name, hdf5_attribute& a) {
  thread_local std::string text;
  const handle file = open_file(file_name), dataset = open_dataset(file, a.dataset);
  const handle attribute(H5Aopen(dataset, a.name, H5P_DEFAULT), H5Aclose, "no such attribute");
  const handle type(H5Aget_type(attribute), H5Tclose, "it has no type"),
      space(H5Aget_space(attribute), H5Sclose, "it has no shape");
  if (H5Sget_simple_extent_npoints(space) != 1) fail("the attribute is not one value");
  if (H5Tget_class(type) == H5T_STRING) {
    text = read_text(attribute, type);
    a.type = {}, a.text = text.c_str();
    return;
  }
  a.type = type_of(type);
  if ((a.type.is != kind::integer && a.type.is != kind::natural && a.type.is != kind::floating) || a.type.bytes > 8)
    fail("the attribute is neither a number nor a text");
  const handle as = native_type({a.type.is, 8});
  check(H5Aread(attribute, as, &a.number), "the attribute cannot be read");
}

void create_file(const char* name, hdf5_dataset* datasets, std::uint32_t count, const hdf5_attribute* attributes,
                 std::uint32_t attribute_count) {
  const handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "no access list");
  H5Pset_file_locking(access, false, true);  // who makes the file has locked it
  handle file(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "the file cannot be made");
  for (std::uint32_t k = 0; k < count; ++k) create_dataset(file, datasets[k]);
  for (std::uint32_t k = 0; k < attribute_count; ++k) create_attribute(file, attributes[k]);
  file.close("the file cannot be written");
}

const hdf5_engine engine{
    .describe = [](const char* file, const char* name,
                   hdf5_shape* shape) noexcept { return guarded([&] { describe_dataset(file, name, *shape); }); },
    .read = [](const char* file, const char* name, const hdf5_shape* shape, const hdf5_part* part,
               void* to) noexcept { return guarded([&] { read_dataset(file, name, *shape, *part, nullptr, to); }); },
    .create =
        [](const char* file, hdf5_dataset* datasets, std::uint32_t count, const hdf5_attribute* attributes,
           std::uint32_t attribute_count) noexcept {
          return guarded([&] { create_file(file, datasets, count, attributes, attribute_count); });
        },
    .read_attribute = [](const char* file,
                         hdf5_attribute* attribute) noexcept { return guarded([&] { read_attribute(file, *attribute); }); },
    .describe_nodes = [](const char* file, const char* name,
                         hdf5_node* nodes) noexcept { return guarded([&] { describe_nodes(file, name, nodes); }); },
    .read_nodes = [](const char* file, const char* name, const hdf5_shape* shape, const hdf5_part* part, const hdf5_node* nodes,
                     void* to) noexcept { return guarded([&] { read_dataset(file, name, *shape, *part, nodes, to); }); },
    .free_texts = [](const hdf5_node* nodes, std::uint64_t count,
                     void* elements) noexcept { guarded([&] { free_texts(nodes, count, elements); }); }};

}  // namespace
}  // namespace armilla::detail

extern "C" [[gnu::visibility("default")]] const armilla::detail::hdf5_engine* armilla_hdf5() { return &armilla::detail::engine; }
