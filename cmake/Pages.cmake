# The pages of --html: bundled by esbuild into one file of the build folder, which becomes a part of the program.
#
# Packages go into pages/node_modules, once for all build folders (InstallPages.cmake).
# throng_pages is apart from throng_objects, so that the library, the benchmarks and the fuzz targets need no page.

file(GLOB pages_sources CONFIGURE_DEPENDS src/pages/*.cpp)
list(FILTER pages_sources EXCLUDE REGEX "_test\\.cpp$")
add_library(throng_pages OBJECT ${pages_sources})
target_link_libraries(throng_pages PUBLIC throng_objects)

if(NOT THRONG_PAGES)
  return()
endif()

find_program(NODE NAMES node nodejs)
find_program(NPM npm)
mark_as_advanced(NODE NPM)
if(NOT NODE OR NOT NPM)
  message(FATAL_ERROR " node and npm (Debian packages nodejs and npm) are needed for the pages of --html; "  # not wrapped
    "without them, build with -DTHRONG_PAGES=OFF")
endif()

set(pages_dir ${PROJECT_SOURCE_DIR}/pages)
set(pages_installed ${PROJECT_BINARY_DIR}/pages/installed)
set(pages_file ${PROJECT_BINARY_DIR}/pages/page.html)
file(GLOB pages_inputs CONFIGURE_DEPENDS ${pages_dir}/src/*)
add_custom_command(OUTPUT ${pages_installed} VERBATIM
  COMMENT "Installing the packages of the pages"
  COMMAND ${CMAKE_COMMAND} -DNPM=${NPM} -DPAGES=${pages_dir} -DCACHE=${PROJECT_SOURCE_DIR}/.cache/npm
          -P ${PROJECT_SOURCE_DIR}/cmake/InstallPages.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${pages_installed}
  DEPENDS ${pages_dir}/package.json ${pages_dir}/package-lock.json ${pages_dir}/.npmrc
          ${PROJECT_SOURCE_DIR}/cmake/InstallPages.cmake)
add_custom_command(OUTPUT ${pages_file} VERBATIM
  COMMENT "Bundling the pages"
  COMMAND ${NODE} ${pages_dir}/build.mjs ${pages_file}
  DEPENDS ${pages_installed} ${pages_dir}/build.mjs ${pages_inputs})

set_property(SOURCE src/pages/page.cpp PROPERTY OBJECT_DEPENDS ${pages_file})
set_property(SOURCE src/pages/page.cpp APPEND PROPERTY COMPILE_DEFINITIONS THRONG_PAGE_FILE="${pages_file}")
