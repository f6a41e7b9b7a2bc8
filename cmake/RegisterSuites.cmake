# Registers each test suite of a GoogleTest program as one ctest test. Run after the program is
# linked:  cmake -DPROGRAM=... -DOUTPUT=... -P RegisterSuites.cmake
#
# Not gtest_discover_tests: that starts the program once for each single test, and starting it
# (sanitizers, a 60 MB shared library) costs more than most of the tests.

execute_process(COMMAND ${PROGRAM} --gtest_list_tests
  OUTPUT_VARIABLE listing RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: ${status}")
endif()

# A suite stands at the beginning of a line and ends in a dot; a parameterized one has a comment.
string(REGEX MATCHALL "(^|\n)[A-Za-z_][A-Za-z0-9_/]*\\." suites "${listing}")
set(script "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "[\n.]" "" suite "${suite}")
  string(APPEND script
    "add_test([[${suite}]] [[${PROGRAM}]] [[--gtest_filter=${suite}.*]] [[--gtest_brief=1]])\n")
endforeach()
file(WRITE ${OUTPUT} "${script}")
