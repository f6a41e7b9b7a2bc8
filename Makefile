# The few commands one needs; CMake does the work. `make` alone builds.

PREFIX ?= /usr/local
JOBS ?= 2
FUZZ_SECONDS ?= 30
KILLS ?= 10000
CHECK_KILLS ?= 500
# More settings for CMake, e.g. CMAKE_ARGS=-DDUCKDB_ROOT=/opt/duckdb or -DTHRONG_PAGES=OFF. They count when a build
# folder is made; `make clean` first to change them.
CMAKE_ARGS ?=
export CMAKE_ARGS
# Real tables, for the experiments and the benchmarks.
THRONG_DATA ?= ../shared/data

configure = cmake -S . -B $(@D) -G Ninja $(CMAKE_ARGS)
build = cmake --build $(1) --parallel $(JOBS)
run_tests = ctest --test-dir $(1) --parallel $(JOBS) --output-on-failure --no-tests=error --timeout 300
sources = $(shell find $(wildcard src include tests fuzz bench examples) -name '*.cpp' -o -name '*.h')

.PHONY: build test soak check-all demo bench bench-large profile compare experiments experiments-data fuzz
.PHONY: format lint install clean help deps deps-test deps-compare deps-fuzz deps-lint
.DEFAULT_GOAL := build

build: build/build.ninja  ## build the program: build/throng
	$(call build,build) --target throng libthrong

test: deps-test build/build.ninja build-asan/build.ninja  ## build, and run all tests; unit tests also under sanitizers
	$(call build,build)
	$(call build,build-asan) --target throng_tests fuzzers
	$(call run_tests,build)
	$(call run_tests,build-asan) --exclude-regex '^Adult'  # large tables: the plain build has done them

soak: build/build.ninja  ## crash tests at every fail point, and KILLS (10000) random kills
	$(call build,build) --target throng fail_points
	THRONG=build/throng FAIL_POINTS=build/tests/libfail_points.so tests/crash/run.py --all --kills $(KILLS)

check-all: test build-tsan/build.ninja  ## all tests, also under the thread sanitizer; fuzzers; the crash loop
	$(call build,build-tsan) --target throng_tests fuzzers
	TSAN_OPTIONS=suppressions=$(CURDIR)/tests/thread_sanitizer/suppressions.txt \
	  $(call run_tests,build-tsan) --timeout 900 --exclude-regex '^Adult'
	$(MAKE) fuzz
	$(MAKE) soak KILLS=$(CHECK_KILLS)

demo: build  ## anonymize a table of patients: build/demo/
	scripts/demo build/throng

bench: build-bench/build.ninja  ## build in Release mode and run bench/run
	$(call build,build-bench)
	BENCH=$(BENCH) THRONG=$(CURDIR)/build-bench/throng BENCH_DIR=$(CURDIR)/build-bench/bench bench/run

bench-large:  ## 50 million rows, and 10 thousand releases: takes long
	$(MAKE) bench BENCH=large-table,large-publication

profile: build-bench/build.ninja  ## where the time of 10 million rows goes: docs/performance.md
	$(call build,build-bench)
	THRONG=$(CURDIR)/build-bench/throng BENCH_DIR=$(CURDIR)/build-bench/bench bench/profile

compare: build-bench/build.ninja build/compare-venv/installed  ## measure other tools beside Throng: docs/compare.md (COMPARE=--quick, ARX_JAR=)
	$(call build,build-bench) --target throng
	THRONG=$(CURDIR)/build-bench/throng ARX_JAR=$(ARX_JAR) build/compare-venv/bin/python bench/compare/run.py $(COMPARE)

experiments: experiments-data build build/experiments-venv/installed  ## the papers' figures again: docs/experiments/ (ONLY=byun: one)
	build/experiments-venv/bin/python experiments/run.py --only '$(ONLY)' --data '$(THRONG_DATA)' --throng build/throng

fuzz: build-fuzz/build.ninja  ## fuzz each target for FUZZ_SECONDS (needs clang)
	$(call build,build-fuzz) --target fuzzers
	FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz build-fuzz

format: deps-lint  ## clang-format all sources in place
	clang-format -i $(sources)

lint: deps-lint build/build.ninja  ## clang-format and clang-tidy, as errors
	clang-format --dry-run -Werror $(sources)
	run-clang-tidy -quiet -p build -j $(JOBS) '$(CURDIR)/src/.*(?<!_test)\.cpp$$'

install: build  ## install under PREFIX (/usr/local)
	cmake --install build --prefix $(PREFIX)

clean:  ## remove all build folders
	rm -rf build build-asan build-bench build-fuzz build-tsan

help:  ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 19

# A build folder is configured once; after that ninja runs CMake again by itself when it must.
build/build.ninja: | deps
	$(configure) -DCMAKE_BUILD_TYPE=RelWithDebInfo
build-asan/build.ninja: | deps
	$(configure) -DCMAKE_BUILD_TYPE=Debug -DTHRONG_SANITIZE=address
build-tsan/build.ninja: | deps
	$(configure) -DCMAKE_BUILD_TYPE=Debug -DTHRONG_SANITIZE=thread
build-bench/build.ninja: | deps
	$(configure) -DCMAKE_BUILD_TYPE=Release -DTHRONG_BENCH=ON -DTHRONG_TESTS=OFF
build-fuzz/build.ninja: | deps-fuzz
	$(configure) -DCMAKE_BUILD_TYPE=Debug -DTHRONG_FUZZ=ON -DCMAKE_CXX_COMPILER=clang++

# Downloads happen here, once, and never while anything is measured.
build/compare-venv/installed: bench/compare/requirements.txt | deps-compare
	python3 -m venv build/compare-venv
	build/compare-venv/bin/pip install --quiet --disable-pip-version-check --no-deps -r $<
	touch $@

# Found missing before a minute is spent on building.
experiments-data:
	@test -f '$(THRONG_DATA)/adult/adult.csv' || { echo 'make experiments: UCI Adult is NOT THERE: no $(THRONG_DATA)/adult/adult.csv.'; \
	  echo '  Nothing was run. Set THRONG_DATA to the folder that has adult/adult.csv and adult/taxonomies/.'; exit 1; } >&2
build/experiments-venv/installed: experiments/requirements.txt | deps-compare
	python3 -m venv build/experiments-venv
	build/experiments-venv/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

deps:
	@scripts/install-deps
deps-compare:
	@scripts/install-deps compare
deps-test:
	@scripts/install-deps test
deps-fuzz:
	@scripts/install-deps fuzz
deps-lint:
	@scripts/install-deps lint
