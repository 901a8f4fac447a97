// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/core/call_stack.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <initializer_list>
#include <string_view>

#include "armilla/base/values/put_text.hpp"
#include "armilla/error.hpp"

#if ARMILLA_HAS_BACKTRACE
// Of libbacktrace, which is part of g++. clang++ finds the library, but not the header.
extern "C" {
struct backtrace_state;
using backtrace_error_callback = void (*)(void* data, const char* message, int number);
using backtrace_full_callback = int (*)(void* data, std::uintptr_t at, const char* file, int line, const char* function);
using backtrace_syminfo_callback = void (*)(void* data, std::uintptr_t at, const char* name, std::uintptr_t value,
                                            std::uintptr_t size);
backtrace_state* backtrace_create_state(const char* file, int threaded, backtrace_error_callback on_error, void* data);
int backtrace_pcinfo(backtrace_state* state, std::uintptr_t at, backtrace_full_callback call, backtrace_error_callback on_error,
                     void* data);
int backtrace_syminfo(backtrace_state* state, std::uintptr_t at, backtrace_syminfo_callback call,
                      backtrace_error_callback on_error, void* data);
}
#endif

namespace armilla::detail {
namespace {

constexpr std::size_t longest_name = 120;

/// A function of the program text: what a frame is, or was before it was inlined into another. Without allocations, as a handler
/// of SIGSEGV looks for it, too.
struct source_place {
  char file[128] = "";  // without its folder; empty: compiled without -g
  int line = 0;
  char function[1024] = "";  // mangled
  std::uintptr_t offset = 0;
};

bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> starts) noexcept {
  return std::ranges::any_of(starts, [&](std::string_view s) { return text.starts_with(s); });
}

// By the mangled name, which begins with the namespace, after a Z for each function that it is local to. C's names are the
// user's.
bool is_of_a_library(std::string_view mangled) noexcept {
  if (mangled.find("__gthread_") != mangled.npos) return true;  // locks of libstdc++
  if (!mangled.starts_with("_Z"))  // what throws and unwinds may be linked into the program, or be a sanitizer's
    return mangled == "_start" || begins_with_any(mangled, {"__cxa_", "__gxx_", "_Unwind_", "__interceptor_", "___interceptor_"});
  mangled.remove_prefix(std::min(mangled.find_first_not_of('Z', 1), mangled.size()));
  if (mangled.starts_with('N'))
    mangled.remove_prefix(std::min(mangled.find_first_not_of("VKRO", 1), mangled.size()));  // const &&
  return begins_with_any(mangled, {"7armilla", "St", "9__gnu_cxx"});
}

// This file's name without "base/core/call_stack.cpp": where Armilla's headers lie, unless they are installed.
constexpr std::string_view own_folder = std::string_view(__FILE__).substr(0, sizeof __FILE__ - sizeof "base/core/call_stack.cpp");

// The compiler may have been given a name relative to the build folder, while debug information has the whole path.
bool lies_in_own_folder(std::string_view file) noexcept {
  if (own_folder.starts_with('/')) return file.starts_with(own_folder);
  const std::size_t up = own_folder.rfind("./");
  const std::string_view folder = own_folder.substr(up == own_folder.npos ? 0 : up + 2);
  for (std::size_t at = file.find(folder); at != file.npos; at = file.find(folder, at + 1))
    if (at == 0 || file[at - 1] == '/') return true;
  return false;
}

// A member function may have no mangled name in the debug information.
bool is_of_a_library(std::string_view function, std::string_view file) noexcept {
  if (is_of_a_library(function)) return true;
  if (function.starts_with("_Z")) return false;
  return lies_in_own_folder(file) || file.find("/include/armilla/") != file.npos || file.find("/include/c++/") != file.npos;
}

#if ARMILLA_HAS_BACKTRACE

void ignore(void*, const char*, int) {}

backtrace_state* symbols() noexcept {
  static backtrace_state* const state = backtrace_create_state(nullptr, 1, ignore, nullptr);
  return state;
}

// Of the functions at `at`, the innermost that is the user's: several where some were inlined.
bool find_place(std::uintptr_t at, source_place& place) noexcept {
  if (symbols() == nullptr) return false;
  struct search {
    source_place& place;
    bool any = false, own = false, last = false;
  } found{place};
  backtrace_pcinfo(
      symbols(), at,
      [](void* data, std::uintptr_t, const char* file, int line, const char* function) {
        search& s = *static_cast<search*>(data);
        if (file == nullptr || function == nullptr) return 0;
        s.any = true;
        s.last = !s.own;
        if (s.own || is_of_a_library(function, file)) return 0;
        s.own = true;
        const std::string_view path = file;
        put_text(s.place.file, path.substr(path.rfind('/') + 1));
        put_text(s.place.function, function);
        s.place.line = line;
        return 0;
      },
      ignore, &found);
  if (found.any && !(found.own && found.last)) return found.own;
  backtrace_syminfo(  // there is no debug information, or a local function has a short name in it
      symbols(), at,
      [](void* data, std::uintptr_t pc, const char* name, std::uintptr_t value, std::uintptr_t) {
        search& s = *static_cast<search*>(data);
        if (name == nullptr || (!s.own && is_of_a_library(name))) return;
        s.own = true;
        put_text(s.place.function, name);
        s.place.offset = pc - value;
      },
      ignore, &found);
  return found.own;
}

#else

bool find_place(std::uintptr_t at, source_place& place) noexcept {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(at), &info) == 0 || info.dli_sname == nullptr || is_of_a_library(info.dli_sname))
    return false;
  put_text(place.function, info.dli_sname);
  place.offset = at - reinterpret_cast<std::uintptr_t>(info.dli_saddr);
  return true;
}

#endif

// Of main::{lambda(double)#1}::operator()[abi:cxx11](double) const what a reader needs: main::{lambda(double)#1}.
std::string readable(const char* mangled) {
  std::string name = demangle(mangled);
  constexpr std::string_view abi = "[abi:cxx11]";
  for (std::size_t at; (at = name.find(abi)) != name.npos;) name.erase(at, abi.size());
  const bool lambda = name.find("}::operator()(") != name.npos || name.find("::$_") != name.npos;
  if (const std::size_t call = name.rfind("::operator()("); lambda && call != name.npos) name.resize(call);
  if (name.size() > longest_name) name.replace(longest_name - 3, name.npos, "...");
  return name;
}

std::string described(const source_place& p) {
  if (p.line > 0) {
    std::string name = readable(p.function);
    name.resize(std::min(name.find(" [clone "), name.size()));  // which part of it the compiler has put elsewhere
    return std::string(p.file) + ":" + std::to_string(p.line) + ", in " + name;
  }
  char offset[24];
  std::snprintf(offset, sizeof offset, "+0x%zx", static_cast<std::size_t>(p.offset));
  return "in " + readable(p.function) + offset;
}

}  // namespace

// By where they lie; the program itself may lie there, too.
bool may_be_own(std::uintptr_t at) noexcept {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(at), &info) == 0 || info.dli_fname == nullptr) return false;
  const std::string_view file = info.dli_fname;
  return file.find(".so") == file.npos || !begins_with_any(file, {"/lib", "/usr/lib"});
}

static constinit std::atomic<std::string (*)() noexcept> language = nullptr;

void take_no_call_stacks(std::string (*waits)() noexcept) noexcept { language.store(waits, std::memory_order_relaxed); }

std::string lines_of_language() {
  std::string (*const waits)() noexcept = language.load(std::memory_order_relaxed);
  return waits != nullptr ? waits() : "";
}

call_stack take_call_stack() noexcept {
  if (language.load(std::memory_order_relaxed) != nullptr) return {};
  struct taken {
    call_stack calls;
    int skip = 1;
  } all;
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* data) {
        taken& t = *static_cast<taken*>(data);
        int before = 0;  // at a signal's frame the address is that of the instruction itself
        const std::uintptr_t at = _Unwind_GetIPInfo(frame, &before);
        if (at == 0 || t.calls.size == call_stack::most) return _URC_END_OF_STACK;
        if (t.skip-- <= 0) t.calls.address[static_cast<std::size_t>(t.calls.size++)] = before != 0 ? at : at - 1;
        return _URC_NO_REASON;
      },
      &all);
  return all.calls;
}

namespace {

bool find_own(const call_stack& calls, source_place& place) noexcept {
  for (int i = 0; i < calls.size; ++i) {
    const std::uintptr_t at = calls.address[static_cast<std::size_t>(i)];
    if (may_be_own(at) && find_place(at, place)) return true;
  }
  return false;
}

}  // namespace

std::string own_frame(const call_stack& calls) {
  source_place place;
  return find_own(calls, place) ? described(place) : "";
}

std::string at_own_frame(std::string frame) { return frame.empty() || frame.starts_with("in ") ? frame : "at " + frame; }

namespace {

void print(std::string_view line) noexcept {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

// What C++ calls the function takes memory, and its allocator may be what broke, or be locked: a copy of the process finds it.
bool copy_says([[maybe_unused]] const char* before, [[maybe_unused]] const source_place& place) noexcept {
#if __GLIBC_PREREQ(2, 34)
  const pid_t copy = _Fork();
  if (copy == 0) {
    signal(SIGALRM, SIG_DFL);
    alarm(2);
    print(std::string(before) + (place.line > 0 ? " at " : " ") + described(place) + "\n");
    _exit(0);
  }
  int status = -1;
  while (copy > 0 && waitpid(copy, &status, 0) < 0)
    if (errno != EINTR) return true;  // the program lets others wait for its children
  return status == 0;
#else
  return false;
#endif
}

}  // namespace

void say_own_frame(const call_stack& calls, const char* before) noexcept {
  source_place place;
  if (!find_own(calls, place) || copy_says(before, place)) return;
  char text[1400];
  const int n = place.line > 0 ? std::snprintf(text, sizeof text, "%s at %s:%d\n", before, place.file, place.line)
                               : std::snprintf(text, sizeof text, "%s in %s+0x%zx\n", before, place.function,
                                               static_cast<std::size_t>(place.offset));
  print({text, std::min(sizeof text - 1, static_cast<std::size_t>(std::max(n, 0)))});
}

}  // namespace armilla::detail
