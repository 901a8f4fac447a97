# SPDX-License-Identifier: Apache-2.0
#   armilla_backend(<name> SOURCES a.cpp ... [DESCRIPTION x.backend] [INCLUDES ...] [LIBRARIES ...] [HELPER])
#
# The shared library libarmilla-<name>.so in <build>/lib/armilla, which is loaded and never linked: armilla/plugin.hpp.
# It contains nothing of the library and shows one symbol. DESCRIPTION: what can be known without
# loading it (armilla/fabric/backend_list.hpp); lies beside the library. HELPER: for tests only, in a folder of its own and not installed.
function(armilla_backend name)
  cmake_parse_arguments(arg "HELPER" "DESCRIPTION" "SOURCES;INCLUDES;LIBRARIES" ${ARGN})
  armilla_know_all(armilla_backend)
  set(target armilla-${name})
  set(folder "${PROJECT_BINARY_DIR}/lib/armilla")
  if(arg_HELPER)
    string(APPEND folder /helpers)
  endif()
  set(exported "${PROJECT_SOURCE_DIR}/backends/exported.map")
  add_library(${target} MODULE ${arg_SOURCES})
  set_target_properties(
    ${target} PROPERTIES PREFIX lib SUFFIX .so LIBRARY_OUTPUT_DIRECTORY "${folder}" CXX_VISIBILITY_PRESET hidden
                         VISIBILITY_INLINES_HIDDEN ON INSTALL_RPATH_USE_LINK_PATH ON LINK_DEPENDS "${exported}")
  target_link_libraries(${target} PRIVATE armilla_private armilla_interface ${arg_LIBRARIES} ${CMAKE_DL_LIBS})
  target_include_directories(${target} SYSTEM PRIVATE ${arg_INCLUDES})
  # Engines leave call-backs and threads behind, so it is never unloaded. A sanitizer's own symbols are in the program.
  target_link_options(${target} PRIVATE "-Wl,--version-script=${exported}" -Wl,-z,nodelete)
  if(NOT ARMILLA_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  if(TARGET network_tests)
    add_dependencies(network_tests ${target})
  endif()
  if(NOT arg_HELPER)
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/armilla)
  endif()
  if(arg_DESCRIPTION)
    configure_file(${arg_DESCRIPTION} "${folder}/lib${target}.backend" COPYONLY)
    install(FILES "${folder}/lib${target}.backend" DESTINATION ${CMAKE_INSTALL_LIBDIR}/armilla)
  endif()
endfunction()
