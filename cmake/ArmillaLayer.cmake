# SPDX-License-Identifier: Apache-2.0
# The layers of the library, and what is made of them. See each function's own words.
#
#   armilla_layer(<layer> SOURCES a.cpp ... [DEPENDS lower ...])          in armilla/<layer>/CMakeLists.txt
#   armilla_cold(SOURCES a.cpp ...)   or the word COLD in armilla_layer, armilla_program: no data path lies there, so it is compiled quickly

# What starts jobs, writes texts or reads command lines: -Os in a release build takes four fifths of the time and two thirds of the space. Such a file includes no header
# of the data path: the linker takes one copy of an inline function, and could take this one.
set(ARMILLA_COLD_OPTIONS $<$<CONFIG:Release>:-Os>)
if(ARMILLA_PRECOMPILED_LAYERS) # which what is compiled with -Os cannot use
  set(ARMILLA_COLD_OPTIONS $<$<CONFIG:Release>:-O1>)
endif()
function(armilla_cold)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  armilla_know_all(armilla_cold)
  set_property(SOURCE ${arg_SOURCES} APPEND PROPERTY COMPILE_OPTIONS ${ARMILLA_COLD_OPTIONS})
  if(NOT ARMILLA_PRECOMPILED_LAYERS)
    set_property(SOURCE ${arg_SOURCES} PROPERTY SKIP_PRECOMPILE_HEADERS ON) # of programs, which are of other options
  endif()
endfunction()

# For a function behind its cmake_parse_arguments: a word that belongs to no keyword is an error.
macro(armilla_know_all function)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${function}: no keyword takes '${arg_UNPARSED_ARGUMENTS}'; its comment says which there are")
  endif()
endmacro()

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
  if(DEFINED ARMILLA_SOURCES_OF_${layer}) # of python/CMakeLists.txt, which needs fewer
    set(arg_SOURCES ${ARMILLA_SOURCES_OF_${layer}})
  endif()
  if(arg_SOURCES)
    add_library(armilla_${layer} STATIC ${arg_SOURCES})
    set(reach PUBLIC)
    if(ARMILLA_UNITY)
      set_target_properties(armilla_${layer} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    endif()
    target_link_libraries(armilla_${layer} PRIVATE armilla_private $<BUILD_INTERFACE:armilla_fmt>
                                                   $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
    target_compile_options(armilla_${layer} PRIVATE -ffunction-sections -fdata-sections) # a program has what it reaches, and not the layer
    if(ARMILLA_PRECOMPILED_LAYERS) # headers, of python/CMakeLists.txt: parsed once for all layers
      if(layer STREQUAL base)
        target_precompile_headers(armilla_base PRIVATE ${ARMILLA_PRECOMPILED_LAYERS})
      else()
        target_precompile_headers(armilla_${layer} REUSE_FROM armilla_base)
      endif()
    endif()
    armilla_checked_layer(${layer} SOURCES ${arg_SOURCES})
    if(arg_COLD)
      target_compile_options(armilla_${layer} PRIVATE ${ARMILLA_COLD_OPTIONS})
    endif()
  else()
    add_library(armilla_${layer} INTERFACE)
    set(reach INTERFACE)
  endif()
  armilla_show_public_names(${layer} DEPENDS ${arg_DEPENDS})
  target_link_libraries(armilla_${layer} ${reach} armilla_interface Threads::Threads hwloc::hwloc boost_context ${ARMILLA_SORT_LIBRARY} ${ARMILLA_PLACES_LIBRARY} ${CMAKE_DL_LIBS})
  foreach(lower IN LISTS arg_DEPENDS)
    if(NOT lower IN_LIST ARMILLA_LAYERS OR NOT ARMILLA_NUMBER_${lower} LESS ARMILLA_NUMBER_${layer})
      message(FATAL_ERROR "layer ${layer} (${ARMILLA_NUMBER_${layer}}) may not depend on '${lower}' (${ARMILLA_NUMBER_${lower}})")
    endif()
    target_link_libraries(armilla_${layer} ${reach} armilla_${lower})
  endforeach()
endfunction()

# The layer once more with the costly checks, where the library itself has none. Built only for armilla-checked.
function(armilla_checked_layer layer)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  armilla_know_all(armilla_checked_layer)
  if(ARMILLA_CHECKED OR ARMILLA_SANITIZE)
    return()
  endif()
  add_library(armilla_${layer}_checked OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
  set_target_properties(armilla_${layer}_checked PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0) # half of the time
  target_compile_options(armilla_${layer}_checked PRIVATE ${ARMILLA_UNITY_OPTIONS} $<$<CONFIG:Release>:-O1>) # checks take more than -O1 loses
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
    armilla_shared_aggregate(OBJECTS ${objects})
  endif()
  add_library(${whole} STATIC ${objects})
  add_library(armilla::whole ALIAS ${whole})
  set_target_properties(${whole} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME armilla)
  target_link_libraries(${whole} PUBLIC armilla_interface Threads::Threads hwloc::hwloc boost_context ${ARMILLA_SORT_LIBRARY} ${ARMILLA_PLACES_LIBRARY} ${CMAKE_DL_LIBS})
  if(ARMILLA_SHARED)
    set_target_properties(${whole} PROPERTIES EXPORT_NAME static)
    add_library(armilla::static ALIAS ${whole})
  endif()
  add_library(armilla::armilla ALIAS armilla)
  armilla_checked_aggregate()
  if(NOT PROJECT_IS_TOP_LEVEL)
    target_link_libraries(${whole} INTERFACE "$<BUILD_INTERFACE:$<TARGET_OBJECTS:armilla_build_tree>>")
  endif()
endfunction()

# armilla::checked: the same library with the costly checks. Without ARMILLA_WITH_CHECKED no part of `all`: `cmake --build BUILD --target armilla-checked`.
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
  add_library(armilla-checked STATIC ${objects})
  if(NOT ARMILLA_WITH_CHECKED)
    set_target_properties(armilla-checked PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  add_library(armilla::checked ALIAS armilla-checked)
  set_target_properties(armilla-checked PROPERTIES LINKER_LANGUAGE CXX EXPORT_NAME checked)
  target_link_libraries(armilla-checked PUBLIC armilla_checked_interface Threads::Threads hwloc::hwloc boost_context ${ARMILLA_SORT_LIBRARY} ${ARMILLA_PLACES_LIBRARY} ${CMAKE_DL_LIBS})
endfunction()
