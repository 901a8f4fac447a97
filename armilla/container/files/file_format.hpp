// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "armilla/container/files/files_inline.hpp"

namespace armilla::detail {

/// Why the file is not what the reader takes it for: its first bytes say that it is of another known format. Empty: they do not.
std::string text_of_other_format(int file, const file_use& use);

}  // namespace armilla::detail
