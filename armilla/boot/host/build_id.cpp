// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/build_id.hpp"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstring>
#include <utility>

#include "armilla/base/values/types.hpp"

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

std::uint64_t id_in_image(const dl_phdr_info& image) noexcept {
  std::uint64_t id = 0;
  for (int i = 0; i < image.dlpi_phnum; ++i) {
    const auto& part = image.dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto found = id_in_notes(reinterpret_cast<const char*>(image.dlpi_addr + part.p_vaddr), part.p_memsz);
    if (found != 0) id = found;
  }
  return id;
}

std::uint64_t id_of_file(const char* path) noexcept {
  struct stat file{};
  if (stat(path, &file) != 0) return 0;
  std::uint64_t id = mix(seed, &file.st_dev, sizeof file.st_dev);
  id = mix(id, &file.st_ino, sizeof file.st_ino);
  id = mix(id, &file.st_size, sizeof file.st_size);
  return mix(id, &file.st_mtim, sizeof file.st_mtim);
}

bool holds(const dl_phdr_info& image, std::uintptr_t address) noexcept {
  for (int i = 0; i < image.dlpi_phnum; ++i) {
    const auto& part = image.dlpi_phdr[i];
    if (part.p_type == PT_LOAD && address - (image.dlpi_addr + part.p_vaddr) < part.p_memsz) return true;
  }
  return false;
}

struct search {
  bool first = true;
  std::uint64_t id = 0;
};

// The first image is the executable. That of this function is another one where the library is a shared one.
int add_image(dl_phdr_info* image, std::size_t, void* result) noexcept {
  auto& all = *static_cast<search*>(result);
  const bool executable = std::exchange(all.first, false), library = holds(*image, reinterpret_cast<std::uintptr_t>(&add_image));
  if (executable || library) {
    std::uint64_t id = id_in_image(*image);
    if (id == 0) id = id_of_file(executable ? "/proc/self/exe" : image->dlpi_name);
    all.id = executable ? id : mix(all.id, &id, sizeof id);
  }
  return library ? 1 : 0;
}

}  // namespace

std::uint64_t build_id() noexcept {
  search all;
  dl_iterate_phdr(add_image, &all);
  return all.id;
}

}  // namespace armilla::detail
