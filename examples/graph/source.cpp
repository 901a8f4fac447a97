// SPDX-License-Identifier: Apache-2.0
#include "examples/graph/source.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

namespace graphs {
namespace {

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

struct reader {
  const std::string& file;
  std::ifstream in;
  std::uint64_t size = 0;

  explicit reader(const std::string& name) : file(name), in(name, std::ios::binary | std::ios::ate) {
    if (!in) fail(fmt::format("{}: cannot be read; is it there, and a file?", file));
    size = std::uint64_t(in.tellg());
  }

  std::vector<edge> lines_from(std::uint64_t begin, std::uint64_t end) {
    std::vector<edge> edges;
    std::string line;
    std::uint64_t at = begin == 0 ? 0 : begin - 1;
    in.seekg(std::streamoff(at));
    if (begin != 0 && std::getline(in, line)) at += line.size() + 1;  // began in the part before, even if it is only its end
    for (; at < end && std::getline(in, line); at += line.size() + 1) take(line, at, edges);
    return edges;
  }

 private:
  void take(const std::string& line, std::uint64_t at, std::vector<edge>& edges) {
    const char* const end = line.data() + line.size();
    const char* p = skip_blanks(line.data(), end);
    if (p == end || *p == '#' || *p == '%') return;
    edge e{};
    if (!number(p, end, e.from) || !number(p, end, e.to)) refuse(line, at);
    if (e.from != e.to) edges.push_back(e);
  }

  static const char* skip_blanks(const char* p, const char* end) {
    return std::find_if(p, end, [](char c) { return c != ' ' && c != '\t' && c != '\r' && c != ','; });
  }

  static bool number(const char*& p, const char* end, vertex& v) {
    p = skip_blanks(p, end);
    const auto [behind, error] = std::from_chars(p, end, v);
    const bool whole = error == std::errc() && (behind == end || skip_blanks(behind, end) != behind);
    p = behind;
    return whole && v != ~vertex{0};
  }

  [[noreturn]] void refuse(const std::string& line, std::uint64_t at) const {
    std::ifstream again(file, std::ios::binary);
    std::uint64_t number = 1;
    for (std::uint64_t i = 0; i < at; ++i) number += again.get() == '\n';
    fail(fmt::format("{}, line {}: '{}': an edge is two numbers of vertices, each from 0 to {}", file, number, line.substr(0, 60),
                     ~vertex{0} - 1));
  }
};

/// splitmix64.
struct random_numbers {
  std::uint64_t state;
  std::uint64_t operator()() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
};

/// R-MAT: at each level an edge falls into one of the four quarters of the matrix, with the shares 57, 19, 19 and 5 %.
edge draw(int scale, random_numbers random) {
  edge e{0, 0};
  for (int level = 0; level < scale; ++level) {
    const std::uint64_t n = random() % 100;
    e.from = e.from << 1 | vertex(n >= 76);
    e.to = e.to << 1 | vertex((n >= 57 && n < 76) || n >= 95);
  }
  return e;
}

std::vector<edge> generate(const source& s, std::uint64_t first, std::uint64_t last) {
  std::vector<edge> edges;
  for (std::uint64_t i = first; i < last; ++i) {  // each edge from numbers of its own, so that any rank can draw it
    const edge e = draw(s.scale, random_numbers{(s.seed << 40) + i * 64});
    if (e.from != e.to) edges.push_back(e);
  }
  return edges;
}

}  // namespace

std::string source::name() const {
  return file.empty() ? fmt::format("R-MAT graph of scale {}", scale) : file.substr(file.rfind('/') + 1);
}

std::vector<edge> edges_of(const source& s, int part, int parts) {
  const auto split = [&](std::uint64_t n, int at) { return n * std::uint64_t(at) / std::uint64_t(parts); };
  if (!s.file.empty()) {
    reader r(s.file);
    return r.lines_from(split(r.size, part), split(r.size, part + 1));
  }
  const std::uint64_t n = std::uint64_t(s.degree) << s.scale;
  return generate(s, split(n, part), split(n, part + 1));
}

void check_numbers(const source& s, vertex greatest, std::uint64_t edges) {
  if (edges == 0) fail(fmt::format("{}: holds no edges", s.name()));
  if (greatest > 64 * edges + 1'000'000)
    fail(fmt::format("{}: vertex {} in a graph of {} edges: the numbers of vertices must be dense; renumber them", s.name(),
                     greatest, edges));
}

}  // namespace graphs
