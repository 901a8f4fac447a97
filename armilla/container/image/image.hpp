// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armilla/container/image/save_format.hpp"
#include "armilla/container/place/column.hpp"
#include "armilla/team.hpp"
#include "armilla/wire/signature.hpp"

/// The image of a container: its content as a sequence of records, in pieces, with some numbers that belong to the whole. Each
/// member writes the records of its part; any number of members reads them. `save` writes an image to a file, `checkpoint` to
/// the memory of other ranks, `rebalance` to the ranks of a larger team. A container describes its image once (see images.hpp).
namespace armilla::detail {

/// The structure of elements as a text: `float64`, `(string, list<int32>)`.
template <class... T>
struct written_element {
  static constexpr void write(auto& out) {
    if (sizeof...(T) > 1) out.put('(');
    describe_list(out, type_list<T...>{});
    if (sizeof...(T) > 1) out.put(')');
  }
};
template <class... T>
struct element_name : spelled_text<written_element<T...>> {
  static constexpr std::string_view text{element_name::spelled.text, element_name::size};
};

/// Takes a member's records one by one: their bytes are put into the columns.
class piece_writer {
 public:
  column_bytes keys, values;  ///< records that are stored as in memory have no `values`

  piece_writer() = default;
  piece_writer(const piece_writer&) = delete;
  virtual ~piece_writer() = default;
  void end_element() {
    ++elements_;
    if (keys.size() + values.size() >= piece_bytes || elements_ >= piece_bytes) [[unlikely]]
      end_piece();
  }
  /// Records that are stored as in memory.
  void put_raw(const void* elements, std::size_t n, std::size_t bytes_of_each);

 protected:
  virtual void end_piece() = 0;
  std::uint64_t elements_ = 0;  // of the piece
};

/// Reads the image of a container, on all members of a team together. A member notes what is wrong with what it reads, and reads
/// no further; all learn it in `agree`.
class image_reader {
 public:
  image_reader(const image_reader&) = delete;
  virtual ~image_reader() = default;

  const team& members() const noexcept { return members_; }
  /// The records of all pieces.
  std::uint64_t elements() const noexcept { return elements_; }
  /// What belongs to the whole image.
  const image_numbers& numbers() const noexcept { return numbers_; }
  /// Whether records are stored as in memory.
  bool raw() const noexcept { return raw_; }

  /// Collective: member m gets to read the records from number borders[m] to borders[m + 1].
  virtual void deal(const std::vector<std::uint64_t>& borders) = 0;
  /// The same, so that each member gets as many; the last one gets some if there are any. Returns the first record of this
  /// member, and the end.
  std::pair<std::uint64_t, std::uint64_t> deal_evenly();

  /// Calls `take(keys, values, records, first)` for each piece that has records from number `first` to `end`, which were dealt to
  /// this member. What `take` throws is noted.
  template <class F>
  void each_piece_of(std::uint64_t first, std::uint64_t end, F take) {
    for (std::size_t k = 0; k < pieces_.size(); ++k)
      if (overlaps(k, first, end) && !read_piece(k, take)) return;
  }
  /// Calls it for some of the pieces, so that each piece of the image is read by one member. Needs no `deal`.
  template <class F>
  void each_own_piece(F take) {
    for (std::size_t k = 0; k < pieces_.size(); ++k)
      if (is_own(k) && !read_piece(k, take)) return;
  }

  /// Notes what is wrong, unless something is already.
  void note(const std::string& what);
  /// Collective: what is wrong on one member all throw.
  virtual void agree() = 0;

 protected:
  explicit image_reader(const team& members) : members_(members) {}
  /// The table is complete.
  void count_pieces();
  bool overlaps(std::size_t k, std::uint64_t first, std::uint64_t end) const noexcept {
    return firsts_[k] < end && first < firsts_[k] + pieces_[k].elements;
  }
  virtual bool is_own(std::size_t k) const noexcept = 0;
  /// False: something is noted.
  virtual bool open_piece(std::size_t k, column_rest& keys, column_rest& values) = 0;
  /// Inside a `catch`.
  void note_thrown(std::size_t piece);
  static void require_end(std::size_t keys_left, std::size_t values_left);

  team members_;
  std::vector<saved_piece> pieces_;    // of all members
  std::vector<std::uint64_t> firsts_;  // record of each piece
  std::uint64_t elements_ = 0;
  image_numbers numbers_{};
  bool raw_ = false;
  std::string wrong_;

 private:
  template <class F>
  bool read_piece(std::size_t k, F& take) {
    column_rest keys(nullptr, 0), values(nullptr, 0);
    if (!open_piece(k, keys, values)) return false;
    try {
      take(keys, values, pieces_[k].elements, firsts_[k]);
      require_end(keys.left(), values.left());
    } catch (const passing&) { throw; } catch (...) {
      note_thrown(k);
    }
    return wrong_.empty();
  }
};

/// Inside a `catch`: what was thrown; a lost rank is thrown on.
std::string text_of_thrown();

}  // namespace armilla::detail
