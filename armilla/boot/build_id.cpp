// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/build_id.hpp"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstring>

#include "armilla/base/types.hpp"

namespace armilla::detail {
namespace {

std::uint64_t mix(std::uint64_t hash, const void* bytes, std::size_t n) noexcept {  // FNV-1a
  for (std::size_t i = 0; i < n; ++i) hash = (hash ^ static_cast<const unsigned char*>(bytes)[i]) * 0x100000001b3u;
  return hash;
}
constexpr std::uint64_t seed = 0xcbf29ce484222325u;

std::uint64_t id_in_notes(const char* at, std::size_t size) noexcept {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const std::size_t name = align_up(note.n_namesz, 4), text = align_up(note.n_descsz, 4), all = sizeof note + name + text;
    if (all > size) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(at + sizeof note, "GNU", 4) == 0)
      return mix(seed, at + sizeof note + name, note.n_descsz);
    at += all;
    size -= all;
  }
  return 0;
}

int id_of_first_image(dl_phdr_info* image, std::size_t, void* result) noexcept {  // the first is the executable
  for (int i = 0; i < image->dlpi_phnum; ++i) {
    const auto& part = image->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto id = id_in_notes(reinterpret_cast<const char*>(image->dlpi_addr + part.p_vaddr), part.p_memsz);
    if (id != 0) *static_cast<std::uint64_t*>(result) = id;
  }
  return 1;
}

}  // namespace

std::uint64_t build_id() noexcept {
  std::uint64_t id = 0;
  dl_iterate_phdr(id_of_first_image, &id);
  struct stat file{};
  if (id != 0 || stat("/proc/self/exe", &file) != 0) return id;
  id = mix(seed, &file.st_dev, sizeof file.st_dev);
  id = mix(id, &file.st_ino, sizeof file.st_ino);
  id = mix(id, &file.st_size, sizeof file.st_size);
  return mix(id, &file.st_mtim, sizeof file.st_mtim);
}

}  // namespace armilla::detail
