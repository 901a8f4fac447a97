// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "armilla/container/image/image.hpp"

/// How the members of a team write a container into one file together, and read it again; of any type.
///
/// Each member writes its own elements, in pieces with a checksum each, into a file beside the one that is meant. The header
/// comes last, and the new file takes the old one's place by one rename. So what is there under the path is always whole.
namespace armilla::detail {

/// Collective: writes what `walk` puts, on each member its part; it is called twice, and must put the same. Errors: usage_error
/// on all members.
void save_walked(const team& members, const std::string& path, const saved_type& type, const saved_grid& grid,
                 const std::function<void(piece_writer&)>& walk);
/// The same of elements that lie one behind the other, from where they lie.
void save_raw(const team& members, const std::string& path, const saved_type& type, const saved_grid& grid, const void* first,
              std::uint64_t elements);

[[noreturn, gnu::cold]] void throw_no_order();

/// The image in a file.
class saved_file final : public image_reader {
 public:
  /// Collective. Errors: usage_error on all members for a file that is none, is damaged, or has another container or element.
  saved_file(const team& members, const std::string& path, const saved_type& wanted);
  ~saved_file() override;

  const saved_grid& grid() const noexcept { return contents_.header.grid; }
  /// Of elements that lie as in memory: copies n of them from number `first` on.
  void read(std::uint64_t first, std::uint64_t n, void* to);

  /// Each member can read the whole file.
  void deal(const std::vector<std::uint64_t>&) override {}
  void agree() override;

 private:
  bool is_own(std::size_t k) const noexcept override;
  bool open_piece(std::size_t k, column_rest& keys, column_rest& values) override;
  std::size_t share_begin(rank_t member) const noexcept;
  std::size_t piece_of(std::uint64_t element) const noexcept;
  bool load_piece(std::size_t k, std::byte* to);
  const std::byte* kept_piece(std::size_t k);
  std::string open_contents(std::vector<std::byte>& bytes, const saved_type& wanted);

  std::string path_;
  int file_ = -1;
  saved_contents contents_;          // its table is in `pieces_` once the file is open
  std::vector<std::uint64_t> kept_;  // the bytes of piece kept_number_
  std::size_t kept_number_ = ~std::size_t{0};
};

}  // namespace armilla::detail
