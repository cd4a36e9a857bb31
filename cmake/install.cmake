# `find_package(carom)` in another project finds the target carom::carom.
include(CMakePackageConfigHelpers)
set(CAROM_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/carom)

install(TARGETS carom EXPORT carom-targets)
install(DIRECTORY include/carom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT carom-targets NAMESPACE carom:: DESTINATION ${CAROM_CMAKE_DIR})
configure_package_config_file(cmake/carom-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/carom-config.cmake
  INSTALL_DESTINATION ${CAROM_CMAKE_DIR})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/carom-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/carom-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/carom-config-version.cmake
  DESTINATION ${CAROM_CMAKE_DIR})
if(CAROM_BUILD_APP)
  install(TARGETS carom_app)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
