// SPDX-License-Identifier: Apache-2.0
#include "records.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace armilla::run {
namespace {

constexpr std::size_t least_alike = 4;  // fewer are not worth two numbers

void put(std::string& text, std::size_t number) {
  for (; number >= 128; number >>= 7) text += char((number & 127) | 128);
  text += char(number);
}

std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t number = 0;
  for (unsigned shift = 0; !text.empty() && shift < 35; shift += 7) {
    const auto one = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    number |= std::size_t(one & 127) << shift;
    if (one < 128) return number;
  }
  return std::nullopt;
}

std::size_t alike(std::string_view a, std::string_view b) { return std::size_t(std::ranges::mismatch(a, b).in1 - a.begin()); }

void pack(std::string& text, std::string_view one, std::string_view before) {
  for (std::size_t at = 0; at < one.size();) {
    const std::size_t same = alike(one.substr(at), before.substr(at));
    std::size_t end = at += same;
    while (end < one.size()) {
      const std::size_t next = alike(one.substr(end), before.substr(end));
      if (next >= least_alike) break;
      end = std::min(end + next + 1, one.size());
    }
    put(text, same);
    put(text, end - at);
    text.append(one.substr(at, end - at));
    at = end;
  }
}

// False: damaged.
bool unpack(std::string_view& text, std::string& all, std::size_t bytes) {
  const std::size_t begin = all.size();
  if (begin == 0)
    all.append(bytes, 0);
  else
    all.append(all, begin - bytes, bytes);
  for (std::size_t at = 0; at < bytes;) {
    const auto same = take_number(text), differ = take_number(text);
    if (!same || !differ || *same + *differ == 0 || *same + *differ > bytes - at || *differ > text.size()) return false;
    std::memcpy(all.data() + begin + at + *same, text.data(), *differ);
    text.remove_prefix(*differ);
    at += *same + *differ;
  }
  return true;
}

}  // namespace

std::string pack_records(std::string_view records, std::size_t bytes) {
  const std::size_t count = bytes != 0 ? records.size() / bytes : 0;
  const std::uint32_t head[] = {std::uint32_t(bytes), std::uint32_t(count)};
  std::string text(reinterpret_cast<const char*>(head), sizeof head);
  const std::string zeros(bytes, 0);
  std::string_view before = zeros;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view one = records.substr(i * bytes, bytes);
    pack(text, one, before);
    before = one;
  }
  return text;
}

std::optional<std::string> unpack_records(std::string_view packed, std::size_t most) {
  std::uint32_t head[2];
  if (packed.size() < sizeof head) return std::nullopt;
  std::memcpy(head, packed.data(), sizeof head);
  packed.remove_prefix(sizeof head);
  const auto [bytes, count] = head;
  if (std::size_t{bytes} * count > most || (bytes == 0 && count != 0)) return std::nullopt;
  std::string all;
  all.reserve(std::size_t{bytes} * count);
  for (std::uint32_t i = 0; i < count; ++i)
    if (!unpack(packed, all, bytes)) return std::nullopt;
  return packed.empty() ? std::optional(std::move(all)) : std::nullopt;
}

}  // namespace armilla::run
