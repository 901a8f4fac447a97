// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/container/image/save_format.hpp"
#include "armilla/container/place/column.hpp"
#include "armilla/team.hpp"
#include "armilla/wire/signature.hpp"

/// How the members of a team write a container into one file together, and read it again; of any type.
///
/// Each member writes its own elements, in pieces with a checksum each, into a file beside the one that is meant. The header
/// comes last, and the new file takes the old one's place by one rename. So what is there under the path is always whole.
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

/// Takes a member's elements one by one: their bytes are put into the columns.
class piece_writer {
 public:
  column_bytes keys, values;  ///< elements that lie as in memory have no `values`

  piece_writer() = default;
  piece_writer(const piece_writer&) = delete;
  virtual ~piece_writer() = default;
  void end_element() {
    ++elements_;
    if (keys.size() + values.size() >= piece_bytes || elements_ >= piece_bytes) [[unlikely]]
      end_piece();
  }
  /// Of elements that lie as in memory.
  void put_raw(const void* elements, std::size_t n, std::size_t bytes_of_each);

 protected:
  virtual void end_piece() = 0;
  std::uint64_t elements_ = 0;  // of the piece
};

/// Collective: writes what `walk` puts, on each member its part; it is called twice, and must put the same. Errors: usage_error
/// on all members.
void save_walked(const team& members, const std::string& path, const saved_type& type, const saved_grid& grid,
                 const std::function<void(piece_writer&)>& walk);
/// The same of elements that lie one behind the other, from where they lie.
void save_raw(const team& members, const std::string& path, const saved_type& type, const saved_grid& grid, const void* first,
              std::uint64_t elements);

/// Inside a `catch`: what was thrown; a lost rank is thrown on.
std::string text_of_thrown();
[[noreturn, gnu::cold]] void throw_no_order();

/// A file that all members of a team read. What one of them finds wrong it keeps until they agree, and reads no more.
class saved_file {
 public:
  /// Collective. Errors: usage_error on all members for a file that is none, is damaged, or has another container or element.
  saved_file(const team& members, const std::string& path, const saved_type& wanted);
  ~saved_file();
  saved_file(const saved_file&) = delete;

  std::uint64_t elements() const noexcept { return contents_.header.elements; }
  const saved_grid& grid() const noexcept { return contents_.header.grid; }
  std::size_t pieces() const noexcept { return contents_.pieces.size(); }
  /// The first piece of a member when all have a share.
  std::size_t share_begin(rank_t member) const noexcept;

  /// Of elements that lie as in memory: copies n of them from number `first` on.
  void read(std::uint64_t first, std::uint64_t n, void* to);
  /// Of marshalled elements: calls `take(keys, values, elements, first)` for pieces [begin, end), with the number of the piece's
  /// first element. What it throws is kept.
  template <class F>
  void each_piece(std::size_t begin, std::size_t end, F take) {
    for (std::size_t k = begin; k < end; ++k) {
      column_rest keys(nullptr, 0), values(nullptr, 0);
      if (!open_piece(k, keys, values)) return;
      try {
        take(keys, values, contents_.pieces[k].elements, firsts_[k]);
        require_end(keys.left(), values.left());
      } catch (...) { note_thrown(k); }
    }
  }
  /// The same for the pieces that have elements from number `first` to `end`.
  template <class F>
  void each_piece_of(std::uint64_t first, std::uint64_t end, F take) {
    if (first < end) each_piece(piece_of(first), piece_of(end - 1) + 1, std::move(take));
  }
  /// Keeps what is wrong here, unless something is already.
  void note(const std::string& what);
  /// Inside a `catch`.
  void note_thrown(std::size_t piece);
  /// Collective: what is wrong on one member all throw.
  void agree() const;

 private:
  std::size_t piece_of(std::uint64_t element) const noexcept;
  bool load_piece(std::size_t k, std::byte* to);
  const std::byte* kept_piece(std::size_t k);
  bool open_piece(std::size_t k, column_rest& keys, column_rest& values);
  static void require_end(std::size_t keys_left, std::size_t values_left);
  std::string open_contents(std::vector<std::byte>& bytes, const saved_type& wanted);

  team members_;
  std::string path_;
  int file_ = -1;
  saved_contents contents_;
  std::vector<std::uint64_t> firsts_;  // element of each piece
  std::vector<std::uint64_t> kept_;    // the bytes of piece kept_number_
  std::size_t kept_number_ = ~std::size_t{0};
  std::string wrong_;
};

}  // namespace armilla::detail
