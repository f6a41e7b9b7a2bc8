# cmake -DNPM=… -DPAGES=… -DCACHE=… -P InstallPages.cmake: `npm ci` where the lock file is newer than what is
# installed. One build folder at a time: they share what is installed.
file(LOCK ${PAGES} DIRECTORY GUARD PROCESS TIMEOUT 600)
set(installed ${PAGES}/node_modules/.package-lock.json)  # npm writes it last
set(is_current TRUE)
foreach(input package.json package-lock.json .npmrc)
  if(NOT EXISTS ${installed} OR ${PAGES}/${input} IS_NEWER_THAN ${installed})
    set(is_current FALSE)
  endif()
endforeach()
if(is_current)
  return()
endif()
execute_process(COMMAND ${NPM} ci --loglevel=error --cache ${CACHE}
  WORKING_DIRECTORY ${PAGES} RESULT_VARIABLE status OUTPUT_QUIET)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "npm cannot install the packages of the pages; without a network, "
    "build with -DTHRONG_PAGES=OFF")
endif()
