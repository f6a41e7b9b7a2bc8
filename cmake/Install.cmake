# PREFIX/bin/throng, PREFIX/lib/libthrong.so and PREFIX/lib/throng/libduckdb.so find one another
# by $ORIGIN, so that PREFIX may be moved anywhere.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(private_libdir ${CMAKE_INSTALL_LIBDIR}/throng)  # ours alone: hides no system-wide libduckdb
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/throng)
cmake_path(RELATIVE_PATH private_libdir BASE_DIRECTORY ${CMAKE_INSTALL_BINDIR}
           OUTPUT_VARIABLE from_bin)

# INSTALL_RPATH_USE_LINK_PATH: a DuckDB from an unusual -DDUCKDB_ROOT is found there again.
if(TARGET throng)
  set_target_properties(throng PROPERTIES
    INSTALL_RPATH "$ORIGIN/${from_bin}" INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS throng RUNTIME)
endif()
set_target_properties(libthrong PROPERTIES
  INSTALL_RPATH "$ORIGIN/throng" INSTALL_RPATH_USE_LINK_PATH ON)

install(TARGETS libthrong EXPORT throngTargets LIBRARY)
install(DIRECTORY include/throng DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
if(DuckDB_BUNDLED)
  install(PROGRAMS ${DuckDB_LIBRARY} DESTINATION ${private_libdir})
endif()

install(EXPORT throngTargets NAMESPACE throng:: DESTINATION ${package_dir})
configure_package_config_file(cmake/throngConfig.cmake.in throngConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(throngConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/throngConfig.cmake ${PROJECT_BINARY_DIR}/throngConfigVersion.cmake
  DESTINATION ${package_dir})
