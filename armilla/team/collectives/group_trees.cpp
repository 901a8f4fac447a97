// SPDX-License-Identifier: Apache-2.0
// What moves to, from or between all members and is not folded.
#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "armilla/team/collectives/group_moves.hpp"
#include "armilla/team/collectives/groups.hpp"

namespace armilla::detail {
namespace {

// From here on the root's data go out in parts, which the leaders then collect: each byte leaves the root once.
constexpr std::size_t long_broadcast = 32 * 1024;

// A binomial tree over the groups, numbered from the root's on. The subtree of a place is the places from there on, as many as
// its lowest bit says; the root's is all.
class tree {
 public:
  tree(const group_moves& moves, std::uint32_t root_group)
      : root_(root_group), size_(moves.groups()), place_((moves.group() + size_ - root_group) % size_) {}

  std::uint32_t size() const { return size_; }
  std::uint32_t place() const { return place_; }
  std::uint32_t group_at(std::uint32_t place) const { return (place + root_) % size_; }
  std::uint32_t parent() const { return group_at(place_ & (place_ - 1)); }
  std::uint32_t end(std::uint32_t place) const { return place == 0 ? size_ : std::min(size_, place + (place & -place)); }
  /// The places of my children, the one with the largest subtree first.
  std::vector<std::uint32_t> children() const {
    std::vector<std::uint32_t> all;
    for (std::uint32_t bit = place_ == 0 ? std::bit_ceil(size_) / 2 : (place_ & -place_) / 2; bit != 0; bit /= 2)
      if (place_ + bit < size_) all.push_back(place_ + bit);
    return all;
  }

 private:
  std::uint32_t root_, size_, place_;
};

// Where each block begins of several that lie one behind the other, and the end of the last.
using offsets = std::vector<std::size_t>;

// Blocks of all groups, numbered from my own on, in log2 N exchanges: in each I send what I have to a group before me, and
// receive as much from one behind me. Bruck's algorithm.
void collect(group_moves& moves, const tree& places, std::byte* blocks, const offsets& at) {
  const auto behind = [&](std::uint32_t i) { return places.group_at(places.place() + i); };
  const std::uint32_t n = places.size();
  for (std::uint32_t have = 1; have < n; have *= 2) {
    const std::uint32_t more = std::min(have, n - have);
    moves.shift(behind(n - have), blocks, at[more], behind(have), blocks + at[have], at[have + more] - at[have]);
  }
}

// Part i of an array for `parts` places.
std::size_t part_begin(std::size_t bytes, std::uint32_t i, std::uint32_t parts) {
  const std::size_t each = (bytes + parts - 1) / parts;
  return std::min(bytes, i * each);
}

void broadcast_down(group_moves& moves, const tree& t, std::byte* data, std::size_t bytes) {
  if (t.place() != 0) moves.receive(t.parent(), data, bytes);
  std::vector<std::uint32_t> groups = t.children();
  for (std::uint32_t& each : groups) each = t.group_at(each);
  if (!groups.empty()) moves.send_to_all_of(groups, data, bytes);
}

// Parts go down the tree; then all leaders collect them.
void broadcast_in_parts(group_moves& moves, const tree& t, std::byte* data, std::size_t bytes) {
  const auto begin = [&](std::uint32_t place) { return part_begin(bytes, place, t.size()); };
  const auto subtree = [&](std::uint32_t place) { return begin(t.end(place)) - begin(place); };
  if (t.place() != 0) moves.receive(t.parent(), data + begin(t.place()), subtree(t.place()));
  for (const std::uint32_t child : t.children()) moves.send(t.group_at(child), data + begin(child), subtree(child));
  const std::unique_ptr<std::byte[]> blocks(new std::byte[bytes]);
  offsets at{0};
  for (std::uint32_t i = 0; i < t.size(); ++i) {
    const std::uint32_t place = (t.place() + i) % t.size();
    at.push_back(at.back() + begin(place + 1) - begin(place));
  }
  move_bytes(blocks.get(), data + begin(t.place()), at[1]);
  collect(moves, t, blocks.get(), at);
  for (std::uint32_t i = 1; i < t.size(); ++i)
    move_bytes(data + begin((t.place() + i) % t.size()), blocks.get() + at[i], at[i + 1] - at[i]);
}

// Where the block of each place's group begins, of `bytes` bytes a member.
offsets blocks_of(const team_record& t, const tree& places, std::size_t bytes) {
  offsets at{0};
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    const std::uint32_t group = places.group_at(i);
    at.push_back(at.back() + (t.groups[group + 1] - t.groups[group]) * bytes);
  }
  return at;
}

// Blocks that a leader passes on between the root and its subtree, in order. The root has all of them.
class subtree_blocks {
 public:
  subtree_blocks(const team_record& t, const group_moves& moves, std::size_t bytes, std::uint32_t root)
      : t_(t), bytes_(bytes), places_(moves, moves.group_of(root)), at_(blocks_of(t, places_, bytes)) {
    begin_ = at_[places_.place()];
    memory_.reset(new std::byte[at_[places_.end(places_.place())] - begin_]);
  }

  const tree& places() const { return places_; }
  bool is_root() const { return places_.place() == 0; }
  /// Of the subtree of a place that is mine, or below me.
  std::byte* of(std::uint32_t place) const { return memory_.get() + at_[place] - begin_; }
  std::size_t size_of(std::uint32_t place) const { return at_[places_.end(place)] - at_[place]; }
  /// On the root: f(what its group's members have in `all`, their block, bytes) for each place.
  template <class Byte, class F>
  void for_each_group(Byte* all, F f) const {
    for (std::uint32_t i = 0; i < places_.size(); ++i)
      f(all + t_.groups[places_.group_at(i)] * bytes_, memory_.get() + at_[i], at_[i + 1] - at_[i]);
  }

 private:
  const team_record& t_;
  std::size_t bytes_;
  tree places_;
  offsets at_;
  std::size_t begin_;
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace

void broadcast_by_pairs(team_record& t, collective kind, std::byte* data, std::size_t bytes, std::uint32_t root) {
  group_moves moves(t, kind, root);
  const tree places(moves, moves.group_of(root));
  if (moves.leads())
    bytes < long_broadcast ? broadcast_down(moves, places, data, bytes) : broadcast_in_parts(moves, places, data, bytes);
  moves.hand_on(data, bytes);
}

void send_packet_to_all(team_record& t, const std::byte* data, std::size_t bytes, bool announced) {
  std::uint64_t length = bytes;
  if (announced) broadcast_by_pairs(t, collective::broadcast, reinterpret_cast<std::byte*>(&length), sizeof length, t.rank);
  if (bytes != 0)
    broadcast_by_pairs(t, collective::broadcast, const_cast<std::byte*>(data), bytes, t.rank);  // the root only reads
}

void receive_packet(team_record& t, std::uint32_t root, std::optional<std::size_t> bytes, place_function place, void* self) {
  std::uint64_t length = bytes.value_or(0);
  if (!bytes) broadcast_by_pairs(t, collective::broadcast, reinterpret_cast<std::byte*>(&length), sizeof length, root);
  std::byte* to = place(self, root, length);
  if (length == 0) return;
  const std::unique_ptr<std::byte[]> dropped(to == nullptr ? new std::byte[length] : nullptr);
  broadcast_by_pairs(t, collective::broadcast, to == nullptr ? dropped.get() : to, length, root);
}

void all_gather_by_pairs(team_record& t, const std::byte* mine, std::size_t bytes, std::byte* all) {
  group_moves moves(t, collective::all_gather);
  if (moves.leads()) {
    const tree places(moves, moves.group());  // numbered from my group on
    const offsets at = blocks_of(t, places, bytes);
    const std::unique_ptr<std::byte[]> blocks(new std::byte[bytes * t.size]);
    moves.receive_from_members(mine, bytes, blocks.get());
    collect(moves, places, blocks.get(), at);
    for (std::uint32_t i = 0; i < places.size(); ++i)
      move_bytes(all + t.groups[places.group_at(i)] * bytes, blocks.get() + at[i], at[i + 1] - at[i]);
  } else {
    moves.send_to_member(moves.leader(), mine, bytes);
  }
  moves.hand_on(all, bytes * t.size);
}

void gather_by_pairs(team_record& t, const std::byte* mine, std::size_t bytes, std::byte* all, std::uint32_t root) {
  group_moves moves(t, collective::gather, root);
  if (!moves.leads()) return moves.send_to_member(moves.leader(), mine, bytes);
  const subtree_blocks blocks(t, moves, bytes, root);
  const tree& places = blocks.places();
  moves.receive_from_members(mine, bytes, blocks.of(places.place()));
  std::vector<std::uint32_t> children = places.children();
  std::ranges::reverse(children);  // the smallest subtree is ready first
  for (const std::uint32_t child : children) moves.receive(places.group_at(child), blocks.of(child), blocks.size_of(child));
  if (blocks.is_root())
    blocks.for_each_group(all, [](std::byte* to, const std::byte* from, std::size_t n) { move_bytes(to, from, n); });
  else
    moves.send(places.parent(), blocks.of(places.place()), blocks.size_of(places.place()));
}

void scatter_by_pairs(team_record& t, const std::byte* all, std::size_t bytes, std::byte* mine, std::uint32_t root) {
  group_moves moves(t, collective::scatter, root);
  if (!moves.leads()) return moves.receive_from_member(moves.leader(), mine, bytes);
  const subtree_blocks blocks(t, moves, bytes, root);
  const tree& places = blocks.places();
  if (blocks.is_root())
    blocks.for_each_group(all, [](const std::byte* from, std::byte* to, std::size_t n) { move_bytes(to, from, n); });
  else
    moves.receive(places.parent(), blocks.of(places.place()), blocks.size_of(places.place()));
  for (const std::uint32_t child : places.children()) moves.send(places.group_at(child), blocks.of(child), blocks.size_of(child));
  moves.send_to_members(blocks.of(places.place()), bytes, mine);
}

// First what is for the member i behind me lies at i. Then, bit for bit, what has that many to go still moves on.
void all_to_all_by_pairs(team_record& t, collective kind, const std::byte* in, std::byte* out, std::size_t part) {
  const std::uint32_t n = t.size;
  const std::unique_ptr<std::byte[]> memory(new std::byte[(n + 2 * std::size_t(n / 2 + 1)) * part]);
  std::byte *const blocks = memory.get(), *const leaving = blocks + n * part, *const coming = leaving + (n / 2 + 1) * part;
  for (std::uint32_t i = 0; i < n; ++i) move_bytes(blocks + i * part, in + (t.rank + i) % n * part, part);
  for (std::uint32_t bit = 1; bit < n; bit *= 2) {
    std::size_t bytes = 0;
    for (std::uint32_t i = bit; i < n; i = (i + 1) | bit, bytes += part) move_bytes(leaving + bytes, blocks + i * part, part);
    shift_between(t, kind, (t.rank + bit) % n, leaving, bytes, (t.rank + n - bit) % n, coming, bytes);
    bytes = 0;
    for (std::uint32_t i = bit; i < n; i = (i + 1) | bit, bytes += part) move_bytes(blocks + i * part, coming + bytes, part);
  }
  for (std::uint32_t i = 0; i < n; ++i) move_bytes(out + (t.rank + n - i) % n * part, blocks + i * part, part);
}

}  // namespace armilla::detail
