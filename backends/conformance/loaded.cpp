// SPDX-License-Identifier: Apache-2.0
#include "backends/conformance/loaded.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace conformance {
namespace {

[[noreturn]] void die(const char* path, const char* why) {
  std::fprintf(stderr, "conformance: %s: %s\n", path, why);
  std::exit(2);
}

}  // namespace

void* symbol_of(const char* path, const char* name) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) die(path, dlerror());
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) die(path, dlerror());
  return symbol;
}

const plugin& load(const char* path) {
  const auto describe = reinterpret_cast<armilla::detail::plugin_function>(symbol_of(path, armilla::detail::plugin_symbol));
  const plugin& description = *describe();
  if (description.version != plugin::good_version) die(path, "another version of plugin.hpp");
  return description;
}

void held_memory::offer_to(network& net) {
  void* const pages = mmap(nullptr, parts * part_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) die("memory", "there is none");
  base = static_cast<std::byte*>(pages);
  for (unsigned part = 0; part < parts; ++part) net.hold(base + part * part_bytes, part_bytes);
}

void joined::open(const char* path, const char* boot_path, bootstrap* together) {
  char why[512] = "";
  const plugin& carries = load(path);
  const plugin& starts = boot_path != nullptr ? load(boot_path) : carries;
  if (carries.open == nullptr) die(path, "has no open");
  if (together == nullptr && starts.join == nullptr) die(path, "has no join; name another one by --bootstrap, or say --ranks N");
  boot = together != nullptr ? together : starts.join(why, sizeof why);
  if (boot == nullptr) die(path, why);
  rank = boot->rank();
  ranks = boot->ranks();
  if (rank < 0 || rank >= ranks) fail("rank %d of %d", rank, ranks);
  net = carries.open(rank, ranks, settings, together == nullptr && &starts == &carries ? boot : nullptr, why, sizeof why);
  if (net == nullptr) fail("%s: %s", path, why);
  memory.offer_to(*net);
  if (const std::size_t bytes = net->address_bytes(); bytes != 0) {
    static std::vector<std::byte> all;
    all.resize(bytes * std::size_t(ranks));
    if (!boot->exchange(net->address(), all.data(), bytes)) fail("exchange of addresses: %s", boot->error());
    net->set_addresses(all.data());
  }
}

void joined::close() {
  if (!boot->meet()) fail("last meeting: %s", boot->error());
  net->finish();
  if (!boot->meet()) fail("meeting behind the network's end: %s", boot->error());
  boot->finish();
  delete net;
  delete boot;
}

void joined::fail(const char* format, ...) const {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "conformance: rank %d of %d: %s\n", rank, ranks, text);
  boot->abort(1);
  std::abort();  // g++ 12 does not see that a virtual function does not return
}

}  // namespace conformance
