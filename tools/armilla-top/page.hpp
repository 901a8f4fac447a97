// SPDX-License-Identifier: Apache-2.0
#pragma once
namespace armilla::top {

/// page.html, which the build puts into the program.
extern const char* const page_text;

}  // namespace armilla::top
