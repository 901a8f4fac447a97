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
  add_custom_target(rank_tests)
  add_custom_target(plain_tests) # those of rank_tests that are not sanitized_tests
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

# armilla_add_test(<name> COMMAND ...): a test of ctest. With ARMILLA_COSTS, the processor time that it takes is noted in costs/tests.txt of the build folder.
function(armilla_add_test name)
  cmake_parse_arguments(arg "" "" "COMMAND" ${ARGN})
  armilla_know_all(armilla_add_test)
  list(POP_FRONT arg_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  set(timed)
  if(ARMILLA_COSTS)
    set(timed "${ARMILLA_TIME}" -q -a -o "${PROJECT_BINARY_DIR}/costs/tests.txt" -f "%U %S ${name}")
  endif()
  add_test(NAME ${name} COMMAND ${timed} ${program} ${arg_COMMAND})
endfunction()

# armilla_test(<name> SOURCES ... [LAYERS ...] [LIBRARIES ...] [LABELS sanitized]): tests written with GoogleTest. All of a layer are one
# program, <layer>_test, and one entry in ctest, unit.<layer>; elsewhere, and with LIBRARIES, a program of their own, <name>_test. LAYERS: all
# that they are linked with; by default everything. With the label sanitized, for tests in which threads meet, the program is built for ./check's tier tsan, too.
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
  armilla_program_of_tests(program new ${name} test LIBRARIES ${arg_LIBRARIES})
  string(REGEX REPLACE "_test$" "" topic ${program})
  if(new)
    target_link_libraries(${program} PRIVATE armilla_private armilla_private_test armilla_fmt nlohmann_json::nlohmann_json GTest::gtest_main)
    armilla_precompiled(${program} SET unit)
    add_dependencies(unit_tests ${program})
    armilla_add_test(unit.${topic} COMMAND ${ARMILLA_TEST_LAUNCHER} $<TARGET_FILE:${program}> --gtest_brief=1)
    armilla_test_properties(unit.${topic} LABELS unit)
  endif()
  target_sources(${program} PRIVATE ${arg_SOURCES})
  target_link_libraries(${program} PRIVATE ${libraries} ${arg_LIBRARIES})
  if(arg_TIMEOUT)
    set_tests_properties(unit.${topic} PROPERTIES TIMEOUT ${arg_TIMEOUT})
  endif()
  if(arg_LABELS)
    set_property(TEST unit.${topic} APPEND PROPERTY LABELS ${arg_LABELS})
  endif()
  if("sanitized" IN_LIST arg_LABELS)
    add_dependencies(sanitized_tests ${program})
  endif()
endfunction()

# armilla_program_of_tests(<out> <out new> <name> <kind> [LIBRARIES ...]): the target that holds the tests <name>: <layer>_<kind>, which all of a
# layer share; with LIBRARIES, or outside of the layers, <name>_<kind>. `new` where it had to be made.
function(armilla_program_of_tests out new name kind)
  cmake_parse_arguments(arg "" "" "LIBRARIES" ${ARGN})
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  set(program ${name}_${kind})
  if(folder IN_LIST ARMILLA_LAYERS AND NOT arg_LIBRARIES)
    set(program ${folder}_${kind})
  endif()
  set(${out} ${program} PARENT_SCOPE)
  set(${new} OFF PARENT_SCOPE)
  if(NOT TARGET ${program})
    set(${new} ON PARENT_SCOPE)
    add_executable(${program})
    if(NOT "OpenMP::OpenMP_CXX" IN_LIST arg_LIBRARIES) # the compilers have one each
      armilla_compiled_as_test(${program})
    endif()
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${ARMILLA_TEST_FOLDER}")
    if(ARMILLA_TEST_SHARE STREQUAL plain AND NOT kind STREQUAL rank_test)
      set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endif()
endfunction()

# armilla_rank_test(<name> SOURCES ... [RANKS ...] [FABRICS ...] [ARGS ...] [TIMEOUT s] [LIBRARIES ...] [ENVIRONMENT X=y ...] [LABELS ...]
# [SANITIZED]): tests written with tests/rank_test.hpp, run on each fabric with each number of ranks: entries ranks.<name>.<fabric>.<ranks>,
# labels ranks and the fabric's name. All of a layer are one program, <layer>_rank_test, of which an entry runs the tests of its SOURCES.
# SANITIZED: a program of their own, <layer>_sanitized_rank_test, which ./check's tiers asan and tsan build, too. OWN_MAIN: the sources have a main
# function, so they are a program of their own, <name>_rank_test. AS_LIBRARY: so are they, and the compiler is that of the library. HEAVY: a run takes seconds, so that every ./check has two ranks alone.
function(armilla_rank_test name)
  if(NOT ARMILLA_TESTING)
    return()
  endif()
  cmake_parse_arguments(arg "SANITIZED;OWN_MAIN;AS_LIBRARY;HEAVY" "TIMEOUT" "SOURCES;RANKS;FABRICS;ARGS;LIBRARIES;ENVIRONMENT;LABELS" ${ARGN})
  armilla_know_all(armilla_rank_test)
  set(heavy)
  if(arg_HEAVY)
    set(heavy HEAVY)
  endif()
  set(kind rank_test)
  if(arg_SANITIZED)
    set(kind sanitized_rank_test)
    list(APPEND arg_LABELS sanitized)
  endif()
  if(arg_OWN_MAIN OR arg_AS_LIBRARY)
    set(program ${name}_rank_test)
    set(new ON)
    add_executable(${program})
    if(NOT arg_AS_LIBRARY)
      armilla_compiled_as_test(${program})
    endif()
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${ARMILLA_TEST_FOLDER}")
  else()
    armilla_program_of_tests(program new ${name} ${kind} LIBRARIES ${arg_LIBRARIES})
  endif()
  if(new)
    if(NOT arg_OWN_MAIN)
      target_sources(${program} PRIVATE "${PROJECT_SOURCE_DIR}/tests/rank_test_main.cpp")
    endif()
    target_link_libraries(${program} PRIVATE armilla_private armilla_private_test armilla::whole ${arg_LIBRARIES})
    target_sources(${program} PRIVATE ${arg_SOURCES})
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME layer)
    set(headers rank)
    if(ARMILLA_NUMBER_${layer} GREATER_EQUAL ARMILLA_NUMBER_algorithm)
      set(headers rank_ranges)
    endif()
    if(NOT arg_AS_LIBRARY)
      armilla_precompiled(${program} SET ${headers})
    endif()
    add_dependencies(rank_tests ${program})
    if(arg_SANITIZED)
      add_dependencies(sanitized_tests ${program})
    else()
      add_dependencies(plain_tests ${program})
    endif()
    if(NOT ARMILLA_NUMBER_${layer} GREATER_EQUAL ARMILLA_NUMBER_container)
      add_dependencies(race_tests ${program})
    endif()
  else()
    target_sources(${program} PRIVATE ${arg_SOURCES})
  endif()
  list(TRANSFORM arg_SOURCES REPLACE "^.*/|[.]cpp$" "" OUTPUT_VARIABLE files)
  list(JOIN files "," files)
  set(select --of ${files})
  if(arg_OWN_MAIN)
    set(select)
  endif()
  set_property(GLOBAL PROPERTY ARMILLA_RANK_PROGRAM_${name} ${program})
  set_property(GLOBAL PROPERTY ARMILLA_RANK_ARGUMENTS_${name} ${select})
  armilla_run_on_fabrics(ranks.${name} PROGRAM $<TARGET_FILE:${program}> ARGS ${select} ${arg_ARGS} RANKS ${arg_RANKS}
    FABRICS ${arg_FABRICS} ENVIRONMENT ${arg_ENVIRONMENT} LABELS ranks ${arg_LABELS} TIMEOUT ${arg_TIMEOUT} ${heavy})
endfunction()

# armilla_rank_command(<out program> <out arguments> <name>): the target that holds the tests of armilla_rank_test(<name>), and what makes it run
# these alone.
function(armilla_rank_command out_program out_arguments name)
  get_property(program GLOBAL PROPERTY ARMILLA_RANK_PROGRAM_${name})
  get_property(arguments GLOBAL PROPERTY ARMILLA_RANK_ARGUMENTS_${name})
  if(NOT program)
    message(FATAL_ERROR "armilla_rank_test(${name}) is not defined yet")
  endif()
  set(${out_program} ${program} PARENT_SCOPE)
  set(${out_arguments} ${arguments} PARENT_SCOPE)
endfunction()

# armilla_rank_test_variant(<name> VARIANT <variant> [ENVIRONMENT X=y ...] [RANKS ...] [FABRICS ...] [ARGS ...] [LABELS ...]
# [TIMEOUT s]): runs the tests of armilla_rank_test(<name>) once more under other circumstances, as ranks.<name>.<variant>.
function(armilla_rank_test_variant name)
  if(NOT ARMILLA_TESTING)
    return()
  endif()
  cmake_parse_arguments(arg "" "VARIANT;TIMEOUT" "ENVIRONMENT;RANKS;FABRICS;ARGS;LABELS" ${ARGN})
  armilla_know_all(armilla_rank_test_variant)
  armilla_rank_command(program arguments ${name})
  if(program MATCHES "_sanitized_rank_test$")
    list(APPEND arg_LABELS sanitized)
  endif()
  armilla_run_on_fabrics(ranks.${name}.${arg_VARIANT} PROGRAM $<TARGET_FILE:${program}> ARGS ${arguments} ${arg_ARGS} RANKS ${arg_RANKS}
    FABRICS ${arg_FABRICS} ENVIRONMENT ${arg_ENVIRONMENT} LABELS ranks ${arg_LABELS} TIMEOUT ${arg_TIMEOUT} VARIANT)
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
# [EXPECT regex] [VARIANT] [HEAVY]): one entry in ctest, <name>.<fabric>.<ranks>, for each fabric and number of ranks. armilla_tier_of_run says which
# ./check has each of them. Tests of ranks below the containers, where threads meet, have the label races.
function(armilla_run_on_fabrics name)
  cmake_parse_arguments(arg "VARIANT;HEAVY" "PROGRAM;TIMEOUT;EXPECT" "ARGS;RANKS;FABRICS;ENVIRONMENT;LABELS" ${ARGN})
  armilla_know_all(armilla_run_on_fabrics)
  if(NOT arg_RANKS)
    set(arg_RANKS ${ARMILLA_TEST_RANKS})
  endif()
  if(NOT arg_FABRICS)
    set(arg_FABRICS shm threads loop)
  endif()
  set(built ${arg_FABRICS})
  list(JOIN ARMILLA_TEST_FABRICS "|" here)
  list(FILTER built INCLUDE REGEX "^(${here})$")
  if(NOT built)
    return()
  endif()
  set(arg_FABRICS ${built})
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME layer)
  if("ranks" IN_LIST arg_LABELS AND NOT ARMILLA_NUMBER_${layer} GREATER_EQUAL ARMILLA_NUMBER_container)
    list(APPEND arg_LABELS races)
  endif()
  set(checker)
  if(arg_EXPECT) # ctest's own PASS_REGULAR_EXPRESSION would ignore the exit code
    set(checker ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/tests/expect_output.py" "${arg_EXPECT}")
  endif()
  foreach(fabric IN LISTS arg_FABRICS)
    foreach(n IN LISTS arg_RANKS)
      if(fabric STREQUAL loop AND n EQUAL 1) # nothing goes over a network
        continue()
      endif()
      set(test "${name}.${fabric}.${n}")
      armilla_add_test(${test} COMMAND ${checker} ${ARMILLA_TEST_LAUNCHER} ${arg_PROGRAM} ${arg_ARGS})
      armilla_test_properties(${test} LABELS ${arg_LABELS} ${fabric} TIMEOUT ${arg_TIMEOUT})
      # Unpinned: tests run beside each other, and two jobs on the same core would starve.
      set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT ARMILLA_FABRIC=${fabric} ARMILLA_RANKS=${n} ARMILLA_PIN=none
                                                ${arg_ENVIRONMENT})
      if(n GREATER 1)
        set_tests_properties(${test} PROPERTIES PROCESSORS 2)
      endif()
      armilla_tier_of_run(tier NAME ${name} VARIANT ${arg_VARIANT} HEAVY ${arg_HEAVY} RUN ${fabric}.${n} RANKS ${arg_RANKS} FABRICS ${arg_FABRICS})
      if(tier)
        set_property(TEST ${test} APPEND PROPERTY LABELS ${tier})
      endif()
    endforeach()
  endforeach()
endfunction()

# armilla_tier_of_run(<out> NAME <name> VARIANT <bool> HEAVY <bool> RUN <fabric>.<n> RANKS ... FABRICS ...): the label of a run: empty where every ./check
# has it, `whole` where ./check --whole has it, `nightly` where only ./check --nightly has it.
#   every ./check   processes: one rank, and most ranks; threads and messages: two ranks. Of a variant: two and most ranks on its first fabric; two alone under a sanitizer
#   --whole         processes: two ranks; threads and messages: most ranks. Of a variant: most ranks on each fabric
#   --nightly       all others
# Of a heavy test every ./check has two ranks as processes, and --whole what it has of others. Under a sanitizer one rank is for the nightly tier. More than five ranks, and variants named by_message, odd, lossy and late, are one tier later.
function(armilla_tier_of_run out)
  cmake_parse_arguments(arg "" "NAME;VARIANT;HEAVY;RUN" "RANKS;FABRICS" ${ARGN})
  armilla_know_all(armilla_tier_of_run)
  list(GET arg_FABRICS 0 first)
  set(usual ${arg_RANKS})
  list(FILTER usual EXCLUDE REGEX "^([6-9]|[0-9][0-9]+)$")
  set(later OFF)
  if(NOT usual OR arg_NAME MATCHES "[.](by_message|odd|lossy|late)$")
    set(later ON)
    set(usual ${arg_RANKS})
  endif()
  list(SORT usual COMPARE NATURAL)
  list(GET usual -1 most)
  set(few ${most})
  if(2 IN_LIST usual)
    set(few 2)
  endif()
  if(arg_VARIANT)
    set(check ${first}.${few} ${first}.${most})
    set(whole threads.${most} loop.${most})
    if(ARMILLA_SANITIZE)
      set(check ${first}.${few})
      list(APPEND whole ${first}.${most})
    endif()
  else()
    set(check ${first}.${most} threads.${few} loop.${few})
    set(whole ${first}.${few} threads.${most} loop.${most})
    if(NOT ARMILLA_SANITIZE)
      list(APPEND check ${first}.1)
    endif()
  endif()
  if(arg_HEAVY)
    set(whole ${check})
    set(check ${first}.${few})
  elseif(later)
    set(whole ${check})
    set(check)
  endif()
  if(arg_RUN IN_LIST check)
    set(${out} "" PARENT_SCOPE)
  elseif(arg_RUN IN_LIST whole)
    set(${out} whole PARENT_SCOPE)
  else()
    set(${out} nightly PARENT_SCOPE)
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
  file(STRINGS "${arg_SOURCE}" containers REGEX "^#include <armilla/(algorithms|container/)")
  if(containers)
    armilla_precompiled_alone(header algorithms)
  else()
    armilla_precompiled_alone(header armilla)
  endif()
  if(header)
    set(header -include "${header}")
  endif()
  armilla_add_test(compile_fail.${name}
    COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/tests/compile_fail/expect_error.py" ${bound} "${arg_EXPECT}" ${ARMILLA_COMPILE_ALONE} -fsyntax-only ${header}
            ${arg_DEFINES} "${arg_SOURCE}")
  armilla_test_properties(compile_fail.${name} LABELS compile_fail)
endfunction()

# ARMILLA_COMPILE_ALONE: how tests compile that call the compiler themselves.
set(ARMILLA_COMPILE_ALONE "${CMAKE_CXX_COMPILER}" -std=c++20 "-I${PROJECT_SOURCE_DIR}" -DARMILLA_CHECKED=$<BOOL:${ARMILLA_CHECKED}>
    -DARMILLA_PARANOID=$<BOOL:${ARMILLA_PARANOID}>)

# armilla_precompiled_alone(<out> <name>): <name>.hpp, precompiled for ARMILLA_COMPILE_ALONE: what begins with it takes a third of the time. g++ takes
# it wherever it is; empty with other compilers.
function(armilla_precompiled_alone out name)
  set(${out} "" PARENT_SCOPE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU OR NOT ARMILLA_PRECOMPILE)
    return()
  endif()
  set(header "${PROJECT_BINARY_DIR}/precompiled/alone/${name}.hpp")
  set(${out} "${header}" PARENT_SCOPE)
  if(TARGET armilla_precompiled_alone_${name})
    return()
  endif()
  file(CONFIGURE OUTPUT "${header}" CONTENT "#include \"armilla/${name}.hpp\"\n")
  add_custom_command(OUTPUT "${header}.gch" COMMAND ${ARMILLA_COMPILE_ALONE} -x c++-header "${header}" -o "${header}.gch" -MD -MF "${header}.d" -MT "${header}.gch"
                     DEPFILE "${header}.d" COMMENT "Precompiling ${name}.hpp for tests that call the compiler" VERBATIM)
  add_custom_target(armilla_precompiled_alone_${name} ALL DEPENDS "${header}.gch")
endfunction()
