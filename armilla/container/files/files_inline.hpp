// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "armilla/base/values/is_complex.hpp"
#include "armilla/container/files/csv_reader.hpp"
#include "armilla/container/files/field_values.hpp"
#include "armilla/container/files/file_part.hpp"

namespace armilla::detail {

/// Collective: throws a usage_error on all members if the file is a METIS graph, whose lines look like edges.
void refuse_metis(const file_part& part);

/// All of the next line of [at, end), without its end; `at` goes behind it.
std::string_view next_line(const char*& at, const char* end) noexcept;
std::string_view next_word(const char*& at, const char* end) noexcept;

/// Words in lines of some 80 characters. Throws for a word that would not be read back as it is.
class word_lines {
 public:
  void append(std::string& all, std::string_view word);

 private:
  std::size_t column_ = 0;
};

struct line_reader {
  using value = std::string_view;
  bool next(file_part& part, const char*& at, value& line) {
    if (at == part.end()) return false;
    line = next_line(at, part.end());
    return true;
  }
};
struct word_reader {
  using value = std::string_view;
  bool next(file_part& part, const char*& at, value& word) {
    word = next_word(at, part.end());
    return !word.empty();
  }
};

std::string text_of_no_edge(std::string_view line, bool weighted);

/// Two numbers and perhaps a weight a line, and anything after them; what begins with # or % is a comment.
template <class Edge>
struct edge_reader {
  using value = Edge;
  bool next(file_part& part, const char*& at, value& e) {
    while (at != part.end()) {
      const char* const line = at;
      const std::string_view text = next_line(at, part.end());
      const char *in = text.data(), *const end = in + text.size();
      const std::string_view first = next_word(in, end);
      if (first.empty() || first[0] == '#' || first[0] == '%') continue;
      bool good = parse_field(first, e.from) && parse_field(next_word(in, end), e.to);
      constexpr bool weighted = requires { e.weight; };
      if constexpr (weighted) good = good && parse_field(next_word(in, end), e.weight);
      if (good && std::string_view(in, end).find('\r') == std::string_view::npos) return true;
      part.complain(line, text_of_no_edge(text, weighted));
    }
    return false;
  }
};

}  // namespace armilla::detail
