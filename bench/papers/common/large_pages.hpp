// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>

namespace papers {

/// Has the system back an array with large pages, as far as it fills them: what is left at both ends, or all of it where the
/// system refuses, keeps its small ones. Its values stay; its pages are there afterwards. For arrays that are walked through at
/// many places at once, or faster than small pages can be looked up; by hand and for Armilla alike, in private memory and in
/// segments, and before the clock runs.
void in_large_pages(std::span<std::byte> bytes) noexcept;

template <class T>
void in_large_pages(std::span<T> array) noexcept {
  in_large_pages(std::as_writable_bytes(array));
}

}  // namespace papers
