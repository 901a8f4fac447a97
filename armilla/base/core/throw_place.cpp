// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/core/throw_place.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "armilla/base/core/call_stack.hpp"
#include "armilla/base/values/put_text.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

/// The last exception of this thread that has passed a `passing`.
struct last_passed {
  const void* object = nullptr;
  std::uint32_t mark = 0;  // in front of it: another one may come to have its address
  call_stack calls;
};

/// Allocated with the first exception of a thread: thread-local variables of a program that is loaded as a library, once for each
/// rank of a simulator, take of some 1,600 bytes that all of them share.
class last_of_thread {
 public:
  constexpr last_of_thread() noexcept = default;
  last_of_thread(const last_of_thread&) = delete;
  last_of_thread& operator=(const last_of_thread&) = delete;
  ~last_of_thread() { delete std::exchange(last_, nullptr); }

  const last_passed* get() const noexcept { return last_; }
  /// None: there is no memory.
  last_passed* made() noexcept {
    if (last_ == nullptr) last_ = new (std::nothrow) last_passed;
    return last_;
  }

 private:
  last_passed* last_ = nullptr;
};
thread_local constinit last_of_thread last;

#ifdef __GLIBCXX__

/// What g++'s runtime has in front of an exception, as the C++ ABI defines it (Itanium C++ ABI: Exception Handling, 2.2.1).
struct exception_header {
  void* type_and_handlers[5];
  int counts[2];
  void* found_handler[4];
  _Unwind_Exception unwinding;
};
static_assert(sizeof(exception_header) == 112, "the layout on 64 bits");

/// In front of that is a count of references, of 4 bytes at a multiple of 8. The 4 bytes between them are unused, and 0 in each
/// new exception, as the runtime clears all of this.
std::atomic_ref<std::uint32_t> mark_of(const void* exception) noexcept {
  auto* const header = static_cast<exception_header*>(const_cast<void*>(exception)) - 1;
  return std::atomic_ref(reinterpret_cast<std::uint32_t*>(header)[-1]);
}

std::uint32_t new_mark() noexcept {
  static constinit std::atomic<std::uint32_t> marks = 0;
  std::uint32_t mark = 0;
  while (mark == 0) mark = marks.fetch_add(1, std::memory_order_relaxed) + 1;
  return mark;
}

bool is_last(const void* exception) noexcept {
  const last_passed* const known = last.get();
  return exception != nullptr && known != nullptr && exception == known->object &&
         mark_of(exception).load(std::memory_order_relaxed) == known->mark;
}

#else

bool is_last(const void*) noexcept { return false; }

#endif

std::string_view name_of(const dl_phdr_info& module) noexcept {
  const std::string_view path = module.dlpi_name[0] != 0 ? module.dlpi_name : program_invocation_short_name;
  return path.substr(path.rfind('/') + 1);
}

class hash {
 public:
  void add(const void* bytes, std::size_t n) noexcept {
    for (std::size_t i = 0; i < n; ++i) value_ = (value_ ^ static_cast<const unsigned char*>(bytes)[i]) * 0x100000001b3;
  }
  std::uint64_t value() const noexcept { return value_ | 1; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

bool holds(const dl_phdr_info& module, std::uintptr_t at) noexcept {
  return std::ranges::any_of(std::span(module.dlpi_phdr, module.dlpi_phnum), [&](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_LOAD && at - (module.dlpi_addr + segment.p_vaddr) < segment.p_memsz;
  });
}

// By its headers and its notes, in which linkers write a hash of all the rest (the build ID). Notes that are in
// no mapped part of the file cannot be read.
std::uint64_t number_of(const dl_phdr_info& module) noexcept {
  hash all;
  for (const ElfW(Phdr) & segment : std::span(module.dlpi_phdr, module.dlpi_phnum)) {
    all.add(&segment, sizeof segment);
    const std::uintptr_t at = module.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_NOTE && holds(module, at)) all.add(reinterpret_cast<const void*>(at), segment.p_memsz);
  }
  return all.value();
}

// The file that is loaded there. dl_iterate_phdr would wait while another thread of the process looks up names, which it does in
// there for some 100 ms.
bool find_module(std::uintptr_t at, dl_phdr_info& module) noexcept {
  Dl_info where;
  void* entry = nullptr;
  if (dladdr1(reinterpret_cast<void*>(at), &where, &entry, RTLD_DL_LINKMAP) == 0 || entry == nullptr) return false;
  const auto* const header = static_cast<const ElfW(Ehdr)*>(where.dli_fbase);
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return false;
  const auto* const file = static_cast<const link_map*>(entry);
  module.dlpi_addr = file->l_addr;
  module.dlpi_name = file->l_name;
  module.dlpi_phdr = reinterpret_cast<const ElfW(Phdr)*>(reinterpret_cast<const char*>(header) + header->e_phoff);
  module.dlpi_phnum = header->e_phnum;
  return true;
}

// The addresses of the one file in which the innermost lies that may be the user's.
throw_place place_from(const call_stack& calls) noexcept {
  const std::span all(calls.address.data(), static_cast<std::size_t>(calls.size));
  const auto first = std::ranges::find_if(all, may_be_own);
  throw_place place;
  dl_phdr_info module{};
  if (first == all.end() || !find_module(*first, module)) return place;
  place.module = number_of(module);
  put_text(place.file, name_of(module));
  for (auto at = first; at != all.end() && place.size < throw_place::most; ++at)
    if (holds(module, *at)) place.offset[place.size++] = static_cast<std::uint32_t>(*at - module.dlpi_addr);
  return place;
}

const void* object_of(const std::exception_ptr& thrown) noexcept {
  static_assert(sizeof thrown == sizeof(void*));
  const void* object;
  std::memcpy(&object, &thrown, sizeof object);
  return object;
}

}  // namespace

#ifdef __GLIBCXX__

// The personality routine of g++'s and clang++'s functions asks the type of each `catch` whether it takes what is thrown, before
// anything is unwound. The linker takes this object for the type of `passing`. An exception that is thrown on keeps the place
// where it was thrown first. Of a pointer that is thrown, the routine gives the value alone, which is not in the memory of an
// exception.
class asks_where final : public std::type_info {
 public:
  asks_where() noexcept : std::type_info("N7armilla6detail7passingE") {}
  bool __do_catch(const std::type_info* thrown, void** object, unsigned) const override {
    if (is_last(*object)) return false;
    last_passed* const noted = last.made();
    if (noted == nullptr) return false;
    noted->object = thrown->__is_pointer_p() ? nullptr : *object;
    if (noted->object == nullptr) return false;
    noted->mark = new_mark();
    mark_of(noted->object).store(noted->mark, std::memory_order_relaxed);
    noted->calls = take_call_stack();
    return false;
  }
};

[[gnu::visibility("default")]] extern const asks_where of_passing __asm__("_ZTIN7armilla6detail7passingE");
const asks_where of_passing;

#else
passing::~passing() = default;
#endif

std::string own_frame(const throw_place& from) {
  struct {
    const throw_place& from;
    call_stack calls;
  } search{from, {}};
  const auto look = [](dl_phdr_info* module, std::size_t, void* search_) {
    auto& [place, calls] = *static_cast<decltype(search)*>(search_);
    if (number_of(*module) != place.module) return 0;
    for (std::uint32_t i = 0; i < std::min(place.size, throw_place::most); ++i)
      calls.address[static_cast<std::size_t>(calls.size++)] = module->dlpi_addr + place.offset[i];
    return 1;
  };
  if (from.module != 0) dl_iterate_phdr(look, &search);
  const call_stack& calls = search.calls;
  if (calls.size != 0 || from.module == 0) return own_frame(calls);
  char offset[24];  // of another program: for addr2line
  std::snprintf(offset, sizeof offset, "+0x%x", from.offset[0]);
  return "in " + std::string(from.file, strnlen(from.file, sizeof from.file)) + offset;
}

const call_stack* calls_of_throw(const std::exception_ptr& thrown) noexcept {
  return is_last(object_of(thrown)) ? &last.get()->calls : nullptr;
}

throw_place place_of_throw(const std::exception_ptr& thrown) noexcept {
  const call_stack* calls = calls_of_throw(thrown);
  try {
    if (thrown != nullptr) std::rethrow_exception(thrown);
  } catch (const remote_error& e) { return error_places::other(e); } catch (const error& e) {
    if (calls == nullptr) calls = &error_places::own(e);
  } catch (...) {}
  return calls != nullptr ? place_from(*calls) : throw_place{};
}

}  // namespace armilla::detail
