# SPDX-License-Identifier: Apache-2.0
# What a toolchain file for another architecture includes, behind ARMILLA_TRIPLE and ARMILLA_DEBIAN (Debian's name for it): Debian's cross
# compiler, the libraries that tools/sysroot unpacks into build/sysroot-<name> (-DCMAKE_SYSROOT=FOLDER: another folder), and qemu-user, under
# which tests and whatever a build itself runs are run.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_CXX_COMPILER "${ARMILLA_TRIPLE}-g++" CACHE STRING "The cross compiler")
set(CMAKE_LIBRARY_ARCHITECTURE "${ARMILLA_TRIPLE}")
if(NOT CMAKE_SYSROOT)
  cmake_path(SET CMAKE_SYSROOT NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../build/sysroot-${ARMILLA_DEBIAN}")
endif()
if(NOT EXISTS "${CMAKE_SYSROOT}/usr/include")
  message(FATAL_ERROR "No libraries for ${CMAKE_SYSTEM_PROCESSOR} in ${CMAKE_SYSROOT}: tools/sysroot ${ARMILLA_DEBIAN} build/sysroot-${ARMILLA_DEBIAN} unpacks them")
endif()
# Libraries and headers are the other architecture's, programs this machine's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
find_program(ARMILLA_EMULATOR NAMES qemu-${CMAKE_SYSTEM_PROCESSOR} qemu-${CMAKE_SYSTEM_PROCESSOR}-static)
if(ARMILLA_EMULATOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${ARMILLA_EMULATOR};-L;${CMAKE_SYSROOT}")
endif()
