// SPDX-License-Identifier: Apache-2.0
#include "exchange_tree.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <utility>

#include <nlohmann/json.hpp>

#include "armilla/boot/host/interfaces.hpp"
#include "records.hpp"

namespace armilla::run {
namespace {

using nlohmann::json;

constexpr std::size_t longest_exchange = 1 << 30;

}  // namespace

// ---- armilla-run ----

exchange_desk::exchange_desk(std::vector<rank_t> ranks, sender send)
    : ranks_(std::move(ranks)),
      parts_(ranks_.size()),
      missing_(ranks_.size()),
      direct_(ranks_.size(), true),
      send_(std::move(send)) {}

exchange_desk::outcome exchange_desk::take(std::uint32_t host, std::string_view part) {
  if (parts_[host]) return outcome::differs;
  parts_[host] = unpack_records(part, longest_exchange);
  if (!parts_[host]) return outcome::differs;
  if (--missing_ != 0) return outcome::waits;
  missing_ = parts_.size();
  std::string all;
  const std::size_t bytes = parts_[0]->size() / std::size_t(ranks_[0]);
  bool same = true;
  for (std::size_t h = 0; h < parts_.size(); ++h) {
    same = same && parts_[h]->size() == bytes * std::size_t(ranks_[h]);
    all += *std::exchange(parts_[h], std::nullopt);
  }
  if (!same) return outcome::differs;
  ++number_;
  last_.assign(reinterpret_cast<const char*>(&number_), sizeof number_).append(pack_records(all, bytes));
  for (std::uint32_t h = 0; h < direct_.size(); ++h)
    if (direct_[h]) send_(h, last_);
  return outcome::complete;
}

void exchange_desk::release(std::uint32_t host, std::uint32_t heard) {
  direct_[host] = true;
  if (heard < number_) send_(host, last_);  // an exchange begins when all have the last one
}

// ---- agents ----

bool exchange_relay::take(const std::string& text) {
  std::uint32_t number = 0;
  if (text.size() < sizeof number) return false;
  std::memcpy(&number, text.data(), sizeof number);
  if (number <= heard_) return false;
  heard_ = number;
  for (const sender& child : children_) child(text);
  return true;
}

std::optional<std::string> parts_of_exchange(std::string_view text) {
  return unpack_records(text.substr(std::min(text.size(), sizeof(std::uint32_t))), longest_exchange);
}

void exchange_branch::take(const std::string& text) {
  const json said = json::parse(text, nullptr, false);
  if (!said.is_object()) return;
  host_ = said.value("host", any_host);
  if (said.contains("children")) expect(said.value("children", 0u));
  if (said.contains("port")) call(said.value("addresses", std::vector<std::string>{}), said.value("port", 0));
}

// They reach this host at the address at which armilla-run does.
void exchange_branch::expect(std::uint32_t children) {
  sockaddr_in here{};
  socklen_t size = sizeof here;
  expected_ = children;
  if (getsockname(root_.socket(), reinterpret_cast<sockaddr*>(&here), &size) != 0 || !port_.open_at(here.sin_addr.s_addr, 0))
    expected_ = 0;
  const std::vector<std::string> addresses{detail::address_text(here.sin_addr.s_addr)};
  root_.send(channel::tree, json{{"port", expected_ != 0 ? port_.number() : 0}, {"addresses", addresses}}.dump());
}

void exchange_branch::call(const std::vector<std::string>& addresses, int port) {
  int error = 0;
  if (port != 0) parent_ = call_once({key_, "", host_, port, addresses}, error);
  tell_adopted(parent_ != nullptr);
}

void exchange_branch::tell_adopted(bool is) {
  root_.send(channel::tree, json{{"adopted", is}, {"heard", relay_.heard()}}.dump());
}

void exchange_branch::watch(std::vector<pollfd>& list) const {
  port_.watch(list);
  if (parent_ != nullptr) list.push_back({parent_->socket(), POLLIN, 0});
}

void exchange_branch::look(const std::function<void(const std::string&)>& hand_out) {
  if (port_.is_open())
    port_.look([this](std::uint32_t host) { return has_parent(host) && parent_of(host) == host_; },
               [this](std::uint32_t, std::unique_ptr<channel> agent) {
                 relay_.add([child = std::shared_ptr<channel>(std::move(agent))](const std::string& text) {
                   child->send(channel::exchange, text);  // if it is gone, armilla-run knows
                 });
               });
  if (relay_.children() == expected_) port_.close();
  if (parent_ == nullptr) return;
  const bool open = parent_->receive();
  while (const auto frame = parent_->next())
    if (frame->what == channel::exchange) hear(frame->text, hand_out);
  if (open && !parent_->garbled()) return;
  parent_.reset();
  tell_adopted(false);
}

void exchange_branch::hear(const std::string& text, const std::function<void(const std::string&)>& hand_out) {
  if (!relay_.take(text)) return;
  if (const auto all = parts_of_exchange(text)) hand_out(*all);
}

}  // namespace armilla::run
