// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// All entries of a fuzz target's corpus in one text file, sorted by name, so that a change is read as a few lines:
//
//   armilla corpus 1                 the version of this format; before it, lines that start with #
//   entry NAME BYTES CHECKSUM        the name a fuzzer gave it; FNV-1a of 32 bits over its bytes
//     00 to 32 bytes a line in hex   as many lines as it takes
//   end ENTRIES                      how many there are
namespace armilla::fuzz {

struct corpus_entry {
  std::string name;
  std::vector<std::byte> bytes;
  friend bool operator==(const corpus_entry&, const corpus_entry&) = default;
};
using corpus = std::vector<corpus_entry>;

/// A pack that is damaged, or a name that no entry may have: says where, and what to do.
struct corpus_error : std::runtime_error {
  using runtime_error::runtime_error;
};

/// `where` stands in front of the line in what a `corpus_error` says.
corpus parse_pack(std::string_view text, const std::string& where);
/// Sorts by name. Throws if two entries have one name.
std::string pack_text(corpus entries);

corpus read_pack(const std::filesystem::path& file);
/// Replaces the file as a whole or leaves it as it is.
void write_pack(const std::filesystem::path& file, const corpus& entries);

/// One entry for each regular file of the folder, or the one of this name.
corpus read_folder(const std::filesystem::path& folder);
corpus_entry read_entry(const std::filesystem::path& file);
/// Makes the folder, and a file for each entry. What else lies there stays: it may be a find that no pack holds yet.
void unpack(const corpus& entries, const std::filesystem::path& folder);

/// Adds an entry. False if the same bytes are there already, under any name; throws if its name is another entry's.
bool add_entry(corpus& entries, corpus_entry added);

}  // namespace armilla::fuzz
