# SPDX-License-Identifier: Apache-2.0
# `cpack` in the build's folder: what `cmake --install` installs, as an archive that may be unpacked anywhere.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME armilla)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_FILE_NAME "armilla-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
include(CPack)
