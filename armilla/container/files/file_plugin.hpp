// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

/// Plug-ins that know a format of files. They are found as backends are, loaded when a program needs them, and stay loaded.
namespace armilla::detail {

struct file_plugin {
  const char* name;     ///< libarmilla-NAME.so
  const char* symbol;   ///< its function, which returns what it offers
  const char* format;   ///< in errors: "HDF5"
  const char* package;  ///< what Armilla is built with to have it
};

/// What the function returns, or null: `wrong` says why. A rank calls it.
const void* load_file_plugin(const file_plugin& plugin, std::string& wrong);
std::string text_of_other_version(const file_plugin& plugin);

/// The same as an engine of this version of the library.
template <class Engine>
const Engine* load_engine(const file_plugin& plugin, std::string& wrong) {
  const auto* const engine = static_cast<const Engine*>(load_file_plugin(plugin, wrong));
  if (engine == nullptr || engine->version == Engine::good_version) return engine;
  wrong = text_of_other_version(plugin);
  return nullptr;
}

}  // namespace armilla::detail
