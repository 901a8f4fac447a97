// SPDX-License-Identifier: Apache-2.0
// What attached clients and ranks of other hosts say to each other, at the side of armilla-run: it is passed on, unread.
#include <algorithm>

#include <fmt/format.h>

#include "circuit_frame.hpp"
#include "root.hpp"

namespace armilla::run {

void root::pass_circuit(const host& from, const std::string& text) {
  auto said = circuit_frame_head::of(text);
  if (!said) return;
  const auto of_rank =
      std::ranges::find_if(hosts_, [&](const host& h) { return said->rank >= h.first && said->rank < h.first + h.ranks; });
  const auto opener = std::ranges::find(hosts_, said->opener, &host::number);
  const bool known = of_rank != hosts_.end() && opener != hosts_.end();
  const host* const to = !known ? nullptr : from.number == of_rank->number ? &*opener : &*of_rank;
  if (to != nullptr && to->agent != nullptr && !to->gone && !stopping_) return to->agent->send_later(channel::circuit, text);
  if (said->what == circuit_frame_head::close) return;
  said->what = circuit_frame_head::close;
  from.agent->send_later(channel::circuit, said->with(known ? "" : fmt::format("there is no rank {}", said->rank)));
}

void root::close_circuits(const host& gone) {
  const circuit_frame_head all{gone.number, std::uint32_t(gone.ranks), gone.first, circuit_frame_head::host_gone};
  for (const host& h : hosts_)
    if (h.agent != nullptr && !h.gone) h.agent->send_later(channel::circuit, all.with(""));
}

}  // namespace armilla::run
