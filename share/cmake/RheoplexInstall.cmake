# Installation: library, program, headers, plugins with their sources, and the package that find_package(Rheoplex) reads.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Rheoplex)

set_target_properties(rheoplex_plugin_headers PROPERTIES EXPORT_NAME plugin)
# Built with the paths of the installed files: CMake fills the room for longer ones with empty elements, and the loader
# takes such an element for the current folder.
# PETSc and SLEPc of share/petsc-cuda may lie below the source tree, of whose folders CMake adds none.
set(rpath "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}" ${RheoplexPETSc_LIBRARY_DIR} ${RheoplexSLEPc_LIBRARY_DIR})
set_target_properties(rheoplex rheoplex-bin PROPERTIES
  INSTALL_RPATH "${rpath}" INSTALL_RPATH_USE_LINK_PATH ON BUILD_WITH_INSTALL_RPATH ON)
install(TARGETS rheoplex rheoplex_plugin_headers EXPORT RheoplexTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS rheoplex-bin RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS rheoplex-load-plugin RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/rheoplex)
install(FILES ${PROJECT_BINARY_DIR}/lib/rheoplex/insitu_paraview.so DESTINATION ${CMAKE_INSTALL_LIBDIR}/rheoplex OPTIONAL) # of share/insitu
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/include/rheoplex DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/include/rheoplex/config.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rheoplex)

install(EXPORT RheoplexTargets NAMESPACE Rheoplex:: DESTINATION ${package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/share/cmake/RheoplexConfig.cmake.in
  ${PROJECT_BINARY_DIR}/RheoplexConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/RheoplexConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/RheoplexConfig.cmake ${PROJECT_BINARY_DIR}/RheoplexConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/share/cmake/RheoplexPlugin.cmake ${PROJECT_SOURCE_DIR}/share/cmake/explain-plugin.sh ${PROJECT_SOURCE_DIR}/share/cmake/FindRheoplexPETSc.cmake DESTINATION ${package_folder})
