// SPDX-License-Identifier: Apache-2.0
#include "host_offer.hpp"

#include <charconv>
#include <utility>

#include <nlohmann/json.hpp>

#include "armilla/boot/host/local_ranks.hpp"

namespace armilla::run {
namespace {

using namespace armilla::detail;
using nlohmann::json;

constexpr std::size_t most_offer = 1 << 24, most_name = 255;

json json_of(const program_spec& program) {
  return {
      {"path", program.path}, {"arguments", program.arguments}, {"environment", program.environment}, {"ranks", program.ranks}};
}

}  // namespace

std::optional<meeting_place> place_of(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
  meeting_place place{std::string(text.substr(0, colon)), 0};
  const std::string_view digits = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), place.port);
  if (error != std::errc() || end != digits.data() + digits.size() || place.port < 1 || place.port > 65535) return std::nullopt;
  if (place.host.find_first_of(" \t\n:[]/") != std::string::npos) return std::nullopt;
  return place;
}

std::string host_offer::text() const {
  json list = json::array();
  for (const auto& program : programs) list.push_back(json_of(program));
  return json{{"version", version}, {"host", host}, {"folder", folder}, {"hosts", hosts}, {"programs", list}}.dump(
      -1, ' ', false, json::error_handler_t::replace);
}

std::optional<host_offer> host_offer::read(const std::string& text) try {
  if (text.size() > most_offer) return std::nullopt;
  const json said = json::parse(text);
  host_offer offer{said.at("version"), said.at("host"), said.at("folder"), said.at("hosts"), {}};
  rank_t ranks = 0;
  for (const json& one : said.at("programs")) {
    program_spec program{one.at("path"), one.at("arguments"), one.at("environment"), one.at("ranks")};
    if (program.arguments.empty() || program.ranks < 1 || program.ranks > most_local_ranks) return std::nullopt;
    ranks += program.ranks;
    if (ranks > most_local_ranks) return std::nullopt;
    offer.programs.push_back(std::move(program));
  }
  const bool named =
      !offer.host.empty() && offer.host.size() <= most_name && offer.host.find_first_of(" \t\n") == offer.host.npos;
  if (!named || offer.programs.empty()) return std::nullopt;
  return offer;
} catch (const json::exception&) { return std::nullopt; }

}  // namespace armilla::run
