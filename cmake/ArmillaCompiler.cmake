# SPDX-License-Identifier: Apache-2.0
# How everything of this project is compiled and linked. What a user of the library must share (C++20, the checked grade,
# the include root) is in armilla_interface; what only we want (warnings, sanitizers) is in armilla_private.
include(CheckCXXCompilerFlag)
include(CheckLinkerFlag)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
  endif()
endif()
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# There are no modules here; the scan for them would only cost time.
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

# A compiler cache and a quick linker, where they are installed.
find_program(ARMILLA_CCACHE ccache)
if(ARMILLA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${ARMILLA_CCACHE}")
endif()
if(ARMILLA_PRECOMPILE AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$") # which keeps what uses precompiled headers only when told to
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
                                  ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
# clang++ compiles tests in half of the time that g++ takes. The library, the tools and the examples keep the compiler of the build, as they are
# what users get. ccache starts the other compiler.
set(armilla_other_compiler)
if(ARMILLA_TEST_COMPILER AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
  find_program(ARMILLA_TEST_COMPILER_FOUND NAMES ${ARMILLA_TEST_COMPILER})
  if(ARMILLA_TEST_COMPILER_FOUND)
    set(armilla_other_compiler "${CMAKE_COMMAND}" -E env "CCACHE_COMPILER=${ARMILLA_TEST_COMPILER_FOUND}" CCACHE_COMPILERTYPE=clang)
  endif()
endif()
if(ARMILLA_COSTS)
  find_program(ARMILLA_TIME NAMES time REQUIRED) # the program, not the shell's word
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/costs")
  list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER "${ARMILLA_TIME}" -q -a -o "${PROJECT_BINARY_DIR}/costs/objects.txt" -f "%U %S %C")
endif()
# armilla_compiled_as_test(<target>): its sources are compiled by ARMILLA_TEST_COMPILER.
function(armilla_compiled_as_test target)
  if(armilla_other_compiler)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${armilla_other_compiler};${CMAKE_CXX_COMPILER_LAUNCHER}")
    # The options of the build's compiler that this one does not know, and what it warns of in libstdc++ 12.
    target_compile_options(${target} PRIVATE -Wno-unknown-warning-option -Wno-deprecated-declarations)
  endif()
endfunction()

add_library(armilla_linker INTERFACE)
foreach(linker IN ITEMS mold lld)
  find_program(ARMILLA_LINKER_${linker} NAMES ${linker} ld.${linker})
  if(ARMILLA_LINKER_${linker})
    check_linker_flag(CXX "-fuse-ld=${linker}" ARMILLA_LINKS_WITH_${linker})
    if(ARMILLA_LINKS_WITH_${linker})
      target_link_options(armilla_linker INTERFACE "-fuse-ld=${linker}")
      break()
    endif()
  endif()
endforeach()

add_library(armilla_interface INTERFACE)
target_compile_features(armilla_interface INTERFACE cxx_std_20)
target_compile_definitions(armilla_interface INTERFACE ARMILLA_CHECKED=$<BOOL:${ARMILLA_CHECKED}>
                                                       ARMILLA_PARANOID=$<BOOL:${ARMILLA_PARANOID}>)
target_include_directories(armilla_interface SYSTEM INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(armilla_interface INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)

target_link_options(armilla_interface INTERFACE -Wl,--gc-sections) # a program has of the library what it reaches

# The same for the library with the costly checks that stands beside one without them: armilla::checked.
add_library(armilla_checked_interface INTERFACE)
target_compile_features(armilla_checked_interface INTERFACE cxx_std_20)
target_compile_definitions(armilla_checked_interface INTERFACE ARMILLA_CHECKED=1 ARMILLA_PARANOID=$<BOOL:${ARMILLA_PARANOID}>
                                                               _GLIBCXX_ASSERTIONS) # indices into spans, such as local()
target_include_directories(armilla_checked_interface SYSTEM INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(armilla_checked_interface INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)

# A target that links both is refused while it is configured: the values of this property differ.
set_target_properties(armilla_interface PROPERTIES INTERFACE_ARMILLA_LIBRARY armilla::armilla COMPATIBLE_INTERFACE_STRING ARMILLA_LIBRARY)
set_target_properties(armilla_checked_interface PROPERTIES INTERFACE_ARMILLA_LIBRARY armilla::checked COMPATIBLE_INTERFACE_STRING ARMILLA_LIBRARY)

add_library(armilla_private INTERFACE)
target_compile_options(
  armilla_private
  INTERFACE -Wall -Wextra -Wpedantic $<IF:$<CXX_COMPILER_ID:GNU>,-Wshadow=local,-Wshadow> -Wnon-virtual-dtor -Wextra-semi
            $<$<BOOL:${ARMILLA_WERROR}>:-Werror>
            $<$<BOOL:${ARMILLA_NATIVE}>:-march=native>
            # Position independent, yet free to inline: our functions are not interposed.
            -fno-semantic-interposition)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # Warnings that g++ 12 gets wrong in optimised code of the standard library: PR 105329, 105562, 106199 and their kin.
  target_compile_options(armilla_private INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
                                                   -Wno-maybe-uninitialized -Wno-interference-size)
endif()
# Where a layer is one file. g++: a type of one file's own is in a header's class, and that file is included there. clang++: the names of
# one file's own are around the locals of the next one.
set(ARMILLA_UNITY_OPTIONS $<IF:$<CXX_COMPILER_ID:GNU>,-Wno-subobject-linkage,-Wno-shadow>)
if(CMAKE_UNITY_BUILD OR ARMILLA_UNITY)
  target_compile_options(armilla_private INTERFACE ${ARMILLA_UNITY_OPTIONS})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  # libstdc++ 12 calls its own deprecated get_temporary_buffer in std::stable_sort, and clang blames us.
  target_compile_options(armilla_private INTERFACE -Wno-deprecated-declarations)
  # -march=native on processors with AVX10 is a combination of clang's own, of which it then warns.
  check_cxx_compiler_flag(-Winvalid-feature-combination ARMILLA_WARNS_OF_FEATURES)
  if(ARMILLA_WARNS_OF_FEATURES)
    target_compile_options(armilla_private INTERFACE -Wno-invalid-feature-combination)
  endif()
endif()
if(ARMILLA_SANITIZE)
  target_compile_options(armilla_private INTERFACE -fsanitize=${ARMILLA_SANITIZE} -fno-omit-frame-pointer
                                                   -fno-sanitize-recover=all)
  target_link_options(armilla_private INTERFACE -fsanitize=${ARMILLA_SANITIZE})
  if(ARMILLA_SANITIZE_EXCEPT)
    target_compile_options(armilla_private INTERFACE -fno-sanitize=${ARMILLA_SANITIZE_EXCEPT})
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(armilla_private INTERFACE -Wno-tsan) # fences are not modelled; the pairs around them are
  endif()
endif()
target_link_libraries(armilla_private INTERFACE armilla_linker)

add_library(armilla_private_test INTERFACE)
target_compile_options(armilla_private_test INTERFACE -Wno-sign-compare # EXPECT_EQ(v.size(), 3)
                                                      ${ARMILLA_TEST_OPTIONS})
