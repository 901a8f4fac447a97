// SPDX-License-Identifier: Apache-2.0
// JSON by simdjson: documents as lists of values.
#include <simdjson.h>

#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/container/files/json_engine.hpp"

namespace armilla::detail {
namespace {

namespace ondemand = simdjson::ondemand;
using kind = json_node::kind;

constexpr int most_levels = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// simdjson checks numbers when it converts them, and these are converted to the types that the program wants.
bool is_number(std::string_view text) {
  std::size_t at = 0;
  const auto take = [&](char c) { return at < text.size() && text[at] == c && ++at != 0; };
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at != from;
  };
  take('-');
  if (!take('0') && !digits()) return false;
  if (take('.') && !digits()) return false;
  if (take('e') || take('E')) {
    if (!take('+')) take('-');
    if (!digits()) return false;
  }
  return at == text.size();
}

std::string_view without_space(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == text.npos ? 0 : last + 1);
}

class parser {
 public:
  const char* parse(std::string_view line, std::size_t room, const json_node** nodes) try {
    if (room < line.size() + simdjson::SIMDJSON_PADDING) {
      copy_.assign(line).append(simdjson::SIMDJSON_PADDING, ' ');
      line = {copy_.data(), line.size()};
      room = copy_.size();
    }
    nodes_.clear();
    ondemand::document document;
    bool begun = false;
    try {
      document = simdjson_.iterate(line.data(), line.size(), room).value();
      begun = true;
      fill(document, 0);
      const char* where = nullptr;
      const bool word = nodes_[0].is < kind::text;  // which is not taken from the document
      if (word ? !is_end(nodes_[0].text, line) : document.current_location().get(where) == simdjson::SUCCESS)
        throw std::runtime_error("there is text after the value");
    } catch (const simdjson::simdjson_error& e) {
      wrong_ = simdjson::error_message(e.error());
      if (const std::size_t colon = wrong_.find(": "); colon != wrong_.npos && wrong_.find(' ') > colon)
        wrong_.erase(0, colon + 2);
      const char* where = nullptr;
      if (begun && document.current_location().get(where) == simdjson::SUCCESS && where >= line.data() &&
          where <= line.data() + line.size())
        wrong_ += " (at byte " + std::to_string(where - line.data() + 1) + " of the line)";
      return wrong_.c_str();
    }
    *nodes = nodes_.data();
    return nullptr;
  } catch (const std::bad_alloc&) { return "there is no memory to parse it"; } catch (const std::exception& e) {
    wrong_ = e.what();
    return wrong_.c_str();
  }

 private:
  static bool is_end(std::string_view token, std::string_view line) {
    return without_space({token.data(), std::size_t(line.data() + line.size() - token.data())}).size() == token.size();
  }

  template <class Value>
  void fill(Value&& value, int level, std::string_view key = {}) {
    if (level > most_levels) throw std::runtime_error("it has more than 64 levels of arrays and objects");
    const std::size_t at = nodes_.size();
    nodes_.push_back({.key = key});
    json_node made{.key = key};
    switch (value.type().value()) {
      case ondemand::json_type::object:
        made.is = kind::object;
        for (auto field : value.get_object().value()) {
          const std::string_view name = field.unescaped_key().value();
          fill(field.value().value(), level + 1, name);
          ++made.count;
        }
        break;
      case ondemand::json_type::array:
        made.is = kind::array;
        for (auto element : value.get_array().value()) {
          fill(element.value(), level + 1);
          ++made.count;
        }
        break;
      case ondemand::json_type::string:
        made.is = kind::text;
        made.text = value.get_string().value();
        break;
      default:
        made.text = without_space(std::string_view(value.raw_json_token()));
        made.is = made.text == "null" ? kind::null : made.text == "true" || made.text == "false" ? kind::truth : kind::number;
        if (made.is == kind::number && !is_number(made.text))
          throw std::runtime_error("'" + std::string(made.text.substr(0, 60)) + "' is not a value");
    }
    made.nodes = nodes_.size() - at;
    nodes_[at] = made;
  }

  ondemand::parser simdjson_;
  std::string copy_, wrong_;
  std::vector<json_node> nodes_;
};

const json_engine engine{
    .make = []() noexcept -> void* { return new (std::nothrow) parser(); },
    .free = [](void* p) noexcept { delete static_cast<parser*>(p); },
    .parse = [](void* p, const char* from, std::size_t size, std::size_t room,
                const json_node** nodes) noexcept { return static_cast<parser*>(p)->parse({from, size}, room, nodes); }};

}  // namespace
}  // namespace armilla::detail

extern "C" [[gnu::visibility("default")]] const armilla::detail::json_engine* armilla_json() { return &armilla::detail::engine; }
