# SPDX-License-Identifier: Apache-2.0
# libarmilla.so: what it shows. Names are hidden unless a header that users include declares them: each source of a layer begins with
# the headers of that kind of its own and lower layers, between `#pragma GCC visibility push(default)` and `pop`. So no declaration says by itself that it
# is public, and none can be forgotten.

# Of libarmilla.so.N: one more when a program that was linked with an older one would not run right.
set(ARMILLA_ABI 0)

set(ARMILLA_SHOWN_HEADERS)
if(ARMILLA_SHARED)
  execute_process(COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/public-headers" OUTPUT_VARIABLE ARMILLA_SHOWN_HEADERS
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" ARMILLA_SHOWN_HEADERS "${ARMILLA_SHOWN_HEADERS}")
endif()

# armilla_show_public_names(<layer> DEPENDS <lower> ...): hides all names of this layer but those of public headers of it and of the lower ones on
# which it depends: a name that is hidden in one object is hidden in the library. Nothing where no shared library is made of it.
function(armilla_show_public_names layer)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  armilla_know_all(armilla_show_public_names)
  if(NOT ARMILLA_SHARED)
    return()
  endif()
  set(known ${arg_DEPENDS})
  foreach(lower IN LISTS arg_DEPENDS)
    get_property(theirs GLOBAL PROPERTY ARMILLA_BELOW_${lower})
    list(APPEND known ${theirs})
  endforeach()
  list(REMOVE_DUPLICATES known)
  set_property(GLOBAL PROPERTY ARMILLA_BELOW_${layer} ${known})
  list(JOIN known "|" known)
  set(text "#pragma once\n#pragma GCC visibility push(default)\n")
  foreach(header IN LISTS ARMILLA_SHOWN_HEADERS)
    if(header MATCHES "^armilla/(${layer}|${known})/")
      string(APPEND text "#include \"${header}\"\n")
    endif()
  endforeach()
  set(shown "${PROJECT_BINARY_DIR}/shown/${layer}.hpp")
  file(CONFIGURE OUTPUT "${shown}" CONTENT "${text}#pragma GCC visibility pop\n")
  get_target_property(type armilla_${layer} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    set_target_properties(armilla_${layer} PROPERTIES CXX_VISIBILITY_PRESET hidden)
    target_compile_options(armilla_${layer} PRIVATE "SHELL:-include \"${shown}\"")
  endif()
endfunction()

# armilla_shared_aggregate(OBJECTS ...): the target armilla, libarmilla.so. Of what these objects show the templates of other libraries,
# which they instantiate, stay inside.
function(armilla_shared_aggregate)
  cmake_parse_arguments(arg "" "" "OBJECTS" ${ARGN})
  armilla_know_all(armilla_shared_aggregate)
  set(exported "${PROJECT_SOURCE_DIR}/cmake/exported.map")
  add_library(armilla SHARED ${arg_OBJECTS})
  set_target_properties(armilla PROPERTIES LINKER_LANGUAGE CXX VERSION ${ARMILLA_ABI}.${PROJECT_VERSION} SOVERSION ${ARMILLA_ABI}
                                           LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib" LINK_DEPENDS "${exported}")
  target_link_options(armilla PRIVATE "-Wl,--version-script=${exported}" -Wl,--no-undefined)
  target_link_libraries(armilla PUBLIC armilla_interface Threads::Threads
                                PRIVATE armilla_linker hwloc::hwloc boost_context ${ARMILLA_SORT_LIBRARY} ${ARMILLA_PLACES_LIBRARY} ${CMAKE_DL_LIBS})
endfunction()
