// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/backends.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "armilla/base/core/helper_thread.hpp"
#include "armilla/base/host/trusted_file.hpp"
#include "armilla/error.hpp"

// Where a project builds Armilla along with itself: build_tree.cpp.
extern "C" [[gnu::weak]] const char armilla_backends_of_build_tree[];

namespace armilla::detail {
namespace {

std::string folder_of(std::string_view file) { return std::string(file.substr(0, file.rfind('/'))); }

std::string folder_of_executable() {
  char path[4096];
  const auto n = readlink("/proc/self/exe", path, sizeof path);
  return n <= 0 || std::size_t(n) == sizeof path ? std::string() : folder_of({path, std::size_t(n)});
}

// Of libarmilla.so, wherever it has been moved to; empty: this is part of the executable, or of a library without a path.
std::string folder_of_library() {
  Dl_info info{};
  link_map* image = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&folder_of_library), &info, reinterpret_cast<void**>(&image), RTLD_DL_LINKMAP) == 0)
    return {};
  const std::string_view file = image != nullptr ? image->l_name : "";
  return file.find('/') == file.npos ? std::string() : folder_of(file);
}

void add(std::vector<std::string>& folders, std::string folder) {
  if (!folder.empty() && std::ranges::find(folders, folder) == folders.end()) folders.push_back(std::move(folder));
}

std::string all_of(const std::vector<std::string>& folders) { return fmt::format("{}", fmt::join(folders, ", ")); }

backend failed(std::string file, std::string why) { return {nullptr, std::move(file), std::move(why)}; }

// Networks start threads, and some end the process where they cannot.
std::string why_no_thread() try {
  start_helper_thread("trial", [] {}).join();
  return {};
} catch (const error& why) { return why.what(); }

backend load(const std::string& file) {
  void* const image = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (image == nullptr) {
    const char* const why = dlerror();
    return failed(file, fmt::format("{} cannot be loaded: {}", file, why != nullptr ? why : "no reason given"));
  }
  const auto describe = reinterpret_cast<plugin_function>(dlsym(image, plugin_symbol));
  const plugin* const found = describe != nullptr ? describe() : nullptr;
  if (found == nullptr) return failed(file, fmt::format("{} is no backend: it has no {}()", file, plugin_symbol));
  if (found->version != plugin::good_version)
    return failed(file,
                  fmt::format("{} is of version {} of the backends' interface, this program of version {}; build both from one "
                              "version of Armilla",
                              file, found->version, plugin::good_version));
  return {found, file, {}};
}

}  // namespace

std::vector<std::string> backend_folders(std::string_view named) {
  std::vector<std::string> folders;
  for (std::size_t at = 0; at <= named.size();) {
    const std::size_t end = std::min(named.find(':', at), named.size());
    add(folders, std::string(named.substr(at, end - at)));
    at = end + 1;
  }
  if (const std::string here = folder_of_library(); !here.empty()) add(folders, here + "/armilla");
  if (const std::string here = folder_of_executable(); !here.empty())
    for (const char* beside : {ARMILLA_BACKENDS_BESIDE, "/../lib/armilla", "/../../lib/armilla", "/lib/armilla"})
      add(folders, here + beside);
  if (armilla_backends_of_build_tree != nullptr) add(folders, armilla_backends_of_build_tree);
  add(folders, ARMILLA_INSTALLED_BACKENDS);
  return folders;
}

std::string find_backend(std::string_view name, const std::vector<std::string>& folders, std::string& problem) {
  const std::string base = fmt::format("libarmilla-{}.so", name);
  for (const auto& folder : folders) {
    std::string file = folder + "/" + base, wrong;
    std::string real = trusted_path(file, wrong);
    if (real.empty() && access(file.c_str(), F_OK) != 0) continue;  // a folder that is not trusted, and without the file
    if (wrong.empty()) return real;
    problem = fmt::format("{} is not loaded: {}", file, wrong);
    return {};
  }
  problem = fmt::format("{} is in none of {}; ARMILLA_BACKENDS names other folders", base, all_of(folders));
  return {};
}

backend load_backend(std::string_view name, const std::vector<std::string>& folders) {
  std::string problem;
  const std::string file = find_backend(name, folders, problem);
  if (file.empty()) return failed({}, problem);
  if (const std::string wrong = why_no_thread(); !wrong.empty())
    return failed(file, fmt::format("{} is not loaded: {}", file, wrong));
  return load(file);
}

}  // namespace armilla::detail
