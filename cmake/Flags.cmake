# How our own code is compiled. Parts come in as system headers, and are spared the warnings.

# clang counts -Wsign-conversion to -Wconversion, gcc does not: say it, so that both agree.
add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow)

# gcc 12 takes std::string's operator+ for overlapping copies.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # (clang-tidy reads these options too, and does not know the warning.)
  add_compile_options(-Wno-restrict -Wno-unknown-warning-option)
endif()

# An instrumented or a clang build sees warnings that the compiler of record does not (some of them
# false); the plain build is the one that holds us to none.
if(THRONG_WERROR AND NOT THRONG_SANITIZE AND NOT THRONG_FUZZ)
  add_compile_options(-Werror)
endif()

# Line numbers in a backtrace, at a fraction of the size of full debug information.
add_compile_options($<$<CONFIG:RelWithDebInfo>:-g1>)

if(THRONG_SANITIZE OR THRONG_FUZZ)
  # Tests: -O0 compiles twice as fast as -O1, which counts for more than how fast they run. Fuzzing: the
  # other way round. The build type is Debug, so our asserts are on here.
  add_compile_options($<IF:$<BOOL:${THRONG_FUZZ}>,-O1,-O0>)
  # ABI-compatible library assertions catch the bad index that stays inside its allocation.
  set(sanitizers address,undefined)
  if(THRONG_SANITIZE STREQUAL thread)
    set(sanitizers thread)
    # In place of TBB's headers: see there.
    include_directories(BEFORE ${PROJECT_SOURCE_DIR}/tests/thread_sanitizer)
  endif()
  add_compile_options(-g1 -fno-omit-frame-pointer -fsanitize=${sanitizers}
                      -fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=${sanitizers})
endif()
if(THRONG_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "THRONG_FUZZ needs clang: -DCMAKE_CXX_COMPILER=clang++")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# ccache fails outright where it cannot write its folder (a user without a home): try it first.
find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  execute_process(
    COMMAND ${CCACHE} ${CMAKE_CXX_COMPILER} -x c++ -c /dev/null -o ${CMAKE_BINARY_DIR}/ccache-probe.o
    RESULT_VARIABLE ccache_status OUTPUT_QUIET ERROR_QUIET)
  if(ccache_status EQUAL 0)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  endif()
endif()

# Counting bits is in the inner loops; every x86-64 since 2009 has an instruction for it.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options(-march=x86-64-v2)
endif()
