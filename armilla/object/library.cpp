// SPDX-License-Identifier: Apache-2.0
#include "armilla/library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <memory>

#include "armilla/base/core/context.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/host/trusted_file.hpp"
#include "armilla/error.hpp"
#include "armilla/method.hpp"
#include "armilla/object/object_state.hpp"

namespace armilla {
namespace detail {
namespace {

inline constexpr method<void(const std::string&)> load_method{"armilla.load_library"};

// The path without links, . and ..; empty if there is no such file.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> found(::realpath(path.c_str(), nullptr), &std::free);
  return found == nullptr ? std::string() : std::string(found.get());
}

// By its name on the wire: what others may know of this rank's files is only what they said themselves.
[[noreturn]] void refuse(const std::string& library, const char* why) {
  const std::string shown = library.substr(0, 300);
  throw_usage("load_library", "library '" + shown.substr(0, shown.find('\0')) + "' " + why);
}

void load_here(const std::string& library) {
  context& self = here("load_library");
  const std::string file = find_library(library, self.settings->libraries);
  for (const std::string& known : self.objects->libraries)
    if (known == file) return;
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = ::dlerror();
    refuse(library, ("cannot be loaded: " + std::string(why != nullptr ? why : "unknown error") +
                     "; does the program export its symbols, as armilla-host does?")
                        .c_str());
  }
  const auto start = reinterpret_cast<void (*)()>(::dlsym(handle, "armilla_library"));
  if (start == nullptr) refuse(library, "has no function armilla_library; define it as extern \"C\" void armilla_library()");
  self.objects->libraries.push_back(file);
  start();
}

}  // namespace

std::string find_library(const std::string& library, const std::string& folders) {
  if (folders.empty()) refuse(library, "may not be loaded: ARMILLA_LIBRARIES names no folder on this rank");
  if (library.empty() || library.find('\0') != std::string::npos) refuse(library, "is no file name");
  if (library[0] == '/') refuse(library, "is an absolute path; name it as it is called within a folder of ARMILLA_LIBRARIES");
  bool outside = false;
  std::string wrong;
  for (std::size_t at = 0, end; at <= folders.size(); at = end + 1) {
    end = folders.find(':', at);
    if (end == std::string::npos) end = folders.size();
    const std::string folder = end == at ? std::string() : real_path(folders.substr(at, end - at));
    if (folder.empty()) continue;
    const std::string file = real_path(folder + "/" + library);
    if (file.empty()) continue;
    const std::string inside = folder == "/" ? folder : folder + "/";
    if (file.compare(0, inside.size(), inside) != 0)
      outside = true;  // by .. or by a link
    else if (std::string why; !trusted_path(file, why).empty())
      return file;
    else if (wrong.empty())
      wrong = why;
  }
  if (!wrong.empty() && !outside) refuse(library, ("is not loaded: " + wrong).c_str());
  refuse(library, outside ? "lies outside of the folders that ARMILLA_LIBRARIES allows on this rank"
                          : "is in none of the folders that ARMILLA_LIBRARIES names on this rank");
}

void provide_load(context&) { provide<load_method, &load_here>(); }

}  // namespace detail

future<void> load_library(rank_t dest, const std::string& library) { return call<detail::load_method>(dest, library); }

}  // namespace armilla
