// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/files/json_lines.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "armilla/base/values/escaped.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/files/file_plugin.hpp"
#include "armilla/container/image/save_agreement.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

std::string text_of_json(const json_node& node) {
  using kind = json_node::kind;
  switch (node.is) {
    case kind::null: return "null";
    case kind::truth: return std::string(node.text);
    case kind::number: return escaped(node.text.substr(0, 60));
    case kind::text: return fmt::format("the string '{}'", escaped(node.text.substr(0, 60)));
    case kind::array: return fmt::format("an array of {}", node.count);
    default: return "an object";
  }
}

/// Bytes of the character at the beginning of `text`; 0: it is not UTF-8.
std::size_t length_of_character(std::string_view text) noexcept {
  const auto at = [&](std::size_t i) { return i < text.size() ? std::uint8_t(text[i]) : std::uint8_t(0); };
  const auto follows = [&](std::size_t i) { return (at(i) & 0xC0) == 0x80; };
  const unsigned first = at(0), second = at(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF && follows(1)) return 2;
  const bool surrogate = first == 0xED && second >= 0xA0, overlong = first == 0xE0 && second < 0xA0;
  if (first >= 0xE0 && first <= 0xEF && !surrogate && !overlong && follows(1) && follows(2)) return 3;
  const bool beyond = (first == 0xF4 && second >= 0x90) || first > 0xF4, overlong_4 = first == 0xF0 && second < 0x90;
  if (first >= 0xF0 && !beyond && !overlong_4 && follows(1) && follows(2) && follows(3)) return 4;
  return 0;
}

}  // namespace

bool json_trouble::in_member(std::string_view name) {
  where.insert(0, fmt::format(".{}", escaped(name)));
  return false;
}

bool json_trouble::in_element(std::size_t index) {
  where.insert(0, fmt::format("[{}]", index));
  return false;
}

bool not_json(json_trouble& trouble, const json_node& is, const char* wanted) {
  const bool null = is.is == json_node::kind::null;
  trouble.what = fmt::format("it is {}, and should be {}{}", text_of_json(is), wanted,
                             null ? "; only std::optional and floating-point numbers can be null" : "");
  return false;
}

bool lacks_member(json_trouble& trouble, std::string_view name) {
  trouble.what = "it is missing; only a std::optional may be missing";
  return trouble.in_member(name);
}

bool wrong_length(json_trouble& trouble, std::size_t have, std::size_t wanted) {
  trouble.what = fmt::format("it is an array of {}, and should have {} elements", have, wanted);
  return false;
}

const json_engine& load_json(const char* operation, const std::string& path, const team& members) {
  constexpr file_plugin plugin{.name = "json", .symbol = json_symbol, .format = "JSON", .package = "libsimdjson-dev"};
  std::string wrong;
  const json_engine* const engine = load_engine<json_engine>(plugin, wrong);
  agree_on_file(members, operation, "read", path, wrong);
  return *engine;
}

const json_node* json_parser::next(file_part& part, const char*& at, const char*& line, bool fitted) {
  if (parser_ == nullptr) parser_ = {engine_->make(), closer{engine_}};
  while (at != part.end()) {
    line = at;
    const std::string_view text = next_line(at, part.end());
    if (text.find_first_not_of(" \t") == text.npos) continue;
    const json_node* first = nullptr;
    const char* const wrong = parser_ == nullptr ? "there is no memory to parse it"
                                                 : engine_->parse(parser_.get(), text.data(), text.size(),
                                                                  std::size_t(part.end() - text.data()), &first);
    if (wrong == nullptr) return first;
    part.complain(line, fmt::format("it is not a value in JSON: {}", wrong),
                  fitted || !part.is_first() ? nullptr
                                             : "correct the line, or set the option skip_bad to skip such lines; to turn a file "
                                               "that is one array into lines: jq -c '.[]'");
  }
  return nullptr;
}

void json_parser::complain(file_part& part, const char* line, const json_trouble& trouble) {
  const std::string_view where = trouble.where;
  part.complain(line, where.empty() ? trouble.what
                                    : fmt::format("field '{}': {}", where.substr(where.front() == '.' ? 1 : 0), trouble.what));
}

void append_json_text(std::string& all, std::string_view text) {
  all += '"';
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = length_of_character(text.substr(i, 4));
    if (n == 0)
      throw std::invalid_argument(fmt::format("'{}' is not UTF-8; strings in JSON must be", escaped(text.substr(0, 60))));
    const char c = text[i];
    if (c == '"' || c == '\\')
      (all += '\\') += c;
    else if (c == '\n')
      all += "\\n";
    else if (c == '\t')
      all += "\\t";
    else if (std::uint8_t(c) < 0x20)
      all += fmt::format("\\u{:04x}", unsigned(c));
    else
      all.append(text, i, n);
    i += n;
  }
  all += '"';
}

void throw_infinite() { throw std::invalid_argument("JSON has no infinite numbers; write std::optional or a string"); }

}  // namespace armilla::detail
