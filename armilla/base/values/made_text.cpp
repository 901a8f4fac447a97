// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/values/made_text.hpp"

#include "armilla/base/values/escaped.hpp"

namespace armilla::detail {

std::string shown_name(std::string_view name) {
  std::string all(most_name_letters, '\0');
  all.resize(escape_into(all.data(), all.size(), name));
  return all;
}

std::string text_of_object(std::string_view name, std::string_view type, std::string_view extent, std::string_view place) {
  std::string details;
  const auto add = [&details](std::string_view each) {
    if (!each.empty()) details.append(details.empty() ? "" : ", ").append(each);
  };
  if (!name.empty()) add(type);
  add(extent);
  add(place);
  std::string all = name.empty() ? std::string(type) : '"' + std::string(name) + '"';
  return details.empty() ? all : all + " (" + details + ")";
}

std::string text_of_place(const std::source_location& where) {
  const std::string_view path = where.file_name();
  return std::string(path.substr(path.find_last_of('/') + 1)) + ":" + std::to_string(where.line());
}

std::string with_commas(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

}  // namespace armilla::detail
