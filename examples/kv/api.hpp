// SPDX-License-Identifier: Apache-2.0
#pragma once
// All that the key-value service and its clients have in common.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <armilla/method.hpp>

namespace kv {

struct usage {
  std::uint64_t keys, reads, writes;
};

// What a server provides.
inline constexpr armilla::method<void(std::string key, std::string value)> put{"kv.put"};
inline constexpr armilla::method<std::optional<std::string>(const std::string& key)> get{"kv.get"};
inline constexpr armilla::method<bool(const std::string& key)> erase{"kv.erase"};
inline constexpr armilla::method<long(const std::string& key, long by)> add{"kv.add"};
inline constexpr armilla::method<void(const std::string& key, armilla::rank_t client)> watch{"kv.watch"};
inline constexpr armilla::method<usage()> report{"kv.report"};

// What a client provides if it watches a key.
inline constexpr armilla::method<void(const std::string& key, const std::string& value)> changed{"kv.client.changed"};

/// Which of `servers` has the key: the same for every client, whatever compiler built it.
inline std::size_t place_of(const std::string& key, std::size_t servers) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char letter : key) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
  return std::size_t(hash % servers);
}

}  // namespace kv
