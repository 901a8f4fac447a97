// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Zip archives, as far as NumPy's .npz files need them: members that are stored or deflated, of any size.
namespace armilla::detail {

struct zip_member {
  std::string name{};
  std::uint64_t header_at = 0;  ///< of the header in front of the data
  std::uint64_t begin = 0;      ///< of the data in the file
  std::uint64_t packed = 0;     ///< bytes of the data in the file
  std::uint64_t bytes = 0;      ///< and when it is unpacked
  std::uint32_t checksum = 0;
  std::uint16_t method = 0;  ///< stored or deflated
  std::uint16_t flags = 0;

  static constexpr std::uint16_t stored = 0, deflated = 8;
};

/// Finds a member and where its data begins. Returns an empty string, or what is wrong with a file of `bytes` bytes; all that it
/// says is checked.
std::string find_zip_member(int file, std::uint64_t bytes, const std::string& name, zip_member& found);

/// What is before the data of a member, whose sizes and checksum are known.
std::string zip_header(const zip_member& m);
/// How long that is; it does not depend on the packed size.
std::uint64_t zip_header_size(const zip_member& m);
/// What is behind the last member, at `at`.
std::string zip_directory(std::span<const zip_member> members, std::uint64_t at);

/// Why checksums and compression are not there; empty: they are.
std::string text_of_no_zlib();
/// The checksum of more bytes.
std::uint32_t zip_checksum(std::uint32_t before, std::span<const std::byte> bytes);
/// The checksum of two pieces that follow each other.
std::uint32_t join_checksums(std::uint32_t first, std::uint32_t second, std::uint64_t bytes_of_second);

/// Compresses a piece of a member. Pieces that follow each other are one deflated member.
class zip_packer {
 public:
  zip_packer();
  ~zip_packer();
  zip_packer(const zip_packer&) = delete;
  /// `end`: of the piece; `last`: of the member. False: there is no memory.
  bool add(std::string& all, std::span<const std::byte> bytes, bool end, bool last);

 private:
  struct stream;
  std::unique_ptr<stream> stream_;
};

/// The unpacked bytes of a member, or of any part of a file as a stored one.
class zip_source {
 public:
  zip_source();
  ~zip_source();
  void open(int file, const zip_member& member);

  std::uint64_t bytes() const noexcept { return member_.bytes; }
  /// Returns an empty string, or what is wrong. To go backwards costs the way from the beginning.
  std::string read(std::uint64_t from, std::size_t n, void* to);
  bool deflated() const noexcept { return member_.method == zip_member::deflated; }
  /// Unpacks the rest of a deflated member and compares the checksum.
  std::string finish();

 private:
  struct stream;
  std::string restart();
  std::string inflate(std::size_t n, std::byte* to);

  int file_ = -1;
  zip_member member_;
  std::unique_ptr<stream> stream_;
  std::uint64_t position_ = 0;  // in the unpacked bytes
};

}  // namespace armilla::detail
