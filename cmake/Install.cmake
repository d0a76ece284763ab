# SPDX-License-Identifier: Apache-2.0
# cmake --install: the program, both libraries, the headers, and what pkg-config and find_package(Thaw) need.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Thaw)

set_target_properties(thaw PROPERTIES EXPORT_NAME thaw_static)
set_target_properties(thaw_shared PROPERTIES EXPORT_NAME thaw)
install(TARGETS thaw thaw_shared EXPORT ThawTargets)
install(DIRECTORY include/thaw TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(EXPORT ThawTargets NAMESPACE Thaw:: DESTINATION ${package_dir})
if(TARGET thaw_program)
  install(TARGETS thaw_program)
endif()

configure_package_config_file(cmake/ThawConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/ThawConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(ThawConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ThawConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/ThawConfigVersion.cmake
  DESTINATION ${package_dir})

# The prefix is found from where thaw.pc lies, so that an installed tree can be moved.
file(RELATIVE_PATH THAW_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" THAW_PC_TO_PREFIX "${THAW_PC_TO_PREFIX}")
configure_file(cmake/thaw.pc.in thaw.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/thaw.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/thaw FILES_MATCHING PATTERN "*.json" PATTERN "*.msh")
