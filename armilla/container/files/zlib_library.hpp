// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <dlfcn.h>

#include <string>

#include <fmt/format.h>

#if __has_include(<zlib.h>)
#include <zlib.h>
#define ARMILLA_HAS_ZLIB 1
#else
#define ARMILLA_HAS_ZLIB 0
#endif

/// zlib, loaded when the first file needs it.
namespace armilla::detail {

/// A library of the system, loaded once and never unloaded.
class system_library {
 public:
  explicit system_library(const char* name) : image_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (image_ != nullptr) return;
    const char* const why = ::dlerror();
    wrong_ = fmt::format("{} cannot be loaded: {}", name, why != nullptr ? why : "no reason given");
  }
  template <class F>
  void find(F& function, const char* name) {
    if (image_ == nullptr) return;
    function = reinterpret_cast<F>(::dlsym(image_, name));
    if (function == nullptr && wrong_.empty()) wrong_ = fmt::format("it has no function {}", name);
  }
  const std::string& wrong() const noexcept { return wrong_; }

 private:
  void* image_;
  std::string wrong_;
};

/// What this library uses of zlib. `wrong`: why it cannot.
#if ARMILLA_HAS_ZLIB
struct zlib_functions {
  decltype(&::inflateInit2_) init = nullptr;
  decltype(&::inflateReset) reset = nullptr;
  decltype(&::inflate) inflate = nullptr;
  decltype(&::inflateEnd) end = nullptr;
  decltype(&::deflateInit2_) init_packing = nullptr;
  decltype(&::deflateReset) reset_packing = nullptr;
  decltype(&::deflate) deflate = nullptr;
  decltype(&::deflateEnd) end_packing = nullptr;
  decltype(&::crc32) checksum = nullptr;
  decltype(&::crc32_combine) combine = nullptr;
  std::string wrong;

  zlib_functions() {
    system_library library("libz.so.1");
    library.find(init, "inflateInit2_"), library.find(reset, "inflateReset");
    library.find(inflate, "inflate"), library.find(end, "inflateEnd");
    library.find(init_packing, "deflateInit2_"), library.find(reset_packing, "deflateReset");
    library.find(deflate, "deflate"), library.find(end_packing, "deflateEnd"), library.find(checksum, "crc32");
    library.find(combine, "crc32_combine");
    wrong = library.wrong();
  }
};
inline const zlib_functions& zlib() {
  static const zlib_functions all;
  return all;
}
#endif

}  // namespace armilla::detail
