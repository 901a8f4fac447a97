// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/image/save.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/host/regular_file.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/image/checksum.hpp"
#include "armilla/container/image/new_file.hpp"
#include "armilla/container/image/save_agreement.hpp"
#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/error.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla::detail {
namespace {

/// What a member is about to write.
struct planned {
  std::vector<saved_piece> pieces;
  void add(std::uint64_t bytes, std::uint64_t elements) { pieces.push_back({0, bytes, elements, 0}); }
  std::uint64_t bytes() const {
    std::uint64_t all = 0;
    for (const saved_piece& p : pieces) all += p.bytes;
    return all;
  }
};

/// Elements that go by, once to be counted and once to be written.
class passing_pieces : public piece_writer {
 public:
  explicit passing_pieces(bool raw) : raw_(raw) {}
  void finish() {
    if (elements_ != 0) end_piece();
  }

 protected:
  virtual void take(std::uint64_t elements, const view<std::uint64_t>& keys, const view<std::uint64_t>& values,
                    std::uint64_t bytes) = 0;
  bool raw() const noexcept { return raw_; }

 private:
  void end_piece() final {
    const std::uint64_t raw_bytes = keys.size();
    const view<std::uint64_t> first = keys.words(), second = values.words();
    take(elements_, first, second, raw_ ? raw_bytes : piece_head + 8 * (first.size() + second.size()));
    keys.clear();
    values.clear();
    elements_ = 0;
  }
  bool raw_;
};

class counted_pieces final : public passing_pieces {
 public:
  counted_pieces(bool raw, planned& plan) : passing_pieces(raw), plan_(plan) {}

 private:
  void take(std::uint64_t elements, const view<std::uint64_t>&, const view<std::uint64_t>&, std::uint64_t bytes) override {
    plan_.add(bytes, elements);
  }
  planned& plan_;
};

/// The checksum is computed first: the piece is then written out of the cache.
int write_piece(int file, saved_piece& p, const std::byte* bytes) {
  p.checksum = checksum_of(bytes, std::size_t(p.bytes));
  return write_all(file, bytes, p.bytes, p.offset);
}

class written_pieces final : public passing_pieces {
 public:
  written_pieces(bool raw, planned& plan, int file) : passing_pieces(raw), plan_(plan), file_(file) {}
  /// Empty: all of the plan is written.
  std::string wrong() const {
    if (error_ != 0) return text_of_errno(error_);
    if (other_ || number_ != plan_.pieces.size())
      return "the container changed while it was saved; save it while no fiber and no body changes it";
    return {};
  }

 private:
  void take(std::uint64_t elements, const view<std::uint64_t>& keys, const view<std::uint64_t>& values,
            std::uint64_t bytes) override {
    other_ = other_ || number_ >= plan_.pieces.size();
    if (other_ || error_ != 0) return;
    saved_piece& p = plan_.pieces[number_++];
    other_ = p.elements != elements || p.bytes != bytes;
    if (other_) return;
    if (raw()) {
      error_ = write_piece(file_, p, reinterpret_cast<const std::byte*>(keys.data()));
      return;
    }
    whole_.assign(1, 8 * keys.size());
    whole_.insert(whole_.end(), keys.data(), keys.data() + keys.size());
    whole_.insert(whole_.end(), values.data(), values.data() + values.size());
    error_ = write_piece(file_, p, reinterpret_cast<const std::byte*>(whole_.data()));
  }

  planned& plan_;
  int file_, error_ = 0;
  std::size_t number_ = 0;
  bool other_ = false;
  std::vector<std::uint64_t> whole_;
};

/// Collective: where this member's pieces lie, and how long the file is.
std::uint64_t place_pieces(const team& members, planned& plan, std::size_t name_bytes) {
  struct size {
    std::uint64_t pieces, bytes;
  };
  const std::vector<size> all = members.all_gather(size{plan.pieces.size(), plan.bytes()});
  std::uint64_t pieces = 0, before = 0, end = 0;
  for (std::size_t m = 0; m < all.size(); ++m) {
    if (m == std::size_t(members.rank())) before = end;
    pieces += all[m].pieces, end += all[m].bytes;
  }
  const std::uint64_t data = data_begin_for(name_bytes, pieces);
  for (saved_piece& p : plan.pieces) {
    p.offset = data + before;
    before += p.bytes;
  }
  return data + end;
}

/// `write(file)` writes the pieces of the plan, and returns what went wrong.
template <class Write>
void save_planned(const team& members, const std::string& path, const saved_type& type, const saved_grid& grid, planned& plan,
                  Write write) {
  const std::uint64_t bytes = place_pieces(members, plan, type.element.size());
  new_file file(members, "save", "save", path, true);
  file.open(bytes);
  expect_work(plan.bytes(), "bytes");
  if (file.usable()) file.note(write(file.number()));
  file.end_data();
  const std::vector<std::vector<saved_piece>> all = members.gather(plan.pieces, 0);
  std::vector<std::byte> before_data;
  if (members.rank() == 0) {
    saved_contents contents;
    contents.header.kind = std::uint64_t(type.kind);
    contents.header.element_bytes = type.element_bytes;
    contents.header.grid = grid;
    contents.element = type.element;
    contents.made = operated_on();
    for (const auto& of_member : all) contents.pieces.insert(contents.pieces.end(), of_member.begin(), of_member.end());
    before_data = written_contents(contents);
  }
  file.publish(before_data);
}

/// What a user's marshalling throws is an error of the file, too.
std::string run_walk(const std::function<void(piece_writer&)>& walk, passing_pieces& pieces) {
  try {
    walk(pieces);
    pieces.finish();
    return {};
  } catch (const passing&) { throw; } catch (...) {
    return text_of_thrown();
  }
}

}  // namespace

void save_walked(const team& members, const std::string& path, const saved_type& type, const saved_grid& grid,
                 const std::function<void(piece_writer&)>& walk) {
  const named_algorithm name("save");
  const bool raw = type.element_bytes != 0;
  planned plan;
  counted_pieces counted(raw, plan);
  agree_on_file(members, "save", "save", path, run_walk(walk, counted));
  save_planned(members, path, type, grid, plan, [&](int file) {
    written_pieces written(raw, plan, file);
    const std::string thrown = run_walk(walk, written);
    return thrown.empty() ? written.wrong() : thrown;
  });
}

void save_raw(const team& members, const std::string& path, const saved_type& type, const saved_grid& grid, const void* first,
              std::uint64_t elements) {
  const named_algorithm name("save");
  planned plan;
  const std::uint64_t each = (piece_bytes + type.element_bytes - 1) / type.element_bytes;
  for (std::uint64_t left = elements; left != 0; left -= std::min(left, each))
    plan.add(std::min(left, each) * type.element_bytes, std::min(left, each));
  save_planned(members, path, type, grid, plan, [&](int file) -> std::string {
    const auto* from = static_cast<const std::byte*>(first);
    for (saved_piece& p : plan.pieces) {
      if (const int error = write_piece(file, p, from); error != 0) return text_of_errno(error);
      from += p.bytes;
    }
    return {};
  });
}

void agree_on_file(const team& members, const char* operation, const char* verb, const std::string& path,
                   const std::string& wrong) {
  rank_t loser = members.size();
  {
    const meeting here(members);
    loser = members.all_reduce(wrong.empty() ? members.size() : members.rank(), [](rank_t a, rank_t b) { return a < b ? a : b; });
  }
  if (loser == members.size()) return;
  const rank_t where = members.world_rank(loser);
  throw_usage(algorithm_here(operation),
              members.broadcast(fmt::format("cannot {} '{}' on rank {}: {}", verb, path, where, wrong), loser));
}

void require_team_of_file(const char* operation, std::span<const team* const> teams) {
  if (!*teams[0]) throw_usage(operation, "a container was moved from");
  for (const team* t : teams)
    if (!(*t == *teams[0]))
      throw_usage(operation, "the containers of a file are over different teams; give them one, or write a file for each");
}

std::string text_of_thrown() {
  try {
    throw;
  } catch (const rank_lost&) { throw; } catch (const passing&) {
    throw;
  } catch (...) {
    const exception_text thrown = describe_current_exception();
    return thrown.type_name + ": " + thrown.text;
  }
}

}  // namespace armilla::detail
