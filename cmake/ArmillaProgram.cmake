# SPDX-License-Identifier: Apache-2.0
# Programs of the whole library. See each function's own words.
#
#   armilla_program(<name> SOURCES a.cpp ... [LIBRARIES x ...] [PRECOMPILED set] [INSTALL]) a tool, an example or a benchmark, in bin/
#   armilla_program_of_other_compiler(<name> SOURCE a.cpp [FOLDER f])     the same by clang++ where this build is by g++, and vice versa

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
    armilla_precompiled(${name} SET ${arg_PRECOMPILED})
  else() # cold options are not those of the precompiled header
    armilla_precompiled(${name} SET program)
  endif()
  if(arg_INSTALL)
    if(ARMILLA_UNITY) # as builds for users do: names of two of its sources must not clash
      set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    endif()
    armilla_install_program(${name})
  endif()
endfunction()

# armilla_install_program(<target>): it, its manual, and a test of its options. It finds a shared library of this project beside the folder in which it lies.
function(armilla_install_program name)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_FULL_BINDIR}" OUTPUT_VARIABLE libraries)
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries}")
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  armilla_manual(${name} COMMAND $<TARGET_FILE:${name}>)
  if(ARMILLA_TESTING)
    armilla_add_test(empty_values.${name} COMMAND ${ARMILLA_TEST_LAUNCHER} ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/tools/arguments/empty_values_test.py"
                                                $<TARGET_FILE:${name}>)
  endif()
endfunction()

# armilla_manual(<name> COMMAND program): the manual page and the completion in bash and zsh of an installed program, made of what it says of itself.
function(armilla_manual name)
  cmake_parse_arguments(arg "" "COMMAND" "" ${ARGN})
  armilla_know_all(armilla_manual)
  if(ARMILLA_SANITIZE OR CMAKE_CROSSCOMPILING) # which takes running the program
    return()
  endif()
  set(made "${PROJECT_BINARY_DIR}/manual/${name}")
  set(zsh "${PROJECT_BINARY_DIR}/manual/_${name}")
  set(tool "${PROJECT_SOURCE_DIR}/tools/manual")
  add_custom_command(OUTPUT "${made}.1" "${made}.bash" "${zsh}" COMMAND ${Python3_EXECUTABLE} "${tool}" --out "${PROJECT_BINARY_DIR}/manual" ${name} ${arg_COMMAND}
                     DEPENDS "${tool}" ${arg_COMMAND} COMMENT "Writing the manual of ${name}" VERBATIM)
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
      "${CMAKE_CURRENT_SOURCE_DIR}/${arg_SOURCE}" -o "${program}" $<TARGET_FILE:armilla::whole> "${hwloc_LIBRARY}" -lboost_context ${ARMILLA_SORT_LIBRARY} ${ARMILLA_PLACES_LIBRARY} -pthread -ldl
    DEPENDS "${arg_SOURCE}" armilla::whole
    DEPFILE "${depfile}"
    COMMENT "Building ${name} with ${ARMILLA_OTHER_COMPILER}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${name} ALL DEPENDS "${program}")
endfunction()
