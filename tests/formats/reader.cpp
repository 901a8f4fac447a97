// SPDX-License-Identifier: Apache-2.0
// reader CASES: reads files of any format, which formats_test.py has made by other libraries. CASES is a JSON list of objects,
// each with the kind of a file, its path, and how it is to be read. For each, rank 0 prints a line of JSON: what was read, in the
// order of the file, or the error.
#include <array>
#include <chrono>
#include <complex>
#include <concepts>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>
#include <armilla/hdf5.hpp>
#include <armilla/json_lines.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace am = armilla;

namespace {

using nlohmann::json;

// ---- values as JSON: all digits of a number, null for none, a list for what has parts ----

struct inner {
  std::int16_t code = 0;
  double weight = 0;
};
struct particle {
  std::array<double, 3> place{};
  std::int32_t kind = 0;
  std::string name;
  bool seen = false;
  inner more;
};
struct row {
  std::optional<std::int64_t> i;
  std::optional<double> x;
  std::optional<std::string> s;
  std::optional<bool> b;
  std::optional<std::chrono::sys_days> d;
  std::optional<std::chrono::sys_time<std::chrono::nanoseconds>> t;
};
struct part {
  std::int64_t k = 0;
  std::optional<std::string> text;
};
struct item {
  std::optional<std::int64_t> i;
  std::optional<double> x;
  std::optional<std::string> s;
  std::optional<bool> b;
  std::optional<std::vector<double>> v;
  std::optional<part> p;
  std::optional<std::vector<part>> parts;
  std::optional<std::map<std::string, double>> m;
};

/// In a class, so that each sees all the others.
struct text {
  static std::string of(std::string_view s) { return json(s).dump(-1, ' ', false, json::error_handler_t::replace); }
  static std::string of(const std::string& s) { return of(std::string_view(s)); }
  static std::string of(bool b) { return b ? "true" : "false"; }
  template <std::integral T>
  static std::string of(T n) {
    return std::to_string(n);
  }
  template <std::floating_point T>
  static std::string of(T x) {
    return fmt::format("\"{}\"", double(x));
  }
  template <class R>
  static std::string of(std::complex<R> z) {
    return list(z.real(), z.imag());
  }
  template <class Duration>
  static std::string of(std::chrono::sys_time<Duration> t) {
    return std::to_string(t.time_since_epoch().count());
  }
  static std::string of(const inner& e) { return list(e.code, e.weight); }
  static std::string of(const particle& e) { return list(e.place, e.kind, e.name, e.seen, e.more); }
  static std::string of(const part& e) { return list(e.k, e.text); }
  static std::string of(const row& e) { return list(e.i, e.x, e.s, e.b, e.d, e.t); }
  static std::string of(const item& e) { return list(e.i, e.x, e.s, e.b, e.v, e.p, e.parts, e.m); }
  template <class T>
  static std::string of(const std::optional<T>& value) {
    return value ? of(*value) : "null";
  }
  template <class T, std::size_t N>
  static std::string of(const std::array<T, N>& values) {
    return sequence(values);
  }
  template <class T>
  static std::string of(const std::vector<T>& values) {
    return sequence(values);
  }
  template <class K, class V>
  static std::string of(const std::map<K, V>& values) {
    return sequence(values);
  }
  template <class K, class V>
  static std::string of(const std::pair<const K, V>& pair) {
    return list(pair.first, pair.second);
  }
  template <class... T>
  static std::string of(const std::tuple<T...>& values) {
    return std::apply([](const auto&... each) { return list(each...); }, values);
  }
  template <class... T>
  static std::string list(const T&... parts) {
    std::string all;
    ((all += (all.empty() ? "" : ",") + of(parts)), ...);
    return "[" + all + "]";
  }

 private:
  template <class Sequence>
  static std::string sequence(const Sequence& values) {
    std::string all;
    for (const auto& each : values) all += (all.empty() ? "" : ",") + of(each);
    return "[" + all + "]";
  }
};

// ---- what was read, on rank 0 ----

/// The items of all ranks. Throws on all what the loop of one has thrown.
template <class Range>
std::string items_of(const Range& range) {
  std::string mine, wrong;
  try {
    for (const auto& each : range.local()) mine += (mine.empty() ? "" : ",") + text::of(each);
  } catch (const std::exception& e) { wrong = e.what(); }
  for (const std::string& each : am::all_gather(wrong))
    if (!each.empty()) throw std::runtime_error(each);
  std::string all;
  for (const std::string& each : am::all_gather(mine))
    if (!each.empty()) all += (all.empty() ? "" : ",") + each;
  return "[" + all + "]";
}

/// The elements of a container, in their order, and its extents.
template <class T, std::size_t N>
std::string cells_of(const am::matrix<T, N>& m) {
  std::vector<std::size_t> extents;
  for (std::size_t d = 0; d < N; ++d) extents.push_back(m.extent(d));
  const std::string all = text::list(extents, am::everything(m));
  am::barrier();
  return all;
}
template <class T>
std::string cells_of(const am::vector<T>& x) {
  const std::string all = text::list(std::vector{x.size()}, am::everything(x));
  am::barrier();
  return all;
}

template <class T>
std::string entries_of(const am::sparse_matrix<T>& m) {
  std::vector<std::string> mine;
  m.for_each_entry([&](std::size_t r, std::size_t c, const T& value) { mine.push_back(text::list(r, c, value)); });
  std::string all;
  for (const auto& each : am::all_gather(mine))
    for (const std::string& entry : each) all += (all.empty() ? "" : ",") + entry;
  return fmt::format("[[{},{}],[{}]]", m.rows(), m.columns(), all);
}

std::string edges_of(const am::named_graph<void, double>& g) {
  std::vector<std::string> mine;
  for (const am::vertex_id v : g.local())
    for (std::size_t k = 0; k < g.degree(v); ++k)
      mine.push_back(text::list(g.name(v), g.name(g.neighbours(v)[k]), g.edge_data(v)[k]));
  std::string all;
  for (const auto& each : am::all_gather(mine))
    for (const std::string& edge : each) all += (all.empty() ? "" : ",") + edge;
  const am::array<std::string> names = g.names();
  const std::string vertices = text::of(am::everything(names));
  am::barrier();
  return fmt::format("[{},[{}]]", vertices, all);
}

// ---- the types that a case names ----

template <class... T, class F>
std::string with_type_of(const std::string& name, const std::array<const char*, sizeof...(T)>& names, F f) {
  std::string found;
  std::size_t k = 0;
  ((names[k++] == name ? void(found = f(std::type_identity<T>())) : void()), ...);
  return found.empty() ? throw std::invalid_argument("no type " + name) : found;
}
template <class F>
std::string with_type(const std::string& name, F f) {
  return with_type_of<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                      std::uint64_t, float, double, std::complex<float>, std::complex<double>>(
      name, {"b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"}, f);
}

/// f with the container of T that has so many dimensions. Of three and four, only those of some types.
template <class T, class F>
std::string with_container(int dimensions, F f) {
  if (dimensions == 1) return f(std::type_identity<am::vector<T>>());
  if (dimensions == 2) return f(std::type_identity<am::matrix<T>>());
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::int16_t>) return f(std::type_identity<am::matrix<T, 3>>());
  throw std::invalid_argument("no container of these dimensions");
}

// ---- the kinds of files ----

char character(const json& how, const char* name, char otherwise) {
  const auto found = how.find(name);
  return found == how.end() ? otherwise : found->get<std::string>().empty() ? '\0' : found->get<std::string>()[0];
}

am::file_options options_of(const json& how) {
  am::file_options o;
  o.header = how.value("header", false);
  o.skip_bad = how.value("skip_bad", false);
  o.skip_space = how.value("skip_space", false);
  o.separator = character(how, "separator", ',');
  o.quote = character(how, "quote", '"');
  o.comment = character(how, "comment", '\0');
  o.decimal = character(how, "decimal", '.');
  o.columns = how.value("columns", std::vector<std::string>());
  o.missing = how.value("missing", std::vector<std::string>());
  return o;
}

std::string read_array(const json& how, const std::string& path) {
  return with_type(how.at("type"), [&]<class T>(std::type_identity<T>) {
    return with_container<T>(how.at("dimensions"), [&]<class C>(std::type_identity<C>) {
      if (how.at("kind") == "npz") return cells_of(am::read_npz<C>(path, how.at("of").get<std::string>()));
      if (how.at("kind") == "hdf5") return cells_of(am::read_hdf5<C>(path, how.at("of").get<std::string>()));
      return cells_of(am::read_npy<C>(path));
    });
  });
}

std::string read_market(const json& how, const std::string& path) {
  return with_type_of<double, std::complex<double>, std::int64_t>(
      how.at("type"), {"f8", "c16", "i8"}, [&]<class T>(std::type_identity<T>) {
        if (how.at("dense").get<bool>()) return cells_of(am::read_matrix_market<am::matrix<T>>(path));
        return entries_of(am::read_matrix_market<am::sparse_matrix<T>>(path));
      });
}

std::string read_graph(const json& how, const std::string& path) {
  am::read_graph_options o;
  o.undirected = how.value("undirected", false);
  o.keep_loops = how.value("keep_loops", true);
  o.keep_duplicates = how.value("keep_duplicates", false);
  o.header = how.value("header", false);
  o.base = how.value("base", 0U);
  o.separator = character(how, "separator", '\0');
  if (how.contains("format")) o.format = how["format"] == "binary_32" ? am::graph_format::binary_32 : am::graph_format::binary_64;
  if (how.contains("default_weight")) o.default_weight = how["default_weight"].get<double>();
  return edges_of(am::read_graph<double>(path, o));
}

std::string read_attribute(const json& how, const std::string& path) {
  const std::string of = how.at("of"), name = how.at("attribute"), type = how.at("type");
  if (type == "string") return text::of(am::read_hdf5_attribute<std::string>(path, of, name));
  if (type == "f8") return text::of(am::read_hdf5_attribute<double>(path, of, name));
  return text::of(am::read_hdf5_attribute<std::int64_t>(path, of, name));
}

std::string read(const json& how) {
  const std::string kind = how.at("kind"), path = how.at("path");
  if (kind == "csv") return items_of(am::read_csv<row>(path, options_of(how)));
  if (kind == "csv_texts") return items_of(am::read_csv(path, options_of(how)));
  if (kind == "csv_numbers") return items_of(am::read_csv<std::int64_t, double, float>(path, options_of(how)));
  if (kind == "json") return items_of(am::read_json_lines<item>(path, options_of(how)));
  if (kind == "npy" || kind == "npz" || kind == "hdf5") return read_array(how, path);
  if (kind == "hdf5_strings") return cells_of(am::read_hdf5<am::vector<std::string>>(path, how.at("of").get<std::string>()));
  if (kind == "hdf5_records") return cells_of(am::read_hdf5<am::vector<particle>>(path, how.at("of").get<std::string>()));
  if (kind == "hdf5_attribute") return read_attribute(how, path);
  if (kind == "market") return read_market(how, path);
  if (kind == "graph") return read_graph(how, path);
  throw std::invalid_argument("no kind " + kind);
}

}  // namespace

int main(int argc, char** argv) {
  return am::run(argc, argv, [&] {
    if (argc != 2) return am::print_on(0, "use: {} CASES\n", argv[0]), 2;
    for (const json& how : json::parse(std::ifstream(argv[1]))) {
      std::string line;
      try {
        line = "{\"read\":" + read(how) + "}";
      } catch (const std::exception& e) { line = "{\"error\":" + text::of(std::string_view(e.what())) + "}"; }
      am::print_on(0, "{}\n", line);
      am::barrier();
    }
    return 0;
  });
}
