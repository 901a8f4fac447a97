// SPDX-License-Identifier: Apache-2.0
#include "armilla/member_pointer.hpp"

#include <fmt/format.h>

#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t most_slot_bytes = 1 << 16;  // more virtual methods than any class has

[[noreturn]] void throw_null(const char* operation) {
  throw_usage(operation, "the pointer to a member is null; pass one of a member of the object's class");
}
[[noreturn]] void throw_no_member_there(member_place place) {
  throw_decode(no_rank, "call",
               fmt::format("a pointer to a member (image {}, offset {}, adjustment {}) names no member of the object's class",
                           place.image(), place.offset(), place.adjust()));
}

member_place pack(std::uint64_t image, std::uint64_t offset, std::ptrdiff_t adjust, const char* operation) {
  const bool known = image < member_place::in_object || image == member_place::in_slot;
  if (!known || offset >> member_place::offset_bits != 0 || std::uint64_t(adjust) >> member_place::adjust_bits != 0)
    throw_usage(operation,
                fmt::format("the pointer to a method (image {}, offset {}, in a base {} bytes inside of the object) does not fit "
                            "into a message; name the method at compile time instead, {}<&T::method>",
                            image, offset, adjust, operation));
  return member_place::at(image, adjust, offset);
}

}  // namespace

member_place rare_place_of_method(method_words method, const char* operation) {
  if (method.is_null()) throw_null(operation);
  if (method.is_virtual())
    return pack(member_place::in_slot, method.code - (method.mark_in_adjust ? 0 : 1), method.adjust, operation);
  const function_place at = place_of_function(reinterpret_cast<const void*>(method.code), operation);
  return pack(at.image, at.offset, method.adjust, operation);
}

member_place place_of_data(std::ptrdiff_t offset, const char* operation) {
  if (offset < 0) throw_null(operation);
  if (offset >> member_place::offset_bits != 0)
    throw_usage(operation, fmt::format("the member lies {} bytes inside of its object; at most 256 GiB", offset));
  return member_place::at(member_place::in_object, 0, std::uint64_t(offset));
}

method_words rare_method_at(member_place place, std::size_t bytes) {
  method_words method{0, place.adjust()};
  if (!method.adjusts_within(bytes) || place.image() == member_place::in_object) throw_no_member_there(place);
  if (place.image() == member_place::in_slot) {
    if (place.offset() % sizeof(void*) != 0 || place.offset() >= most_slot_bytes) throw_no_member_there(place);
    method.code = std::uintptr_t(place.offset()) + (method.mark_in_adjust ? 0 : 1);
    if (!method.is_virtual()) throw_no_member_there(place);
  } else {
    method.code = reinterpret_cast<std::uintptr_t>(function_at({place.image(), place.offset()}, no_rank));
    if (method.is_virtual()) throw_no_member_there(place);
  }
  return method;
}

std::ptrdiff_t data_at(member_place place, std::size_t bytes, std::size_t member_bytes) {
  if (place.image() != member_place::in_object || member_bytes > bytes || place.offset() > bytes - member_bytes)
    throw_no_member_there(place);
  return std::ptrdiff_t(place.offset());
}

}  // namespace armilla::detail
