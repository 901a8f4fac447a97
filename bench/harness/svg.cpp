// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <ostream>

#include "bench/harness/report.hpp"

namespace bench {
namespace {

constexpr int row_height = 22, left = 190, right = 290, width = 900, top = 58;
constexpr double full_scale = 2;  // a bar's end: twice the target

struct bar {
  std::string name, label;
  double share;  ///< of the target
  bool counts;
};

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char buffer[600];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

std::string escaped(const std::string& raw) {
  std::string out;
  for (const char c : raw) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string label(const result& r, const judgement& j) {
  const std::string value = text("%.3g %s", r.values(r.shown()).median, r.what->unit.c_str());
  if (j.against == r.what->unit) return text("%s (target %.3g)", value.c_str(), j.limit);
  return text("%s; %.3g x %s (target %.3g)", value.c_str(), j.got, j.against.c_str(), j.limit);
}

std::vector<bar> bars_of(const std::vector<result>& all) {
  std::vector<bar> bars;
  for (const result& r : all)
    for (const judgement& j : judge(r)) bars.push_back({r.what->name, label(r, j), j.got / j.limit, j.counts});
  return bars;
}

std::string draw(const bar& b, int index) {
  const int y = top + index * row_height, room = width - left - right;
  const double length = std::max(1.0, std::min(b.share, full_scale) / full_scale * room);
  const char* kind = !b.counts ? "open" : b.share <= 1 ? "pass" : "miss";
  return text("<text class=\"t\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>", left - 8, y + 14, escaped(b.name).c_str()) +
         text("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"14\" rx=\"3\"/>", kind, left, y + 3, length) +
         text("<text class=\"s\" x=\"%d\" y=\"%d\">%s%s</text>\n", left + room + 8, y + 14, escaped(b.label).c_str(),
              b.share > full_scale ? " &#8594;" : "");
}

constexpr const char* style =
    "<style>svg{font:12px system-ui,sans-serif;background:#fff}.t{fill:#1c2430}.s{fill:#5a6675;font-size:11px}"
    ".pass{fill:#3b82a0}.miss{fill:#c8553d}.open{fill:#a0a8b3}.goal{stroke:#1c2430;stroke-dasharray:3 3}"
    "@media(prefers-color-scheme:dark){svg{background:#12161c}.t{fill:#e6ebf2}.s{fill:#9aa6b5}.pass{fill:#5fb0d0}"
    ".miss{fill:#e8806a}.open{fill:#5c6672}.goal{stroke:#e6ebf2}}</style>\n";

}  // namespace

void write_svg(std::ostream& out, const std::vector<result>& all) {
  const std::vector<bar> bars = bars_of(all);
  const int height = top + int(bars.size()) * row_height + 16;
  const double goal = left + (width - left - right) / full_scale;
  out << text("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n", width, height,
              width, height)
      << style
      << "<text class=\"t\" x=\"16\" y=\"22\" font-size=\"15\" font-weight=\"600\">Armilla: reached against target</text>\n"
      << text("<text class=\"s\" x=\"%.1f\" y=\"46\" text-anchor=\"middle\">target</text>\n", goal)
      << "<text class=\"s\" x=\"16\" y=\"46\">shorter is better</text>\n";
  for (std::size_t i = 0; i < bars.size(); ++i) out << draw(bars[i], int(i));
  out << text("<line class=\"goal\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n</svg>\n", goal, goal, top - 6, height - 10);
}

}  // namespace bench
