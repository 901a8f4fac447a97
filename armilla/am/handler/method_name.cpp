// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/handler/method_name.hpp"

#include <algorithm>
#include <vector>

#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size()) text.replace(at, what.size(), by);
}

/// Position behind the bracket that closes the one at `open`; the end if none does.
std::size_t behind_bracket(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '<' || c == '{') ++depth;
    if ((c == ')' || c == '>' || c == '}') && --depth == 0) return i + 1;
  }
  return text.size();
}

// g++: "{lambda(int, long)#2}" -> "lambda#2"; clang++: "$_2" -> "lambda#2".
void shorten_lambdas(std::string& text) {
  constexpr std::string_view begin = "{lambda(";
  for (std::size_t at = 0; (at = text.find(begin, at)) != text.npos;) {
    const std::size_t end = behind_bracket(text, at);
    const std::size_t number = behind_bracket(text, at + begin.size() - 1);
    text.replace(at, end - at, "lambda" + text.substr(number, end - 1 - number));
  }
  replace_all(text, "$_", "lambda#");
}

// "f(int) const::lambda#1" -> "f::lambda#1".
void drop_parameters(std::string& text) {
  replace_all(text, "::operator()(", "(");
  for (std::size_t at = 0; (at = text.find('(', at)) != text.npos;) {
    std::size_t end = behind_bracket(text, at);
    if (text.compare(end, 6, " const") == 0) end += 6;
    if (text.compare(end, 2, "::") == 0)
      text.erase(at, end - at);
    else
      ++at;
  }
}

void drop_allocators(std::string& text) {
  for (const std::string_view begin :
       {", std::allocator<", ", std::char_traits<", ", std::less<", ", std::hash<", ", std::equal_to<"})
    for (std::size_t at = 0; (at = text.find(begin, at)) != text.npos;) {
      const std::size_t end = behind_bracket(text, at + begin.size() - 1);
      text.erase(at, end - at);
    }
}

/// The arguments of the outermost template of `text`, which begins at `open`.
std::vector<std::string_view> arguments_of(std::string_view text, std::size_t open) {
  std::vector<std::string_view> found;
  const std::size_t end = behind_bracket(text, open) - 1;
  std::size_t begin = std::min(open + 1, end);
  for (std::size_t i = begin; i < end; ++i) {
    const char c = text[i];
    if (c == '(' || c == '<' || c == '{') i = behind_bracket(text, i) - 1;
    if (c == ',') found.push_back(text.substr(begin, i - begin)), begin = std::min(i + 2, end);
  }
  if (begin < end || found.empty()) found.push_back(text.substr(begin, end - begin));
  return found;
}

constexpr std::string_view own = "armilla::detail::";

/// "&(void app::twice<int>(int))" or "&app::member" -> "app::twice<int>".
std::string function_name(std::string_view pointer) {
  if (pointer.starts_with('&')) pointer.remove_prefix(1);
  if (pointer.starts_with('(') && behind_bracket(pointer, 0) == pointer.size()) pointer = pointer.substr(1, pointer.size() - 2);
  std::size_t name = 0, end = pointer.size();
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    const char c = pointer[i];
    if (c == ' ' && end == pointer.size()) name = i + 1;  // behind the type that a template's name begins with
    if (c != '(' && c != '<' && c != '{') continue;
    if (c == '(' && !pointer.substr(i).starts_with("(anonymous")) end = i;  // the last bracket holds the parameters
    i = behind_bracket(pointer, i) - 1;
    if (end != pointer.size() && pointer.substr(i + 1).starts_with("::")) end = pointer.size();
  }
  return shorten_type(std::string(pointer.substr(name, end - name)));
}

bool is_template(std::string_view text, std::string_view name) {
  return text.starts_with(own) && text.substr(own.size()).starts_with(name) &&
         text.substr(own.size() + name.size()).starts_with('<');
}

std::string callable_name(std::string_view f) {
  for (const std::string_view wrapper : {"constant_function", "bound_member", "member_of_object", "member_of_creation"})
    if (is_template(f, wrapper)) return function_name(arguments_of(f, f.find('<'))[0]);
  if (is_template(f, "portable_function"))
    return "function pointer " + shorten_type(std::string(arguments_of(f, f.find('<'))[0]));
  return shorten_type(std::string(f));
}

}  // namespace

std::string shorten_type(std::string text) {
  replace_all(text, "(anonymous namespace)::", "");
  drop_allocators(text);
  replace_all(text, " >", ">");
  for (const std::string_view prefix : {"std::__cxx11::", "std::", "armilla::detail::", "armilla::"})
    replace_all(text, prefix, "");
  replace_all(text, "basic_string<char>", "string");
  shorten_lambdas(text);
  drop_parameters(text);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

std::string shorten_method(std::string_view text) {
  struct kind {
    std::string_view handler, word;
    bool calls;
  };
  for (const kind& k : {kind{"one_way_call", "async ", true}, kind{"two_way_call", "call ", true}, kind{"reply", "reply ", false},
                        kind{"active_message", "message ", false}}) {
    if (!is_template(text, k.handler)) continue;
    const std::vector<std::string_view> arguments = arguments_of(text, text.find('<'));
    std::string name(k.word);
    if (!k.calls) return name + (k.handler == "reply" ? shorten_type(std::string(arguments[0])) : function_name(arguments[0]));
    const bool fills = is_template(arguments[0], "result_into");
    name = fills ? "call_into " : name;
    name += callable_name(fills ? arguments_of(arguments[0], arguments[0].find('<'))[1] : arguments[0]) + "(";
    for (std::size_t i = 1; i < arguments.size(); ++i) name += (i == 1 ? "" : ", ") + shorten_type(std::string(arguments[i]));
    return name + ")";
  }
  return shorten_type(std::string(text));
}

std::string readable_type(const char* mangled) { return shorten_type(demangle(mangled)); }

std::string method_name(const char* handler_type) { return shorten_method(demangle(handler_type)); }

}  // namespace armilla::detail
