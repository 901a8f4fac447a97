# SPDX-License-Identifier: Apache-2.0
# The functions with which every folder says what it holds. See each one's own words.
#
#   armilla_layer(<layer> SOURCES a.cpp ... [DEPENDS lower ...])          in armilla/<layer>/CMakeLists.txt
#   armilla_cold(a.cpp ...)   or the word COLD in armilla_layer, armilla_program: no data path lies there, so it is compiled quickly
#   armilla_test(<name> SOURCES x_test.cpp ... [LAYERS layer ...])        GoogleTest, one process, no session
#   armilla_rank_test(<name> SOURCES x_test.cpp ... [RANKS 1 2 4] [FABRICS shm threads])   see tests/rank_test.hpp
#   armilla_rank_test_variant(<name> <variant> [ENVIRONMENT X=y ...] [RANKS ...]) the same once more, under other circumstances
#   armilla_program(<name> SOURCES a.cpp ... [LIBRARIES x ...] [PRECOMPILED set] [INSTALL]) a tool, an example or a benchmark, in bin/
#   armilla_program_of_other_compiler(<name> SOURCE a.cpp [FOLDER f])     the same by clang++ where this build is by g++, and vice versa
#   armilla_program_test(<name> PROGRAM <program> [ARGS ...] [RANKS 2 4] [FABRICS shm threads] [EXPECT regex])
#   armilla_compile_fail(<name> SOURCE file EXPECT "regex" [LINES n])     must be refused with that sentence, in n lines at most
#                                                          [FIRST n]      ... among the first n lines

# What starts jobs, writes texts or reads command lines: -O1 in a release build takes half of the time. Such a file includes no header
# of the data path: the linker takes one copy of an inline function, and could take this one.
set(ARMILLA_COLD_OPTIONS $<$<CONFIG:Release>:-O1>)
function(armilla_cold)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS ${ARMILLA_COLD_OPTIONS})
  set_property(SOURCE ${ARGN} PROPERTY SKIP_PRECOMPILE_HEADERS ON) # which are of other options
endfunction()

# For a function behind its cmake_parse_arguments: a word that belongs to no keyword is an error.
macro(armilla_know_all function)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${function}: no keyword takes '${arg_UNPARSED_ARGUMENTS}'; its comment says which there are")
  endif()
endmacro()

set(ARMILLA_TESTING OFF)
if(ARMILLA_TESTS)
  set(ARMILLA_TESTING ON)
endif()

# Reads cmake/layers.txt into ARMILLA_LAYERS (names, lowest first) and ARMILLA_NUMBER_<layer>.
file(STRINGS "${PROJECT_SOURCE_DIR}/cmake/layers.txt" layer_lines REGEX "^[0-9]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/layers.txt")
foreach(line IN LISTS layer_lines)
  string(REGEX MATCH "^([0-9]+) +([a-z]+)" line "${line}")
  list(APPEND ARMILLA_LAYERS ${CMAKE_MATCH_2})
  set(ARMILLA_NUMBER_${CMAKE_MATCH_2} ${CMAKE_MATCH_1})
endforeach()

# Builds a folder of the project if it says how.
function(armilla_folder folder)
  if(EXISTS "${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt")
    add_subdirectory("${PROJECT_SOURCE_DIR}/${folder}" "${PROJECT_BINARY_DIR}/${folder}")
  endif()
endfunction()

# All layers, lowest first. A folder without a CMakeLists.txt has headers only.
function(armilla_layers)
  foreach(layer IN LISTS ARMILLA_LAYERS)
    armilla_folder(armilla/${layer})
    if(NOT TARGET armilla_${layer})
      file(GLOB sources "${PROJECT_SOURCE_DIR}/armilla/${layer}/*.cpp")
      if(sources)
        message(WARNING "armilla/${layer} has sources, but no CMakeLists.txt: they are not built")
      endif()
      armilla_layer(${layer})
    endif()
  endforeach()
endfunction()

# armilla_layer(<layer> SOURCES ... DEPENDS ... [COLD]): the target armilla_<layer>, a static library, or an interface without
# sources. DEPENDS names lower layers; what they depend on follows by itself.
function(armilla_layer layer)
  cmake_parse_arguments(arg "COLD" "" "SOURCES;DEPENDS" ${ARGN})
  armilla_know_all(armilla_layer)
  if(NOT DEFINED ARMILLA_NUMBER_${layer})
    message(FATAL_ERROR "armilla_layer: '${layer}' is no layer of cmake/layers.txt")
  endif()
  if(arg_SOURCES)
    add_library(armilla_${layer} STATIC ${arg_SOURCES})
    set(reach PUBLIC)
    if(ARMILLA_UNITY)
      set_target_properties(armilla_${layer} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    endif()
    target_link_libraries(armilla_${layer} PRIVATE armilla_private $<BUILD_INTERFACE:armilla_fmt>
                                                   $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
    armilla_checked_layer(${layer} ${arg_SOURCES})
    if(arg_COLD)
      target_compile_options(armilla_${layer} PRIVATE ${ARMILLA_COLD_OPTIONS})
    endif()
  else()
    add_library(armilla_${layer} INTERFACE)
    set(reach INTERFACE)
  endif()
  armilla_show_public_names(${layer} ${arg_DEPENDS})
  target_link_libraries(armilla_${layer} ${reach} armilla_interface Threads::Threads hwloc::hwloc boost_context ${ARMILLA_SORT_LIBRARY} ${CMAKE_DL_LIBS})
  foreach(lower IN LISTS arg_DEPENDS)
    if(NOT lower IN_LIST ARMILLA_LAYERS OR NOT ARMILLA_NUMBER_${lower} LESS ARMILLA_NUMBER_${layer})
      message(FATAL_ERROR "layer ${layer} (${ARMILLA_NUMBER_${layer}}) may not depend on '${lower}' (${ARMILLA_NUMBER_${lower}})")
    endif()
    target_link_libraries(armilla_${layer} ${reach} armilla_${lower})
  endforeach()
endfunction()

# The layer once more with the costly checks, where the library itself has none. Built only for armilla-checked.
function(armilla_checked_layer layer)
  if(ARMILLA_CHECKED OR ARMILLA_SANITIZE)
    return()
  endif()
  add_library(armilla_${layer}_checked OBJECT EXCLUDE_FROM_ALL ${ARGN})
  set_target_properties(armilla_${layer}_checked PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0) # half of the time
  target_compile_options(armilla_${layer}_checked PRIVATE ${ARMILLA_UNITY_OPTIONS} ${ARMILLA_COLD_OPTIONS}) # checks take more than -O1 loses
  target_link_libraries(armilla_${layer}_checked PRIVATE armilla_private armilla_fmt nlohmann_json::nlohmann_json armilla_checked_interface
                                                         Threads::Threads hwloc::hwloc)
endfunction()

# armilla::armilla: the objects of all layers in one library, so that a user links one. With ARMILLA_SHARED libarmilla.so, and libarmilla.a
# as armilla::static beside it, of the same objects. Programs and tests of this project, which know what lies inside, link
# armilla::whole, the archive.
function(armilla_aggregate)
  set(objects)
  foreach(layer IN LISTS ARMILLA_LAYERS)
    get_target_property(type armilla_${layer} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      list(APPEND objects $<TARGET_OBJECTS:armilla_${layer}>)
    endif()
  endforeach()
  set(whole armilla)
  if(ARMILLA_SHARED)
    set(whole armilla_static)
    armilla_shared_aggregate(${objects})
  endif()
  add_library(${whole} STATIC ${objects})
  add_library(armilla::whole ALIAS ${whole})
  set_target_properties(${whole} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME armilla)
  target_link_libraries(${whole} PUBLIC armilla_interface Threads::Threads hwloc::hwloc boost_context ${ARMILLA_SORT_LIBRARY} ${CMAKE_DL_LIBS})
  if(ARMILLA_SHARED)
    set_target_properties(${whole} PROPERTIES EXPORT_NAME static)
    add_library(armilla::static ALIAS ${whole})
  endif()
  add_library(armilla::armilla ALIAS armilla)
  armilla_checked_aggregate()
  if(TARGET armilla_build_tree)
    target_link_libraries(${whole} INTERFACE "$<BUILD_INTERFACE:$<TARGET_OBJECTS:armilla_build_tree>>")
  endif()
endfunction()

# armilla::checked: the same library with the costly checks. No part of `all`: `cmake --build BUILD --target armilla-checked`.
function(armilla_checked_aggregate)
  set(objects)
  foreach(layer IN LISTS ARMILLA_LAYERS)
    if(TARGET armilla_${layer}_checked)
      list(APPEND objects $<TARGET_OBJECTS:armilla_${layer}_checked>)
    endif()
  endforeach()
  if(NOT objects)
    return()
  endif()
  add_library(armilla-checked STATIC EXCLUDE_FROM_ALL ${objects})
  add_library(armilla::checked ALIAS armilla-checked)
  set_target_properties(armilla-checked PROPERTIES LINKER_LANGUAGE CXX EXPORT_NAME checked)
  target_link_libraries(armilla-checked PUBLIC armilla_checked_interface Threads::Threads hwloc::hwloc boost_context ${ARMILLA_SORT_LIBRARY} ${CMAKE_DL_LIBS})
endfunction()

# armilla_program(<name> SOURCES ... [LIBRARIES ...] [PRECOMPILED set] [INSTALL] [COLD]): an executable of the whole library in <build>/bin.
function(armilla_program name)
  cmake_parse_arguments(arg "COLD;INSTALL" "PRECOMPILED" "SOURCES;LIBRARIES" ${ARGN})
  armilla_know_all(armilla_program)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE armilla_private armilla::whole armilla_fmt nlohmann_json::nlohmann_json
                                        ${arg_LIBRARIES})
  target_compile_options(${name} PRIVATE ${ARMILLA_TEST_OPTIONS})
  if(arg_COLD)
    target_compile_options(${name} PRIVATE ${ARMILLA_COLD_OPTIONS})
  elseif(arg_PRECOMPILED)
    armilla_precompiled(${name} ${arg_PRECOMPILED})
  else() # cold options are not those of the precompiled header
    armilla_precompiled(${name} program)
  endif()
  if(arg_INSTALL)
    armilla_install_program(${name})
  endif()
endfunction()

# armilla_install_program(<target>): it and its manual. It finds a shared library of this project beside the folder in which it lies.
function(armilla_install_program name)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_FULL_BINDIR}" OUTPUT_VARIABLE libraries)
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries}")
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  armilla_manual(${name} $<TARGET_FILE:${name}>)
endfunction()

# armilla_manual(<name> COMMAND...): the manual page and the completion in bash and zsh of an installed program, made of what it says of itself.
function(armilla_manual name)
  if(ARMILLA_SANITIZE OR CMAKE_CROSSCOMPILING) # which takes running the program
    return()
  endif()
  set(made "${PROJECT_BINARY_DIR}/manual/${name}")
  set(zsh "${PROJECT_BINARY_DIR}/manual/_${name}")
  set(tool "${PROJECT_SOURCE_DIR}/tools/manual")
  add_custom_command(OUTPUT "${made}.1" "${made}.bash" "${zsh}" COMMAND ${Python3_EXECUTABLE} "${tool}" --out "${PROJECT_BINARY_DIR}/manual" ${name} ${ARGN}
                     DEPENDS "${tool}" ${ARGN} COMMENT "Writing the manual of ${name}" VERBATIM)
  add_custom_target(${name}-manual ALL DEPENDS "${made}.1")
  install(FILES "${made}.1" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES "${made}.bash" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${name})
  install(FILES "${zsh}" DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endfunction()

# armilla_program_of_other_compiler(<name> SOURCE a.cpp [FOLDER f]): an executable of one source in <build>/bin or FOLDER, compiled by
# the compiler that does not build the rest: clang++ or g++. Sets <name>_FILE; without such a compiler, or under a sanitizer, there
# is no target <name>.
if(CMAKE_CROSSCOMPILING) # it would build for this machine
elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  find_program(ARMILLA_OTHER_COMPILER NAMES clang++-19 clang++)
else()
  find_program(ARMILLA_OTHER_COMPILER NAMES g++-12 g++)
endif()
if(NOT ARMILLA_OTHER_COMPILER)
  message(STATUS "No second compiler: jobs whose programs are of two compilers are not tested")
endif()
function(armilla_program_of_other_compiler name)
  cmake_parse_arguments(arg "" "SOURCE;FOLDER" "" ${ARGN})
  armilla_know_all(armilla_program_of_other_compiler)
  if(NOT arg_FOLDER)
    set(arg_FOLDER "${PROJECT_BINARY_DIR}/bin")
  endif()
  set(program "${arg_FOLDER}/${name}")
  set(${name}_FILE "${program}" PARENT_SCOPE)
  if(NOT ARMILLA_OTHER_COMPILER OR ARMILLA_SANITIZE)
    return()
  endif()
  set(depfile "${CMAKE_CURRENT_BINARY_DIR}/${name}.d")
  add_custom_command(
    OUTPUT "${program}"
   
      COMMAND "${ARMILLA_OTHER_COMPILER}" -std=c++20 -O1 "-I${PROJECT_SOURCE_DIR}" -Wno-sign-compare
      "-D$<JOIN:$<TARGET_PROPERTY:armilla_interface,INTERFACE_COMPILE_DEFINITIONS>,;-D>" -MD -MF "${depfile}" -MT "${program}"
      "${CMAKE_CURRENT_SOURCE_DIR}/${arg_SOURCE}" -o "${program}" $<TARGET_FILE:armilla::whole> "${hwloc_LIBRARY}" -lboost_context ${ARMILLA_SORT_LIBRARY} -pthread -ldl
    DEPENDS "${arg_SOURCE}" armilla::whole
    DEPFILE "${depfile}"
    COMMENT "Building ${name} with ${ARMILLA_OTHER_COMPILER}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${name} ALL DEPENDS "${program}")
endfunction()

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
  armilla_precompiled(${name}_test unit)
  add_dependencies(unit_tests ${name}_test)
  if("sanitized" IN_LIST arg_LABELS)
    add_dependencies(sanitized_tests ${name}_test)
  endif()
  add_test(NAME unit.${name} COMMAND ${ARMILLA_TEST_LAUNCHER} $<TARGET_FILE:${name}_test> --gtest_brief=1)
  armilla_test_properties(unit.${name} LABELS unit ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
endfunction()

# armilla_rank_test(<name> SOURCES ... [RANKS ...] [FABRICS ...] [ARGS ...] [TIMEOUT s] [SANITIZED]): target <name>_rank_test, a
# program written with tests/rank_test.hpp, run on each fabric with each number of ranks. SANITIZED: also in ./check's tiers
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
  armilla_precompiled(${name}_rank_test rank)
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

# armilla_rank_test_variant(<name> <variant> [ENVIRONMENT X=y ...] [RANKS ...] [FABRICS ...] [ARGS ...] [TIMEOUT s]): runs the
# program of armilla_rank_test(<name>) once more under other circumstances, as ranks.<name>.<variant>.
function(armilla_rank_test_variant name variant)
  if(NOT ARMILLA_TESTING)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT" "ENVIRONMENT;RANKS;FABRICS;ARGS;LABELS" ${ARGN})
  armilla_know_all(armilla_rank_test_variant)
  armilla_run_on_fabrics(ranks.${name}.${variant} PROGRAM $<TARGET_FILE:${name}_rank_test> ARGS ${arg_ARGS} RANKS ${arg_RANKS}
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
      armilla_is_repeat(repeat ${n} ${fabric} RANKS ${arg_RANKS} FABRICS ${arg_FABRICS})
      if(repeat)
        set_property(TEST ${test} APPEND PROPERTY LABELS repeat)
      endif()
    endforeach()
  endforeach()
endfunction()

# armilla_is_repeat(<out> <n> <fabric> RANKS ... FABRICS ...): whether a sanitizer finds in this run what it finds in another one of the same
# program. Every fabric has the run of most ranks, `threads` those of fewer, too, but for two of them among more.
function(armilla_is_repeat out n fabric)
  cmake_parse_arguments(arg "" "" "RANKS;FABRICS" ${ARGN})
  set(${out} OFF PARENT_SCOPE)
  list(SORT arg_RANKS COMPARE NATURAL ORDER DESCENDING)
  list(GET arg_RANKS 0 most)
  if(ARMILLA_SANITIZE AND n LESS most AND (n EQUAL 2 OR (threads IN_LIST arg_FABRICS AND NOT fabric STREQUAL threads)))
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

# armilla_compile_fail(<name> SOURCE file EXPECT "regex" [DEFINES A ...]): compiling the file must fail, and the
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
