# SPDX-License-Identifier: Apache-2.0
# Toolchain: aarch64 by Debian's cross compiler. The preset aarch64 takes it; see cross.cmake.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(ARMILLA_TRIPLE aarch64-linux-gnu)
set(ARMILLA_DEBIAN arm64)
include("${CMAKE_CURRENT_LIST_DIR}/cross.cmake")
