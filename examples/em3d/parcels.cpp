// SPDX-License-Identifier: Apache-2.0
#include "examples/em3d/parcels.hpp"

namespace em3d {
namespace {

/// A node that a rank wants to be sent, and where it wants it.
struct wish {
  int node, place;
};

std::vector<std::vector<wish>> wishes_of(const region& mine, field f) {
  std::vector<std::vector<wish>> wishes(static_cast<std::size_t>(am::ranks()));
  for (const int node : mine.ghosts(f)) wishes[std::size_t(mine.owner(node))].push_back({node, mine.place(f, node)});
  return wishes;
}

parcel parcel_for(const region& mine, am::rank_t to, field f, const std::vector<wish>& wishes) {
  parcel p{
      .to = to, .place = wishes.empty() ? 0 : wishes.front().place, .wanted = {}, .packed = std::vector<double>(wishes.size())};
  for (const wish& w : wishes) p.wanted.push_back(mine.place(f, w.node));
  return p;
}

}  // namespace

parcels::parcels(const region& mine) {
  const auto ranks = std::size_t(am::ranks());
  std::vector<char> partner(ranks);
  std::vector<std::vector<wish>> theirs[2];
  for (const field f : {electric, magnetic}) {
    const std::vector<std::vector<wish>> own = wishes_of(mine, f);
    theirs[f] = am::all_to_all_v(own);
    for (std::size_t r = 0; r < ranks; ++r) partner[r] |= char(!own[r].empty() || !theirs[f][r].empty());
  }
  for (const field f : {electric, magnetic})
    for (std::size_t r = 0; r < ranks; ++r)
      if (partner[r]) of_[f].push_back(parcel_for(mine, am::rank_t(r), f, theirs[f][r]));
}

}  // namespace em3d
