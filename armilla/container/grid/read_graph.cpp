// SPDX-License-Identifier: Apache-2.0
#include "armilla/read_graph.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <deque>
#include <functional>
#include <unordered_map>

#include <fmt/format.h>

#include "armilla/base/values/escaped.hpp"
#include "armilla/base/values/extents.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/files/file_format.hpp"
#include "armilla/container/files/market_file.hpp"
#include "armilla/error.hpp"
#include "armilla/fence.hpp"

namespace armilla::detail {
namespace {

constexpr const char* reading_graph = "read_graph";

/// All digits of a word, and nothing else.
bool parse_vertex(std::string_view word, std::uint64_t& v) {
  const char* const end = word.data() + word.size();
  const auto [behind, error] = std::from_chars(word.data(), end, v);
  return error == std::errc{} && behind == end && !word.empty();
}

std::string quoted(std::string_view line) { return "'" + escaped(line.substr(0, 80)) + "'"; }

/// The quote that closes the one at `open`, or `end`. Doubled quotes do not close it.
const char* closing_quote(const char* open, const char* end) noexcept {
  const char* at = std::find(open + 1, end, '"');
  while (at != end && at + 1 != end && at[1] == '"') at = std::find(at + 2, end, '"');
  return at;
}

/// The next field of a line with white space between fields. In quotes, a field may hold white space, and doubled quotes, each of
/// which stands for one; `room` then has its text. Returns what is wrong with the field, or an empty view.
std::string_view next_field(const char*& at, const char* end, std::string_view& field, std::string& room) {
  field = next_word(at, end);
  if (!field.starts_with('"')) return {};
  const char* const close = closing_quote(field.data(), end);
  if (close == end) return "a quote is not closed";
  const char* after = close + 1;
  if (after != end && next_word(after, end).data() == close + 1)
    return "text after the closing quote; double the quotes inside a name";
  field = {field.data() + 1, std::size_t(close - field.data() - 1)};
  at = close + 1;
  if (field.find('"') == field.npos) return {};
  room.clear();
  for (std::size_t i = 0; i < field.size(); i += field[i] == '"' ? 2 : 1) room += field[i];
  field = room;
  return {};
}

/// The line with other characters in place of its fields in quotes, which may hold separators.
std::string without_quoted(std::string_view line) {
  std::string plain(line);
  const char *const begin = line.data(), *const end = begin + line.size();
  for (const char* at = begin; at != end; ++at) {
    if (*at != '"' || (at != begin && std::string_view(" \t,;").find(at[-1]) == std::string_view::npos)) continue;
    const char* const close = closing_quote(at, end);
    if (close == end) break;
    std::fill(plain.begin() + (at - begin), plain.begin() + (close + 1 - begin), 'x');
    at = close;
  }
  return plain;
}

bool is_list_comment(std::string_view line) {
  const char* at = line.data();
  const std::string_view first = next_word(at, line.data() + line.size());
  return first.empty() || first[0] == '#' || first[0] == '%';
}

/// The words of a line that begin it.
struct words {
  const char *at, *end;
  explicit words(std::string_view line) : at(line.data()), end(at + line.size()) {}
  std::string_view next() { return next_word(at, end); }
  bool number(std::uint64_t& n) { return parse_vertex(next(), n); }
  bool done() { return next().empty(); }
};

// ---- What the file is ----

/// Of the first lines, on all members.
struct shape_of_file {
  graph_format format = graph_format::edges;
  char separator = ' ';
  rank_t first = no_rank;  ///< the member with the first line that is neither empty nor a comment
};

/// `p sp 5 7`
struct dimacs_header {
  std::uint64_t vertices = 0, edges = 0;
  bool directed = false;
};
bool parse_dimacs(std::string_view line, dimacs_header& h) {
  words in(line);
  if (in.next() != "p") return false;
  const std::string_view kind = in.next();
  h.directed = kind == "sp";
  return (h.directed || kind == "edge" || kind == "edges" || kind == "col") && in.number(h.vertices) && in.number(h.edges) &&
         in.done();
}

/// Two numbers between white space, or what separates the names.
char find_separator(std::string_view line) {
  std::uint64_t v = 0;
  words in(line);
  if (in.number(v) && in.number(v)) return ' ';
  const std::string plain = without_quoted(line);
  words names(plain);
  names.next(), names.next();
  if (names.next().starts_with('{')) return ' ';
  for (const char c : {'\t', ';', ','})
    if (const std::size_t at = plain.find(c); at != plain.npos && at != 0 && at + 1 != plain.size()) return c;
  return ' ';
}

/// The first line of this member that is neither empty nor a comment as `skip` says.
template <class Skip>
std::string_view first_line(const file_part& part, Skip skip) {
  for (const char* at = part.begin(); at != part.end();)
    if (const std::string_view line = next_line(at, part.end()); !skip(line)) return line;
  return {};
}

/// What the first member that has something found, on all; `who`: that member.
template <class T>
T of_first(const team& t, bool has, const T& mine, rank_t* who = nullptr) {
  const std::vector<std::uint8_t> all = t.all_gather(std::uint8_t(has));
  const auto first = rank_t(std::ranges::find(all, 1) - all.begin());
  if (first == t.size()) return {};
  if (who != nullptr) *who = first;
  return t.broadcast(mine, first);
}

bool named_as_metis(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst"})
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  return path.ends_with(".graph") || path.ends_with(".metis");
}

shape_of_file look_at(const file_part& part, const read_graph_options& how) {
  const team& t = part.members();
  shape_of_file s{.format = how.format};
  if (how.format == graph_format::detect) {
    const bool market = t.broadcast(part.is_first() && is_market({part.begin(), part.end()}), 0);
    const std::string_view line = first_line(
        part, [](std::string_view l) { return words(l).done() || l == "c" || l.starts_with("c ") || l.starts_with("c\t"); });
    dimacs_header h;
    const bool dimacs = of_first(t, line.data() != nullptr, parse_dimacs(line, h));
    s.format = market ? graph_format::market : dimacs ? graph_format::dimacs : graph_format::edges;
    if (s.format == graph_format::edges && find_metis(part, named_as_metis(part.path())).words != 0)
      s.format = graph_format::metis;
  }
  const std::string_view line = first_line(part, is_list_comment);
  if (const char c = of_first(t, line.data() != nullptr, find_separator(line), &s.first); c != 0) s.separator = c;
  if (how.separator != 0) s.separator = how.separator;
  return s;
}

// ---- Formats with numbers of their own ----

/// What each format gives.
struct found {
  std::vector<file_edge> edges{};
  std::uint64_t vertices = 0;
  std::uint64_t base = 1;
};

void add(found& f, std::uint64_t from, std::uint64_t to, std::string_view weight, bool mirrored) {
  f.edges.push_back({from, to, weight});
  if (mirrored && from != to) f.edges.push_back({to, from, weight});
}

found read_market(const std::shared_ptr<file_part>& part, const read_graph_options& how) {
  market_file file(reading_graph, part, how.skip_bad);
  const market_header& h = file.header();
  const char* wrong = nullptr;
  if (h.dense) wrong = "it is a dense matrix, not a graph; read it with read_matrix_market";
  if (h.field == market_header::values::complex)
    wrong = "its values are complex, which no edge has; read it with read_matrix_market";
  if (h.shape == market_header::symmetry::skew)
    wrong = "it is skew-symmetric, so its edges have two weights; read it with read_matrix_market";
  if (wrong != nullptr) throw_usage(reading_graph, fmt::format("'{}': {}", part->path(), wrong));
  if (h.rows != h.columns)
    throw_usage(reading_graph,
                fmt::format("'{}' has {} rows and {} columns; a graph has as many", part->path(), h.rows, h.columns));
  found f{.vertices = h.rows};
  failure why;
  try {
    for (market_line e; file.next(e);) add(f, e.row, e.column, e.value, h.mirrored() && !how.undirected);
  } catch (const passing&) { throw; } catch (...) {
    why.note();
  }
  file.end(why);
  return f;
}

void require_count(const file_part& part, bool skip_bad, const char* what, std::uint64_t have, std::uint64_t wanted) {
  if (have != wanted && !skip_bad)
    throw_usage(reading_graph, fmt::format("'{}' has {} {}, and {} by its header; {}", part.path(), have, what, wanted,
                                           have < wanted ? "is it cut off?" : "these are too many: is the header wrong?"));
}

found read_dimacs(file_part& part, const read_graph_options& how) {
  const team& t = part.members();
  const auto other = [](std::string_view line) { return !line.starts_with('p'); };
  const std::string_view line = first_line(part, other);
  dimacs_header mine;
  const bool good = parse_dimacs(line, mine);
  rank_t who = no_rank;
  const bool known = of_first(t, line.data() != nullptr, good, &who);
  if (!known)
    throw_usage(reading_graph,
                fmt::format("'{}' has no line 'p sp', 'p edge' or 'p col' with numbers of vertices and edges", part.path()));
  const dimacs_header h = t.broadcast(mine, who);
  found f{.vertices = h.vertices};
  std::uint64_t edges = 0;
  failure why;
  try {
    for (const char* at = part.begin(); at != part.end();) {
      const char* const from = at;
      const std::string_view text = next_line(at, part.end());
      words in(text);
      const std::string_view kind = in.next();
      if (kind.empty() || kind == "c" || (text.data() == line.data() && t.rank() == who)) continue;
      if (!h.directed && (kind == "n" || kind == "d" || kind == "v" || kind == "x")) continue;  // what vertices have
      std::uint64_t a = 0, b = 0;
      bool fits = kind == (h.directed ? "a" : "e") && in.number(a) && in.number(b);
      const std::string_view weight = in.next();
      fits = fits && in.done() && a - 1 < h.vertices && b - 1 < h.vertices;
      if (!fits || (h.directed && weight.empty())) {
        part.complain(from, fmt::format("{} is not '{}' with vertices from 1 to {}", quoted(text),
                                        h.directed ? "a FROM TO WEIGHT" : "e FROM TO", h.vertices));
        continue;
      }
      ++edges;
      add(f, a - 1, b - 1, weight.empty() ? std::string_view() : weight, !h.directed && !how.undirected);
    }
  } catch (const passing&) { throw; } catch (...) {
    why.note();
  }
  require_count(part, how.skip_bad, "edges", agree(t, reading_graph, why, edges, std::plus<>{}), h.edges);
  return f;
}

/// Line k is vertex k.
class metis_reader {
 public:
  metis_reader(file_part& part, const read_graph_options& how) : part_(part), how_(how) {}

  found read() {
    const team& t = part_.members();
    const std::string_view line = first_line(part_, [](std::string_view l) { return l.starts_with('%'); });
    header_ = of_first(t, line.data() != nullptr, parse_metis_header(line), &who_);
    if (header_.words == 0)
      throw_usage(reading_graph,
                  fmt::format("'{}' does not begin with the numbers of vertices and edges of a METIS graph", part_.path()));
    header_line_ = t.rank() == who_ ? line.data() : nullptr;
    std::uint64_t mine = 0, filled = 0;
    each_vertex([&](std::string_view text) {
      ++mine;
      if (!words(text).done()) filled = mine;
      return true;
    });
    vertex_ = t.exclusive_scan(mine, std::uint64_t(0), std::plus<>{});
    const std::uint64_t lines = t.all_reduce(mine, std::plus<>{});
    const std::uint64_t last =
        t.all_reduce(filled == 0 ? 0 : vertex_ + filled, [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
    // the line of the last vertex may be empty, and end the file
    if (lines + 1 < header_.vertices || last > header_.vertices)
      require_count(part_, how_.skip_bad, "lines of vertices", last > header_.vertices ? last : lines, header_.vertices);
    found_.vertices = header_.vertices;
    failure why;
    try {
      each_vertex([&](std::string_view text) { return take(text), true; });
    } catch (const passing&) { throw; } catch (...) {
      why.note();
    }
    const std::uint64_t ends = agree(t, reading_graph, why, ends_, std::plus<>{});
    require_count(part_, how_.skip_bad, "ends of edges", ends, bounded_product(header_.edges, 2));
    return std::move(found_);
  }

 private:
  template <class F>
  void each_vertex(F f) {
    for (const char* at = part_.begin(); at != part_.end();)
      if (const std::string_view text = next_line(at, part_.end()); !text.starts_with('%') && text.data() != header_line_)
        f(text);
  }
  void take(std::string_view text) {
    const std::uint64_t v = vertex_++;
    const std::size_t edges_before = found_.edges.size();
    const std::uint64_t ends_before = ends_;
    const auto refuse = [&](std::string_view what) {  // nothing of a bad line remains
      found_.edges.resize(edges_before);
      ends_ = ends_before;
      part_.complain(text.data(), fmt::format("the edges of vertex {}: {}", v + 1, what));
    };
    const bool weighted = header_.format % 10 != 0;
    words in(text);
    if (v >= header_.vertices) {  // an empty line is one behind the last vertex
      if (!in.done()) refuse(fmt::format("by its header the graph has {} vertices", header_.vertices));
      return;
    }
    for (std::uint64_t k = header_.words_of_vertex(); k != 0; --k)
      if (std::uint64_t w = 0; !in.number(w)) return refuse("the weights of the vertex are missing");
    for (std::string_view word = in.next(); !word.empty(); word = in.next()) {
      std::uint64_t to = 0;
      if (!parse_vertex(word, to) || to - 1 >= header_.vertices)
        return refuse(fmt::format("{} is not a vertex from 1 to {}", quoted(word), header_.vertices));
      const std::string_view weight = weighted ? in.next() : std::string_view();
      if (weighted && weight.empty()) return refuse("an edge has no weight");
      ++ends_;
      if (!how_.undirected || v <= to - 1) found_.edges.push_back({v, to - 1, weight});
    }
  }

  file_part& part_;
  const read_graph_options& how_;
  metis_header header_;
  rank_t who_ = no_rank;
  const char* header_line_ = nullptr;
  std::uint64_t vertex_ = 0, ends_ = 0;
  found found_;
};

// ---- Lists ----

/// A line of a list: two vertices and perhaps a weight.
struct list_line {
  const char* at = nullptr;
  std::string_view text{}, from{}, to{}, weight{};
};

/// What the numbers of a list are.
struct list_numbers {
  std::uint64_t lines = 0, others = 0, greatest = 0;
  bool first_is_other = false, below_base = false;

  friend list_numbers operator+(const list_numbers& a, const list_numbers& b) {
    return {a.lines + b.lines, a.others + b.others, std::max(a.greatest, b.greatest), a.first_is_other || b.first_is_other,
            a.below_base || b.below_base};
  }
};

class list_reader {
 public:
  list_reader(const std::shared_ptr<file_part>& part, const read_graph_options& how, const shape_of_file& shape)
      : part_(*part), how_(how), separator_(shape.separator), first_(shape.first == part->members().rank()) {}

  void read(graph_file& into) {
    const team& t = part_.members();
    if (how_.naming == vertex_naming::always) {
      const list_numbers all = scan(false);
      return all.others == 0 ? rename<std::uint64_t>(into) : rename<std::string>(into);
    }
    const list_numbers all = scan(how_.naming == vertex_naming::never);
    if (all.others == 1 && all.first_is_other && all.lines > 1 && how_.naming == vertex_naming::if_needed)
      throw_usage(reading_graph,
                  fmt::format("'{}': only its first line does not name vertices by numbers. If it names the columns, "
                              "skip it with read_graph_options::header; else give vertex_naming::always",
                              part_.path()));
    if (all.others != 0 && how_.naming == vertex_naming::if_needed) return rename<std::string>(into);
    const std::uint64_t n = all.lines == 0 || all.greatest < how_.base ? 0 : bounded_sum(all.greatest - how_.base, 1);
    const bool dense = n <= bounded_sum(bounded_product(64, all.lines), 1'000'000) && n < UINT32_MAX;
    if (!dense && how_.naming == vertex_naming::if_needed && !all.below_base) return rename<std::uint64_t>(into);
    failure why;
    try {
      lines([&](const list_line& l) {
        std::uint64_t from = 0, to = 0;
        if (!parse_vertex(l.from, from) || !parse_vertex(l.to, to)) return;  // counted already
        if (from < how_.base || to < how_.base)
          return part_.complain(l.at,
                                fmt::format("{} names a vertex below {}, read_graph_options::base", quoted(l.text), how_.base));
        into.edges.push_back({from - how_.base, to - how_.base, l.weight});
      });
    } catch (const passing&) { throw; } catch (...) {
      why.note();
    }
    agree(t, reading_graph, why);
    into.vertices = std::size_t(n);
    require_dense(into.vertices, all.lines);
    into.names = vertex_names(how_.base);
  }

 private:
  /// Calls f(line) for each line that has two fields; complains of the others, once.
  template <class F>
  void lines(F f) {
    const bool fields = separator_ != ' ';
    record_parser records({fields ? separator_ : ',', separator_ == '\t' ? '\0' : '"', true});
    names_in_quotes rewritten;
    bool first = first_;
    for (const char* at = part_.begin(); at != part_.end();) {
      list_line l{.at = at};
      l.text = next_line(at, part_.end());
      if (is_list_comment(l.text)) continue;
      if (std::exchange(first, false) && how_.header) continue;
      const std::string_view wrong = fields ? split(l, records) : split(l, rewritten);
      if (wrong.empty())
        f(l);
      else if (!complained_)
        part_.complain(l.at, fmt::format("{} is not an edge: {}", quoted(l.text), wrong));
    }
    complained_ = true;
  }
  /// Texts of fields with doubled quotes, valid until the next line.
  struct names_in_quotes {
    std::string from{}, to{}, weight{};
  };
  static std::string_view split(list_line& l, names_in_quotes& rewritten) {
    const char *at = l.text.data(), *const end = at + l.text.size();
    if (const std::string_view wrong = next_field(at, end, l.from, rewritten.from); !wrong.empty()) return wrong;
    if (const std::string_view wrong = next_field(at, end, l.to, rewritten.to); !wrong.empty()) return wrong;
    next_field(at, end, l.weight, rewritten.weight);  // of a bad one the first word, which is not a number
    if (l.text.find('\r') != l.text.npos) return "it contains a carriage return that is not part of the end of a line";
    if (l.to.data() == end) return "it has one field; an edge has two vertices";
    set_weight(l, l.weight);
    return l.from.empty() || l.to.empty() ? "the name of a vertex is empty" : "";
  }
  static void set_weight(list_line& l, std::string_view field) {
    l.weight = field.empty() ? std::string_view(l.text.data() + l.text.size(), 0) : field;
    if (!lies_in(l.text, l.weight)) l.weight = l.text;  // a field with doubled quotes, which is no number
  }
  static std::string_view split(list_line& l, record_parser& records) {
    const char* at = l.text.data();
    const std::string_view wrong = records.next(at, at + l.text.size());
    if (!wrong.empty()) return wrong;
    const auto& field = records.fields();
    if (field.size() < 2) return "it has one field; an edge has two vertices";
    l.from = field[0], l.to = field[1];
    set_weight(l, field.size() > 2 ? field[2] : std::string_view());
    if (l.from.empty() || l.to.empty()) return "the name of a vertex is empty";
    return "";
  }

  /// False: the field has doubled quotes, and its text has been rewritten elsewhere.
  static bool lies_in(std::string_view text, std::string_view field) noexcept {
    return std::less_equal<>{}(text.data(), field.data()) && std::less_equal<>{}(field.data(), text.data() + text.size());
  }

  list_numbers scan(bool refuse_names) {
    list_numbers mine;
    failure why;
    try {
      lines([&](const list_line& l) {
        std::uint64_t from = 0, to = 0;
        const bool numbers = parse_vertex(l.from, from) && parse_vertex(l.to, to);
        if (!numbers && refuse_names)
          return part_.complain(
              l.at, fmt::format("{} does not name two vertices by numbers, as vertex_naming::never wants", quoted(l.text)));
        ++mine.lines;
        if (!numbers) {
          mine.first_is_other = mine.first_is_other || (first_ && mine.lines == 1);
          ++mine.others;
          return;
        }
        if (from < how_.base || to < how_.base)
          mine.below_base = true;
        else
          mine.greatest = std::max({mine.greatest, from, to});
      });
    } catch (const passing&) { throw; } catch (...) {
      why.note();
    }
    return agree(part_.members(), reading_graph, why, mine, std::plus<>{});
  }

  /// A field as a key: numbers by value, strings where they lie.
  template <class Key>
  using local_key = std::conditional_t<std::is_same_v<Key, std::string>, std::string_view, Key>;

  /// Each name gets the number of names that the file has before it.
  template <class Key>
  void rename(graph_file& into) {
    const team& t = part_.members();
    std::unordered_map<local_key<Key>, std::uint64_t> local;
    std::vector<local_key<Key>> keys;
    std::vector<std::uint64_t> position;
    std::deque<std::string> rewritten;
    failure why;
    try {
      const auto number_of = [&](std::string_view field, const list_line& l, std::uint64_t second) {
        local_key<Key> key{};
        if constexpr (std::is_same_v<Key, std::string>) {
          key = lies_in(l.text, field) ? field : std::string_view(rewritten.emplace_back(field));
        } else {
          parse_vertex(field, key);
        }
        const auto [at, fresh] = local.try_emplace(key, keys.size());
        if (fresh) {
          keys.push_back(key);
          position.push_back((part_.offset() + std::uint64_t(l.at - part_.begin())) * 2 + second);
        }
        return at->second;
      };
      lines([&](const list_line& l) {
        const std::uint64_t from = number_of(l.from, l, 0);
        into.edges.push_back({from, number_of(l.to, l, 1), l.weight});
      });
    } catch (const passing&) { throw; } catch (...) {
      why.note();
    }
    local = {};
    agree(t, reading_graph, why);
    const std::vector<std::uint64_t> ids = number<Key>(t, keys, position, into);
    for (file_edge& e : into.edges) e.from = ids[std::size_t(e.from)], e.to = ids[std::size_t(e.to)];
  }

  /// The numbers of this member's names, which are in the order of the file.
  template <class Key, class Local>
  std::vector<std::uint64_t> number(const team& t, const std::vector<Local>& keys, const std::vector<std::uint64_t>& position,
                                    graph_file& into) {
    unordered_map<Key, std::uint64_t> first(t);
    for (std::size_t k = 0; k < keys.size(); ++k)
      first.update(keys[k], position[k], [](std::uint64_t a, std::uint64_t b) { return a < b ? a : b; });
    t.fence();
    const std::vector<Key> mine(keys.begin(), keys.end());
    const auto found = first.find_range(mine);
    std::uint64_t met = 0;
    for (std::size_t k = 0; k < mine.size(); ++k) met += found[k] == position[k] ? 1 : 0;
    const std::uint64_t all = t.all_reduce(met, std::plus<>{});
    require_few_vertices(std::size_t(all));
    std::uint64_t next = t.exclusive_scan(met, std::uint64_t(0), std::plus<>{});
    auto names = std::make_unique<vertex_names::renamed<Key>>(vertex_names::renamed<Key>{{}, unordered_map<Key, vertex_id>(t)});
    for (std::size_t k = 0; k < mine.size(); ++k)
      if (found[k] == position[k]) {
        names->vertex.insert(mine[k], vertex_id(next));
        names->mine.emplace_back(vertex_id(next++), mine[k]);
      }
    t.fence();
    std::vector<std::uint64_t> ids;
    for (const auto& id : names->vertex.find_range(mine)) ids.push_back(id.value());
    into.vertices = std::size_t(all);
    into.names = vertex_names(std::move(names));
    return ids;
  }

  file_part& part_;
  const read_graph_options& how_;
  char separator_;
  bool first_;  ///< this member has the first line
  bool complained_ = false;
};

// ---- Pairs of numbers ----

template <class N>
void read_pairs(const file_part& part, const read_graph_options& how, graph_file& into) {
  struct pair {
    N from, to;
  };
  const std::size_t n = std::size_t(part.end() - part.begin()) / sizeof(pair);
  std::uint64_t greatest = 0;
  failure why;
  try {
    into.edges.reserve(n);
    for (std::size_t k = 0; k < n; ++k) {
      pair p;
      std::memcpy(&p, part.begin() + k * sizeof p, sizeof p);
      if (p.from < how.base || p.to < how.base)
        throw_usage(reading_graph, fmt::format("'{}': pair {} is ({}, {}), below {}, read_graph_options::base", part.path(),
                                               part.offset() / sizeof p + k, p.from, p.to, how.base));
      into.edges.push_back({p.from - how.base, p.to - how.base, {}});
      greatest = std::max({greatest, into.edges.back().from, into.edges.back().to});
    }
  } catch (const passing&) { throw; } catch (...) {
    why.note();
  }
  const std::uint64_t last =
      agree(part.members(), reading_graph, why, greatest, [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
  const std::uint64_t pairs = part.file_size() / sizeof(pair);
  into.vertices = std::size_t(pairs == 0 ? 0 : bounded_sum(last, 1));
  require_dense(into.vertices, pairs);
  into.names = vertex_names(how.base);
}

}  // namespace

graph_file read_graph_file(const std::string& path, const read_graph_options& how) {
  const bool binary = how.format == graph_format::binary_32 || how.format == graph_format::binary_64;
  if (binary) refuse_skip_bad(reading_graph, how.skip_bad, "a binary file has no lines");
  const file_use use{.operation = reading_graph,
                     .where = binary ? cut_at::bytes : cut_at::line,
                     .content = binary ? file_content::elements : file_content::market,
                     .members = how.members,
                     .skip_bad = how.skip_bad,
                     .unit = how.format == graph_format::binary_32 ? 8U
                             : binary                              ? 16U
                                                                   : 1U};
  graph_file all{.part = std::make_shared<file_part>(path, use)};
  const auto take = [&](found f) {
    require_few_vertices(std::size_t(f.vertices));
    all.edges = std::move(f.edges), all.vertices = std::size_t(f.vertices), all.names = vertex_names(f.base);
  };
  if (how.format == graph_format::binary_32) return read_pairs<std::uint32_t>(*all.part, how, all), std::move(all);
  if (how.format == graph_format::binary_64) return read_pairs<std::uint64_t>(*all.part, how, all), std::move(all);
  const shape_of_file shape = look_at(*all.part, how);
  switch (shape.format) {
    case graph_format::market: take(read_market(all.part, how)); break;
    case graph_format::dimacs: take(read_dimacs(*all.part, how)); break;
    case graph_format::metis: take(metis_reader(*all.part, how).read()); break;
    default: list_reader(all.part, how, shape).read(all);
  }
  return all;
}

void complain_of_weight(file_part& part, const file_edge& e) {
  part.complain(e.weight.data(), e.weight.empty() ? "an edge has no weight; read_graph_options::default_weight gives it one"
                                                  : fmt::format("{} is not a weight of the graph's type", quoted(e.weight)));
}

void throw_no_vertex_named(std::string_view name, std::size_t vertices) {
  throw_usage("named_graph", fmt::format("none of the {} vertices is named {}", vertices, quoted(name)));
}
void throw_default_weight(double weight) {
  throw_usage(reading_graph,
              fmt::format("read_graph_options::default_weight is {}, which the type of the weights does not hold", weight));
}

// ---- Names ----

std::string vertex_names::name(const graph_shape& g, std::size_t v) const {
  checked_vertex(g, v, "named_graph");
  if (numbers_) return std::to_string(numbers_->name->get(v).get());
  return texts_ ? texts_->name->get(v).get() : std::to_string(base_ + v);
}

std::optional<vertex_id> vertex_names::find(const graph_shape& g, std::string_view name) const {
  if (texts_) return texts_->vertex.find(name).get();
  std::uint64_t number = 0;
  if (!parse_vertex(name, number)) return {};
  if (numbers_) return numbers_->vertex.find(number).get();
  if (number < base_ || number - base_ >= g.where.size()) return {};
  return vertex_id(number - base_);
}

array<std::string> vertex_names::all(const graph_shape& g, const made_at& at) const {
  if (texts_) return texts_->name->clone(at);
  array<std::string> made(g.where.size(), as_in(g.members, g.where), at);
  const std::span<std::string> mine = made.local();
  for (std::size_t k = 0; k < mine.size(); ++k)
    mine[k] = std::to_string(numbers_ ? std::as_const(*numbers_->name).local()[k] : base_ + g.first + k);
  meet(g.members);
  return made;
}

namespace {
template <class Key>
void settle_names(const graph_shape& g, vertex_names::renamed<Key>& names) {
  names.name.emplace(g.where.size(), as_in(g.members, g.where));
  for (const auto& [vertex, name] : names.mine) names.name->set(vertex, name);
  names.mine = {};
  g.members.fence();
}
}  // namespace

void vertex_names::settle(const graph_shape& g) {
  if (numbers_) settle_names(g, *numbers_);
  if (texts_) settle_names(g, *texts_);
}

}  // namespace armilla::detail
