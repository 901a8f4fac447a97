// SPDX-License-Identifier: Apache-2.0
#include "named_containers.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "armilla/client/client_call_inline.hpp"
#include "armilla/client/reply_text.hpp"
#include "armilla/error.hpp"

namespace armilla::top {
namespace {

constexpr std::size_t most_lines = 10'000;

}  // namespace

std::vector<container_line> container_lines(std::string_view reply) {
  std::vector<container_line> all;
  while (!reply.empty() && all.size() < most_lines) {
    std::string_view line = detail::next_field(reply, '\n');
    container_line one;
    for (std::string* const each : {&one.name, &one.type, &one.place}) *each = detail::printable(detail::next_field(line, '\t'));
    const std::string_view elements = detail::next_field(line, '\t');
    if (!one.type.empty() && detail::read_number(elements, one.elements) && detail::read_number(line, one.bytes))
      all.push_back(std::move(one));
  }
  return all;
}

named_containers::named_containers(client job) : job_(std::move(job)) { ask(); }

named_containers::~named_containers() {
  for (const asked& rank : ranks_)
    if (rank.call != nullptr) rank.line->drop(*rank.call);
}

void named_containers::receive(asked& rank) {
  if (rank.call == nullptr) return;
  if (!rank.line->good()) return void(rank.call = nullptr);
  if (!rank.line->ready(*rank.call)) return;
  const auto answer = std::exchange(rank.call, nullptr);
  if (answer->outcome == detail::client_outcome::answered)
    rank.last = container_lines({reinterpret_cast<const char*>(answer->bytes.data()), answer->bytes.size()});
}

void named_containers::ask() {
  const std::vector<rank_look> looks = job_.look();
  ranks_.resize(std::max(ranks_.size(), looks.size()));
  for (std::size_t r = 0; r < looks.size(); ++r) try {
      asked& rank = ranks_[r];
      receive(rank);
      if (looks[r].doing == "gone") rank.last.clear();
      if (rank.call != nullptr || !looks[r].known || looks[r].doing == "gone") continue;
      rank.line = detail::line_of(job_.on(rank_t(r)));
      rank.call = rank.line->ask({detail::client_request::objects, "objects", "", 0, {}}, detail::waits_for_slot_ns);
    } catch (const error&) {  // it has ended, or has too many attached clients
    }
}

void named_containers::add_to(std::vector<container_sizes>& all) const {
  const std::size_t exposed = all.size();
  for (std::size_t r = 0; r < ranks_.size(); ++r)
    for (const container_line& line : ranks_[r].last) {
      auto one = std::find_if(all.begin() + std::ptrdiff_t(exposed), all.end(), [&](const container_sizes& each) {
        return each.name == line.name && each.type == line.type && each.place == line.place;
      });
      if (one == all.end()) one = all.insert(all.end(), container_sizes{line.name, line.type, {}, 0, {}, 0, line.place});
      one->elements.emplace_back(rank_t(r), line.elements);
      one->bytes += line.bytes;
    }
  for (std::size_t i = exposed; i < all.size(); ++i) all[i].balance();
}

}  // namespace armilla::top
