# SPDX-License-Identifier: Apache-2.0
# The functions with which every folder says what its tests are. See each one's own words.
#
#   armilla_test(<name> SOURCES x_test.cpp ... [LAYERS layer ...])        GoogleTest, one process, no session
#   armilla_rank_test(<name> SOURCES x_test.cpp ... [RANKS 1 2 4] [FABRICS shm threads])   see tests/rank_test.hpp
#   armilla_rank_test_variant(<name> VARIANT <variant> [ENVIRONMENT X=y ...] [RANKS ...])  the same once more, under other circumstances
#   armilla_program_test(<name> PROGRAM <program> [ARGS ...] [RANKS 2 4] [FABRICS shm threads] [EXPECT regex])
#   armilla_compile_fail(<name> SOURCE file EXPECT "regex" [LINES n])     must be refused with that sentence, in n lines at most
#                                                          [FIRST n]      ... among the first n lines

set(ARMILLA_TESTING OFF)
if(ARMILLA_TESTS)
  set(ARMILLA_TESTING ON)
endif()

# Tests live beside programs, one folder further down. Sanitizers make everything slower, the time limits too.
set(ARMILLA_TEST_FOLDER "${PROJECT_BINARY_DIR}/bin/tests")
set(ARMILLA_TEST_TIMEOUT 120)
if(ARMILLA_TESTS) # what can be built together: all units, those that both sanitizers' tiers run, those that tsan adds, those of networks
  add_custom_target(unit_tests)
  add_custom_target(sanitized_tests)
  add_custom_target(race_tests)
  add_custom_target(stress_tests)
  add_custom_target(network_tests) # what the tests with the labels network and hosts run
endif()
if(ARMILLA_SANITIZE)
  set(ARMILLA_TEST_TIMEOUT 240)
endif()

# ThreadSanitizer of g++ 12 cannot place its shadow under a strongly randomised address space.
if(ARMILLA_SANITIZE MATCHES thread)
  find_program(ARMILLA_SETARCH setarch)
  execute_process(COMMAND ${ARMILLA_SETARCH} -R true RESULT_VARIABLE setarch_refused OUTPUT_QUIET ERROR_QUIET)
  if(ARMILLA_SETARCH AND setarch_refused EQUAL 0)
    set(ARMILLA_TEST_LAUNCHER ${ARMILLA_SETARCH} -R)
  endif()
endif()
# Tests of another processor's programs: an emulator, also for the programs that they start.
if(CMAKE_CROSSCOMPILING AND CMAKE_SYSROOT)
  set(ARMILLA_TEST_LAUNCHER "${PROJECT_SOURCE_DIR}/tools/emulated" ${CMAKE_SYSTEM_PROCESSOR} "${CMAKE_SYSROOT}")
  set(ARMILLA_TEST_TIMEOUT 480)
endif()
set(ARMILLA_TEST_ENVIRONMENT
    "ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0"
    "UBSAN_OPTIONS=print_stacktrace=1"
    "TSAN_OPTIONS=halt_on_error=1:report_signal_unsafe=0:second_deadlock_stack=1:suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp"
    "ARMILLA_TUNED=none" # no test depends on what was measured on this host
    "LC_ALL=C")

# armilla_test(<name> SOURCES ... [LAYERS ...] [LABELS sanitized]): target <name>_test, one entry in ctest, label unit. Without
# LAYERS: all. With the label sanitized, for tests in which threads meet, also in ./check's tier tsan; asan runs all.
function(armilla_test name)
  if(NOT ARMILLA_TESTING)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LAYERS;LIBRARIES;LABELS" ${ARGN})
  armilla_know_all(armilla_test)
  set(libraries ${arg_LAYERS})
  list(TRANSFORM libraries PREPEND armilla_)
  if(NOT arg_LAYERS)
    set(libraries armilla::whole)
  endif()
  add_executable(${name}_test ${arg_SOURCES})
  set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${ARMILLA_TEST_FOLDER}")
  target_link_libraries(${name}_test PRIVATE armilla_private armilla_private_test ${libraries} ${arg_LIBRARIES} armilla_fmt
                                             nlohmann_json::nlohmann_json GTest::gtest_main)
  armilla_precompiled(${name}_test SET unit)
  add_dependencies(unit_tests ${name}_test)
  if("sanitized" IN_LIST arg_LABELS)
    add_dependencies(sanitized_tests ${name}_test)
  endif()
  add_test(NAME unit.${name} COMMAND ${ARMILLA_TEST_LAUNCHER} $<TARGET_FILE:${name}_test> --gtest_brief=1)
  armilla_test_properties(unit.${name} LABELS unit ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
endfunction()

# armilla_rank_test(<name> SOURCES ... [RANKS ...] [FABRICS ...] [ARGS ...] [TIMEOUT s] [LIBRARIES ...]
# [ENVIRONMENT X=y ...] [LABELS ...] [SANITIZED]): target <name>_rank_test, a program written with tests/rank_test.hpp, run on each fabric with each number of ranks. SANITIZED: also in ./check's tiers
# asan and tsan. Labels: ranks, and the fabric's name.
function(armilla_rank_test name)
  if(NOT ARMILLA_TESTING)
    return()
  endif()
  cmake_parse_arguments(arg "SANITIZED" "TIMEOUT" "SOURCES;RANKS;FABRICS;ARGS;LIBRARIES;ENVIRONMENT;LABELS" ${ARGN})
  armilla_know_all(armilla_rank_test)
  add_executable(${name}_rank_test ${arg_SOURCES})
  set_target_properties(${name}_rank_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${ARMILLA_TEST_FOLDER}")
  target_link_libraries(${name}_rank_test PRIVATE armilla_private armilla_private_test armilla::whole ${arg_LIBRARIES})
  armilla_precompiled(${name}_rank_test SET rank)
  if(arg_SANITIZED)
    add_dependencies(sanitized_tests ${name}_rank_test)
    list(APPEND arg_LABELS sanitized)
  endif()
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME layer)
  if(NOT ARMILLA_NUMBER_${layer} GREATER_EQUAL ARMILLA_NUMBER_container)
    add_dependencies(race_tests ${name}_rank_test)
  endif()
  armilla_run_on_fabrics(ranks.${name} PROGRAM $<TARGET_FILE:${name}_rank_test> ARGS ${arg_ARGS} RANKS ${arg_RANKS}
    FABRICS ${arg_FABRICS} ENVIRONMENT ${arg_ENVIRONMENT} LABELS ranks ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
endfunction()

# armilla_rank_test_variant(<name> VARIANT <variant> [ENVIRONMENT X=y ...] [RANKS ...] [FABRICS ...] [ARGS ...] [LABELS ...]
# [TIMEOUT s]): runs the program of armilla_rank_test(<name>) once more under other circumstances, as ranks.<name>.<variant>.
function(armilla_rank_test_variant name)
  if(NOT ARMILLA_TESTING)
    return()
  endif()
  cmake_parse_arguments(arg "" "VARIANT;TIMEOUT" "ENVIRONMENT;RANKS;FABRICS;ARGS;LABELS" ${ARGN})
  armilla_know_all(armilla_rank_test_variant)
  armilla_run_on_fabrics(ranks.${name}.${arg_VARIANT} PROGRAM $<TARGET_FILE:${name}_rank_test> ARGS ${arg_ARGS} RANKS ${arg_RANKS}
    FABRICS ${arg_FABRICS} ENVIRONMENT ${arg_ENVIRONMENT} LABELS ranks ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
endfunction()

# armilla_program_test(<name> PROGRAM <program> [ARGS ...] [RANKS ...] [FABRICS ...] [EXPECT regex] [TIMEOUT s] [LABELS
# sanitized]): runs a program of bin/ on each fabric; it must exit with 0, and print what EXPECT says. Label: programs, and the
# fabric's name; with the label sanitized also in ./check's tiers asan and tsan.
function(armilla_program_test name)
  if(NOT ARMILLA_TESTING)
    return()
  endif()
  cmake_parse_arguments(arg "" "PROGRAM;EXPECT;TIMEOUT" "ARGS;RANKS;FABRICS;ENVIRONMENT;LABELS" ${ARGN})
  armilla_know_all(armilla_program_test)
  if("sanitized" IN_LIST arg_LABELS)
    add_dependencies(sanitized_tests ${arg_PROGRAM})
  endif()
  armilla_run_on_fabrics(program.${name} PROGRAM $<TARGET_FILE:${arg_PROGRAM}> ARGS ${arg_ARGS} RANKS ${arg_RANKS} FABRICS ${arg_FABRICS}
    ENVIRONMENT ${arg_ENVIRONMENT} LABELS programs ${arg_LABELS} TIMEOUT ${arg_TIMEOUT} EXPECT "${arg_EXPECT}")
endfunction()

# armilla_run_on_fabrics(<name> PROGRAM file LABELS label ... [ARGS ...] [RANKS ...] [FABRICS ...] [ENVIRONMENT X=y ...] [TIMEOUT s]
# [EXPECT regex]): one entry in ctest, <name>.<fabric>.<ranks>, for each fabric and number of ranks. Under a sanitizer, those that
# ./check leaves to its tier `full` have the label repeat. Tests of ranks below the containers, where threads meet, have the label races.
function(armilla_run_on_fabrics name)
  cmake_parse_arguments(arg "" "PROGRAM;TIMEOUT;EXPECT" "ARGS;RANKS;FABRICS;ENVIRONMENT;LABELS" ${ARGN})
  armilla_know_all(armilla_run_on_fabrics)
  if(NOT arg_RANKS)
    set(arg_RANKS ${ARMILLA_TEST_RANKS})
  endif()
  if(NOT arg_FABRICS)
    set(arg_FABRICS shm threads loop)
  endif()
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME layer)
  if("ranks" IN_LIST arg_LABELS AND NOT ARMILLA_NUMBER_${layer} GREATER_EQUAL ARMILLA_NUMBER_container)
    list(APPEND arg_LABELS races)
  endif()
  set(checker)
  if(arg_EXPECT) # ctest's own PASS_REGULAR_EXPRESSION would ignore the exit code
    set(checker ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/tests/expect_output.py" "${arg_EXPECT}")
  endif()
  foreach(fabric IN LISTS arg_FABRICS)
    if(NOT fabric IN_LIST ARMILLA_TEST_FABRICS)
      continue()
    endif()
    foreach(n IN LISTS arg_RANKS)
      if(fabric STREQUAL loop AND n EQUAL 1) # nothing goes over a network
        continue()
      endif()
      set(test "${name}.${fabric}.${n}")
      add_test(NAME ${test} COMMAND ${checker} ${ARMILLA_TEST_LAUNCHER} ${arg_PROGRAM} ${arg_ARGS})
      armilla_test_properties(${test} LABELS ${arg_LABELS} ${fabric} TIMEOUT ${arg_TIMEOUT})
      # Unpinned: tests run beside each other, and two jobs on the same core would starve.
      set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT ARMILLA_FABRIC=${fabric} ARMILLA_RANKS=${n} ARMILLA_PIN=none
                                                ${arg_ENVIRONMENT})
      if(n GREATER 1)
        set_tests_properties(${test} PROPERTIES PROCESSORS 2)
      endif()
      if(n GREATER 4 OR name MATCHES "[.](by_message|odd|lossy|late)$") # seldom tells more: only ./check --whole runs it
        set_property(TEST ${test} APPEND PROPERTY LABELS whole)
      endif()
      armilla_is_repeat(repeat RUN_OF ${n} RUN_ON ${fabric} RANKS ${arg_RANKS} FABRICS ${arg_FABRICS})
      if(repeat)
        set_property(TEST ${test} APPEND PROPERTY LABELS repeat)
      endif()
    endforeach()
  endforeach()
endfunction()

# armilla_is_repeat(<out> RUN_OF n RUN_ON fabric RANKS ... FABRICS ...): whether a sanitizer finds in the run of n ranks what it finds in
# another one of the same program. Every fabric has the run of most ranks, `threads` those of fewer, too, but for two of them among more.
function(armilla_is_repeat out)
  cmake_parse_arguments(arg "" "RUN_OF;RUN_ON" "RANKS;FABRICS" ${ARGN})
  armilla_know_all(armilla_is_repeat)
  set(${out} OFF PARENT_SCOPE)
  list(SORT arg_RANKS COMPARE NATURAL ORDER DESCENDING)
  list(GET arg_RANKS 0 most)
  if(ARMILLA_SANITIZE AND arg_RUN_OF LESS most AND (arg_RUN_OF EQUAL 2 OR (threads IN_LIST arg_FABRICS AND NOT arg_RUN_ON STREQUAL threads)))
    set(${out} ON PARENT_SCOPE)
  endif()
endfunction()

# armilla_test_properties(<test> LABELS label ... [TIMEOUT s]): what every test of this project has.
function(armilla_test_properties test)
  cmake_parse_arguments(arg "" "TIMEOUT" "LABELS" ${ARGN})
  armilla_know_all(armilla_test_properties)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${ARMILLA_TEST_TIMEOUT})
  endif()
  set_tests_properties(${test} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${ARMILLA_TEST_ENVIRONMENT}")
endfunction()

# armilla_compile_fail(<name> SOURCE file EXPECT "regex" [DEFINES A ...] [LINES n] [FIRST n]): compiling the file must fail, and the
# compiler must print what EXPECT says. One file may hold several cases, told apart by a macro of DEFINES. Label: compile_fail.
function(armilla_compile_fail name)
  if(NOT ARMILLA_TESTING)
    return()
  endif()
  cmake_parse_arguments(arg "" "SOURCE;EXPECT;LINES;FIRST" "DEFINES" ${ARGN})
  armilla_know_all(armilla_compile_fail)
  cmake_path(ABSOLUTE_PATH arg_SOURCE BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  list(TRANSFORM arg_DEFINES PREPEND -D)
  set(bound)
  if(arg_LINES)
    set(bound --lines ${arg_LINES})
  elseif(arg_FIRST)
    set(bound --first ${arg_FIRST})
  endif()
  add_test(NAME compile_fail.${name}
           COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/tests/compile_fail/expect_error.py" ${bound} "${arg_EXPECT}"
                   "${CMAKE_CXX_COMPILER}" -std=c++20 -fsyntax-only -I "${PROJECT_SOURCE_DIR}"
                   -DARMILLA_CHECKED=$<BOOL:${ARMILLA_CHECKED}> ${arg_DEFINES} "${arg_SOURCE}")
  armilla_test_properties(compile_fail.${name} LABELS compile_fail)
endfunction()
