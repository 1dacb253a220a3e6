# What `cmake --install` lays down beside the targets: headers, the standard library, examples, documents, the CMake package, pkg-config.
include(CMakePackageConfigHelpers)
install(DIRECTORY runtime/include/phobos DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY stdlib/ DESTINATION ${CMAKE_INSTALL_DATADIR}/phobos/stdlib FILES_MATCHING PATTERN "*.pho")
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/phobos/examples)
install(DIRECTORY docs spec DESTINATION ${CMAKE_INSTALL_DOCDIR})
# What shows on any machine with a driver that the GPU target is right: python3 share/phobos/tests/gpu/suite.py bin
install(DIRECTORY tests/conformance tests/gpu DESTINATION ${CMAKE_INSTALL_DATADIR}/phobos/tests)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(packageDir ${CMAKE_INSTALL_LIBDIR}/cmake/Phobos)
install(EXPORT PhobosTargets NAMESPACE Phobos:: DESTINATION ${packageDir})
configure_package_config_file(compiler/cmake/PhobosConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/PhobosConfig.cmake INSTALL_DESTINATION ${packageDir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/PhobosConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/PhobosConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/PhobosConfigVersion.cmake DESTINATION ${packageDir})
# The prefix as seen from the .pc files: the folder may be unpacked anywhere.
file(RELATIVE_PATH PHOBOS_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(pc phobos-runtime phobos)
  configure_file(compiler/cmake/${pc}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${pc}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${pc}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
