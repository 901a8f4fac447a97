// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/files/file_plugin.hpp"

#include <dlfcn.h>

#include <fmt/format.h>

#include "armilla/base/core/context.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/fabric/backends.hpp"

namespace armilla::detail {

/// Ranks that are threads may come at the same time.
const void* load_file_plugin(const file_plugin& plugin, std::string& wrong) {
  const std::string file = find_backend(plugin.name, backend_folders(here(plugin.name).settings->backends), wrong);
  if (file.empty()) {
    wrong = fmt::format("{} is not available: {}; build Armilla where {} is installed", plugin.format, wrong, plugin.package);
    return nullptr;
  }
  void* const image = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto get = image == nullptr ? nullptr : reinterpret_cast<const void* (*)()>(::dlsym(image, plugin.symbol));
  if (get == nullptr) {
    const char* const why = ::dlerror();
    wrong = fmt::format("{} is not available: {}", plugin.format, why != nullptr ? why : file);
    return nullptr;
  }
  return get();
}

std::string text_of_other_version(const file_plugin& plugin) {
  return fmt::format("{} is not available: libarmilla-{}.so is of another version of Armilla; build both from the same sources",
                     plugin.format, plugin.name);
}

}  // namespace armilla::detail
