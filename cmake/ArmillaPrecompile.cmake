# SPDX-License-Identifier: Apache-2.0
# Precompiled headers, in presets with ARMILLA_PRECOMPILE: what all tests of one kind include is parsed once. Presets without
# (minimal, dev, clang) compile the same files without, and so find an #include that is missing.
#
#   armilla_precompiled(<target> SET <set>): the target's sources begin with the header of this set. Sets: unit, rank, scene (a program of tests), program, bench;
# none, for options of its own.
# A target has the options of its set; those of `bench` are ARMILLA_BENCH_FLAGS.
set(ARMILLA_PRECOMPILED_unit "<gtest/gtest.h>") # not ours, so that what a layer's tests see remains that layer's
set(ARMILLA_PRECOMPILED_rank "<tests/rank_test.hpp>")
set(ARMILLA_PRECOMPILED_program "<armilla/armilla.hpp>")
set(ARMILLA_PRECOMPILED_scene "<armilla/armilla.hpp>")
set(ARMILLA_PRECOMPILED_bench "<bench/suites/common.hpp>")

function(armilla_precompiled target)
  cmake_parse_arguments(arg "" "SET" "" ${ARGN})
  armilla_know_all(armilla_precompiled)
  if(NOT ARMILLA_PRECOMPILE OR arg_SET STREQUAL none)
    return()
  endif()
  if(NOT TARGET armilla_precompiled_${arg_SET})
    set(source "${PROJECT_BINARY_DIR}/precompiled/${arg_SET}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// The header that the tests of one kind share is compiled with this file.\n")
    add_library(armilla_precompiled_${arg_SET} OBJECT EXCLUDE_FROM_ALL "${source}")
    target_precompile_headers(armilla_precompiled_${arg_SET} PRIVATE "${ARMILLA_PRECOMPILED_${arg_SET}}")
    # The options must be those of the programs that use it, down to -fPIE, which CMake gives executables and not objects.
    set_target_properties(armilla_precompiled_${arg_SET} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(armilla_precompiled_${arg_SET} PRIVATE -fPIE)
    if(arg_SET MATCHES "^(unit|rank|scene)$")
      armilla_compiled_as_test(armilla_precompiled_${arg_SET})
      if(armilla_other_compiler) # clang++ would begin the new one with the old one, which CMake names as it does for g++
        set(old "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/armilla_precompiled_${arg_SET}.dir/cmake_pch.hxx.gch")
        get_target_property(launcher armilla_precompiled_${arg_SET} CXX_COMPILER_LAUNCHER)
        set_target_properties(armilla_precompiled_${arg_SET} PROPERTIES CXX_COMPILER_LAUNCHER "sh;-c;rm -f '${old}' && exec \"$@\";sh;${launcher}")
      endif()
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL Clang OR (armilla_other_compiler AND arg_SET MATCHES "^(unit|rank|scene)$")) # what a compiler cache kept is valid for files that are younger
      target_compile_options(armilla_precompiled_${arg_SET} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
    target_link_libraries(armilla_precompiled_${arg_SET} PRIVATE armilla_private armilla_interface)
    if(arg_SET MATCHES "^(program|scene)$")
      target_compile_options(armilla_precompiled_${arg_SET} PRIVATE ${ARMILLA_TEST_OPTIONS})
      target_link_libraries(armilla_precompiled_${arg_SET} PRIVATE armilla_fmt nlohmann_json::nlohmann_json)
    elseif(arg_SET STREQUAL bench)
      target_compile_options(armilla_precompiled_bench PRIVATE ${ARMILLA_TEST_OPTIONS} ${ARMILLA_BENCH_FLAGS})
      target_link_libraries(armilla_precompiled_bench PRIVATE armilla_fmt nlohmann_json::nlohmann_json)
    else()
      target_link_libraries(armilla_precompiled_${arg_SET} PRIVATE armilla_private_test)
    endif()
    if(arg_SET STREQUAL unit)
      target_link_libraries(armilla_precompiled_${arg_SET} PRIVATE armilla_fmt nlohmann_json::nlohmann_json GTest::gtest_main)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM armilla_precompiled_${arg_SET})
endfunction()
