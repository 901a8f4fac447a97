# SPDX-License-Identifier: Apache-2.0
# ARMILLA_PLACES_LIBRARY: what finds source lines for addresses, libbacktrace, which is part of g++; empty where the compiler has none: errors then
# name functions that the program exports, and no lines.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libbacktrace.a OUTPUT_VARIABLE ARMILLA_BACKTRACE OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(ARMILLA_PLACES_LIBRARY "")
if(IS_ABSOLUTE "${ARMILLA_BACKTRACE}")
  set(ARMILLA_PLACES_LIBRARY -lbacktrace)
endif()
