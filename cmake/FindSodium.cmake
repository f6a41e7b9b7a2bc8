# libsodium, as Sodium::Sodium. Looks in -DSODIUM_ROOT (or the environment's), then where the system
# keeps its libraries.

set(_roots ${SODIUM_ROOT} $ENV{SODIUM_ROOT})

find_path(Sodium_INCLUDE_DIR sodium.h HINTS ${_roots} PATH_SUFFIXES include)
find_library(Sodium_LIBRARY sodium HINTS ${_roots} PATH_SUFFIXES lib)
mark_as_advanced(Sodium_INCLUDE_DIR Sodium_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Sodium
  REQUIRED_VARS Sodium_LIBRARY Sodium_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "run scripts/install-deps, or give -DSODIUM_ROOT=DIR with DIR/include/sodium.h and DIR/lib/libsodium.so")

if(Sodium_FOUND AND NOT TARGET Sodium::Sodium)
  add_library(Sodium::Sodium UNKNOWN IMPORTED)
  set_target_properties(Sodium::Sodium PROPERTIES
    IMPORTED_LOCATION ${Sodium_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Sodium_INCLUDE_DIR})
endif()
