// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/member_pointer.hpp"

#include <string>

#include "armilla/base/error.hpp"

namespace armilla::detail {
namespace {

// Which word says that a method is virtual depends on the processor: where functions may have odd addresses, it is the other one.
#if defined(__arm__) || defined(__aarch64__)
constexpr bool mark_in_adjust = true;
#else
constexpr bool mark_in_adjust = false;
#endif

constexpr std::uint64_t most_slot_bytes = 1 << 16;  // more virtual methods than any class has

bool is_virtual(method_words m) noexcept { return ((mark_in_adjust ? std::uintptr_t(m.adjust) : m.code) & 1) != 0; }
bool is_null(method_words m) noexcept { return m.code == 0 && !is_virtual(m); }
std::ptrdiff_t bytes_of_adjust(std::ptrdiff_t adjust) noexcept { return mark_in_adjust ? adjust >> 1 : adjust; }

[[noreturn]] void throw_null(const char* operation) {
  throw_usage(operation, "the pointer to a member is null; pass one of a member of the object's class");
}
[[noreturn]] void throw_no_member_there(const member_place& place) {
  throw_decode(no_rank, "call",
               "a pointer to a member (image " + std::to_string(place.image) + ", offset " + std::to_string(place.offset) +
                   ", adjustment " + std::to_string(place.adjust) + ") names no member of the object's class");
}

}  // namespace

member_place place_of_method(method_words method, const char* operation) {
  if (is_null(method)) throw_null(operation);
  if (is_virtual(method)) return {member_place::in_slot, method.code - (mark_in_adjust ? 0 : 1), method.adjust};
  const function_place at = place_of_function(reinterpret_cast<const void*>(method.code), operation);
  return {at.image, at.offset, method.adjust};
}

member_place place_of_data(std::ptrdiff_t offset, const char* operation) {
  if (offset < 0) throw_null(operation);
  return {member_place::in_object, std::uint64_t(offset), 0};
}

method_words method_at(const member_place& place, std::size_t bytes) {
  const std::ptrdiff_t adjust = bytes_of_adjust(place.adjust);
  if (adjust < 0 || std::size_t(adjust) >= bytes || place.image == member_place::in_object) throw_no_member_there(place);
  if (place.image != member_place::in_slot) {
    const void* const code = function_at({place.image, place.offset}, no_rank);
    return {reinterpret_cast<std::uintptr_t>(code), place.adjust};
  }
  if (place.offset % sizeof(void*) != 0 || place.offset >= most_slot_bytes) throw_no_member_there(place);
  return {std::uintptr_t(place.offset) + (mark_in_adjust ? 0 : 1), place.adjust};
}

std::ptrdiff_t data_at(const member_place& place, std::size_t bytes, std::size_t member_bytes) {
  if (place.image != member_place::in_object || member_bytes > bytes || place.offset > bytes - member_bytes)
    throw_no_member_there(place);
  return std::ptrdiff_t(place.offset);
}

}  // namespace armilla::detail
