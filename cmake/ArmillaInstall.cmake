# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: the library, the headers, a CMake package and a pkg-config file.
include(CMakePackageConfigHelpers)
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/armilla")

set_target_properties(armilla_interface PROPERTIES EXPORT_NAME interface)
set(libraries armilla)
if(ARMILLA_SHARED)
  list(APPEND libraries armilla_static)
endif()
install(TARGETS ${libraries} armilla_interface EXPORT armilla-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
                                                                      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Of the headers those that a program reaches, as they are at the time of the installation.
install(CODE "execute_process(COMMAND \"${Python3_EXECUTABLE}\" \"${PROJECT_SOURCE_DIR}/tools/public-headers\" OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
string(STRIP \"\${headers}\" headers)
string(REPLACE \"\\n\" \";\" headers \"\${headers}\")
foreach(header IN LISTS headers)
  cmake_path(GET header PARENT_PATH folder)
  file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/\${folder}\" TYPE FILE FILES \"${PROJECT_SOURCE_DIR}/\${header}\")
endforeach()")
install(EXPORT armilla-targets NAMESPACE armilla:: DESTINATION ${package_folder})

# The library with the costly checks, where it has been built (target armilla-checked).
if(TARGET armilla-checked)
  set_target_properties(armilla_checked_interface PROPERTIES EXPORT_NAME checked_interface)
  install(TARGETS armilla-checked armilla_checked_interface EXPORT armilla-checked-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  install(EXPORT armilla-checked-targets NAMESPACE armilla:: DESTINATION ${package_folder})
endif()

configure_package_config_file(cmake/armilla-config.cmake.in armilla-config.cmake INSTALL_DESTINATION ${package_folder}
                              PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(armilla-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/armilla-config.cmake" "${PROJECT_BINARY_DIR}/armilla-config-version.cmake"
              cmake/Findhwloc.cmake DESTINATION ${package_folder})

# The prefix is found from where the file lies, so that an installed tree can be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig"
           OUTPUT_VARIABLE ARMILLA_PC_PREFIX)
# armilla_pkg_config(<name> LIBRARY l [INSIDE]): <build>/<name>.pc, of what the linker knows as -ll. INSIDE: what that needs by itself is no matter of
# its users', unless they link all of it statically.
function(armilla_pkg_config name)
  cmake_parse_arguments(arg "INSIDE;CHECKED" "LIBRARY" "" ${ARGN})
  armilla_know_all(armilla_pkg_config)
  set(ARMILLA_PC_NAME ${name})
  set(ARMILLA_PC_LIBRARY ${arg_LIBRARY})
  set(ARMILLA_PC_INSIDE "")
  set(ARMILLA_PC_OUTSIDE " ${ARMILLA_LINK_WORDS}")
  set(ARMILLA_PC_WITHIN "")
  if(arg_INSIDE)
    set(ARMILLA_PC_INSIDE .private)
    set(ARMILLA_PC_WITHIN "${ARMILLA_PC_OUTSIDE}")
    set(ARMILLA_PC_OUTSIDE "")
  endif()
  set(ARMILLA_PC_CHECKED $<OR:$<BOOL:${arg_CHECKED}>,$<BOOL:${ARMILLA_CHECKED}>>)
  set(ARMILLA_PC_PARANOID $<BOOL:${ARMILLA_PARANOID}>)
  if(arg_CHECKED)
    string(APPEND ARMILLA_PC_PARANOID " -D_GLIBCXX_ASSERTIONS")
  endif()
  configure_file(cmake/armilla.pc.in pc/${name}.pc.in @ONLY)
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/${name}.pc" INPUT "${PROJECT_BINARY_DIR}/pc/${name}.pc.in")
endfunction()

set(names armilla)
if(ARMILLA_SHARED)
  armilla_pkg_config(armilla LIBRARY armilla INSIDE)
  armilla_pkg_config(armilla-static LIBRARY :libarmilla.a)
  list(APPEND names armilla-static)
else()
  armilla_pkg_config(armilla LIBRARY armilla)
endif()
foreach(name IN LISTS names)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
if(TARGET armilla-checked)
  armilla_pkg_config(armilla-checked LIBRARY armilla-checked CHECKED)
  install(CODE "if(EXISTS \"$<TARGET_FILE:armilla-checked>\")
  file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig\" TYPE FILE FILES \"${PROJECT_BINARY_DIR}/armilla-checked.pc\")
endif()")
endif()

# The documentation as it is written, and as a site where tools/site has built it.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN site EXCLUDE)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/build/site/" DESTINATION ${CMAKE_INSTALL_DOCDIR}/html COMPONENT site OPTIONAL
        PATTERN "sitemap.xml*" EXCLUDE) # for search engines

# The examples, which name each other's headers by paths from the folder above theirs, and a project of their own.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION ${CMAKE_INSTALL_DATADIR}/armilla FILES_MATCHING PATTERN "*.cpp" PATTERN "*.hpp"
        PATTERN installed EXCLUDE PATTERN "*_test.cpp" EXCLUDE)
install(FILES examples/installed/CMakeLists.txt DESTINATION ${CMAKE_INSTALL_DATADIR}/armilla/examples)
