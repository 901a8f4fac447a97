// SPDX-License-Identifier: Apache-2.0
// What a program and the library that it loads share: names.
#pragma once
#include <armilla/armilla.hpp>

namespace tally_api {
struct tally;
inline constexpr armilla::method<armilla::remote<tally>(int)> make{"consumer.tally.make"};
inline constexpr armilla::method<int(int)> add{"consumer.tally.add"};
inline constexpr armilla::method<void(int)> refuse{"consumer.tally.refuse"};
}  // namespace tally_api
