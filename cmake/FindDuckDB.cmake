# DuckDB's C library, as DuckDB::DuckDB. Looks in -DDUCKDB_ROOT (or the environment's), then in
# .deps (where scripts/install-deps puts it), then where the system keeps its libraries.
#
# DuckDB_BUNDLED is true when it came from .deps; then it is installed together with the program.

set(_bundle ${CMAKE_CURRENT_LIST_DIR}/../.deps/duckdb)
cmake_path(NORMAL_PATH _bundle)
set(_roots ${DUCKDB_ROOT} $ENV{DUCKDB_ROOT} ${_bundle})

find_path(DuckDB_INCLUDE_DIR duckdb.h HINTS ${_roots} PATH_SUFFIXES include)
find_library(DuckDB_LIBRARY duckdb HINTS ${_roots} PATH_SUFFIXES lib)
mark_as_advanced(DuckDB_INCLUDE_DIR DuckDB_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DuckDB
  REQUIRED_VARS DuckDB_LIBRARY DuckDB_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "run scripts/install-deps, or give -DDUCKDB_ROOT=DIR with DIR/include/duckdb.h and DIR/lib/libduckdb.so")

if(DuckDB_FOUND)
  cmake_path(IS_PREFIX _bundle ${DuckDB_LIBRARY} NORMALIZE DuckDB_BUNDLED)
  if(NOT TARGET DuckDB::DuckDB)
    add_library(DuckDB::DuckDB SHARED IMPORTED)
    set_target_properties(DuckDB::DuckDB PROPERTIES
      IMPORTED_LOCATION ${DuckDB_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${DuckDB_INCLUDE_DIR})
  endif()
endif()
