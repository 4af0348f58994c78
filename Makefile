# The entry points. Each does all it needs, on a fresh Debian 12 machine too: installs missing packages (packages.txt),
# configures, builds, runs. CMake does the building (CMakePresets.json); nothing here needs git.

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 3600
# The interpreter of the Python package: the distribution's own, which has its packages.
PYTHON ?= /usr/bin/python3
LAUNCHER := $(if $(shell command -v ccache 2>/dev/null),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

# make build MPI=1 also makes espalier-mpi, for several machines; make test always does.
MPI ?=
CONFIGURE = cmake $(LAUNCHER) $(if $(MPI),-DESPALIER_MPI=ON) --log-level=WARNING --preset
BUILD = cmake --build --parallel $(JOBS) --preset
SOURCES = find espalier apps server research examples fuzz bench python -name '*.h' -o -name '*.cc'

export JOBS LAUNCHER

.PHONY: help build demo test check asan tsan bench fuzz format lint install package test-package soak nightly nightly-failures nightly-serve nightly-python nightly-fuzz nightly-papers serve-asan serve-tsan clean setup setup-serve setup-mpi python python-test python-asan page-build test-page page-pictures
.DEFAULT_GOAL := build

help:
	@echo 'make demo      train and try a tagger, a chunker and an entity recogniser on the bundled corpus'
	@echo 'make test      build and run everything: tests, checks of the tree, the Python package and its tests'
	@echo 'make build     the program, as build/release/espalier, and those behind its verbs compare, report, ensemble, reproduce, serve;'
	@echo '               with MPI=1 also espalier-mpi, which trains on several machines'
	@echo 'make check     the tests of the release build alone'
	@echo 'make asan      library tests and fuzz targets under the address and undefined-behaviour sanitizers'
	@echo 'make tsan      the tests that use threads, under the thread sanitizer'
	@echo 'make bench     ratios against CRFsuite, measured in the same run'
	@echo 'make fuzz      every fuzz target for FUZZ_SECONDS ($(FUZZ_SECONDS)) seconds'
	@echo 'make format    clang-format all sources;  make lint: check them with clang-format, clang-tidy, shellcheck'
	@echo 'make install   program, library, manual pages and documentation under PREFIX ($(PREFIX)); DESTDIR is honoured'
	@echo 'make package   Debian packages, and a folder that runs anywhere, in build/packages'
	@echo 'make test-package  installs them in a bare Debian root and uses them there; needs root and a Debian mirror'
	@echo 'make soak      random commands for SOAK_SECONDS ($(SOAK_SECONDS)) seconds'
	@echo 'make nightly   all that takes hours: every failure, every fuzz target, threads, an hour of commands, packages, the papers'
	@echo 'make python    the Python package, importable from build/python, and a wheel;  make python-test: its tests'
	@echo 'make python-asan  the tests of the Python package under the address and undefined-behaviour sanitizers'
	@echo 'make serve-asan, serve-tsan  a real server under the sanitizers: its tests, ten thousand damaged requests'
	@echo 'make test-page the page of the service, tested in Chromium;  make page-pictures: the pictures of it in docs/images'
	@echo 'make clean     remove build/'

setup:
	@scripts/setup.sh build

setup-serve: setup
	@scripts/setup.sh serve

setup-mpi: setup
	@$(if $(MPI),scripts/setup.sh mpi)

build: setup-serve setup-mpi
	$(CONFIGURE) release
	$(BUILD) release --target espalier espalier-compare espalier-ensemble espalier-reproduce espalier-serve $(if $(MPI),espalier-mpi)

# The program without the experiments and the server, which take longer to compile than the demo to run.
demo: setup
	$(CONFIGURE) release
	$(BUILD) release --target espalier
	@scripts/demo.sh

test: check
	@$(MAKE) python-test

check: setup-serve
	@scripts/setup.sh mpi
	@LAUNCHER="$(LAUNCHER) -DESPALIER_MPI=ON" scripts/test.sh release

asan tsan: setup-serve
	@scripts/test.sh $@

bench: build
	@scripts/setup.sh bench
	@bench/run.sh

fuzz: setup-serve
	@scripts/setup.sh fuzz
	@scripts/fuzz.sh $(FUZZ_SECONDS)

format:
	@scripts/setup.sh lint
	$(SOURCES) | xargs clang-format -i

lint: setup-serve
	@scripts/setup.sh lint
	$(CONFIGURE) debug
	@scripts/lint.sh

install: build
	$(BUILD) release --target library
	cmake --install build/release --prefix "$(PREFIX)"

package: build
	@scripts/setup.sh package
	$(BUILD) release --target library
	@scripts/package.sh

test-package: package
	@scripts/setup.sh test-package
	@scripts/test_package.sh

soak: build
	@scripts/soak.sh $(SOAK_SECONDS)

# The long runs, from the cheapest to the dearest. Each goes on where the one before found something (-k keeps going), and the
# status says whether any did.
nightly:
	$(MAKE) -k nightly-failures tsan test-package nightly-python python-asan serve-asan serve-tsan soak nightly-serve nightly-fuzz nightly-papers

nightly-failures: check
	ESPALIER_ALL_FAILURES=1 bash apps/tests/failures_test.sh $(CURDIR)/build/release/espalier $(CURDIR)/build/release/apps/json_value

# Damaged requests to a real server, and a million good ones.
nightly-serve: build
	ESPALIER_MUTATIONS=10000 /usr/bin/python3 server/server_test.py $(CURDIR)/build/release/espalier Answers.test_mutated_requests
	@scripts/setup.sh bench-serve
	@bench/serve.sh --long

# A server whose libraries are instrumented, too. Reports of all its processes are files, so that none is missed.
REPORTS = log_path=$(CURDIR)/build/$*/report
serve-asan serve-tsan: serve-%: setup-serve
	$(CONFIGURE) $* -DESPALIER_APPS=ON
	$(BUILD) $* --target espalier espalier-serve
	rm -f build/$*/report.*
	ASAN_OPTIONS=$(REPORTS) UBSAN_OPTIONS=$(REPORTS) TSAN_OPTIONS=$(REPORTS) \
	  ESPALIER_MUTATIONS=10000 $(PYTHON) server/server_test.py $(CURDIR)/build/$*/espalier
	@! cat build/$*/report.* 2>/dev/null

# A thousand random models that are given anything, a hundred thousand calls that must leave no memory behind, and what two threads save.
nightly-python: python
	ESPALIER_FUZZ_MODELS=1000 ESPALIER_LEAK_CALLS=100000 ESPALIER_THREAD_RATIOS=1 PYTHONPATH=build/python \
	  $(PYTHON) -m pytest -q -p no:cacheprovider python/tests/test_fuzz.py python/tests/test_tagger.py python/tests/test_threads.py

nightly-fuzz:
	$(MAKE) fuzz FUZZ_SECONDS=600

nightly-papers: build
	build/release/espalier reproduce --all -o build/papers

python: setup
	@scripts/setup.sh python
	$(CONFIGURE) release -DESPALIER_PYTHON=ON -DPython3_EXECUTABLE=$(PYTHON)
	$(BUILD) release --target python_package
	$(PYTHON) python/backend.py build

python-test: python
	PYTHONPATH=build/python $(PYTHON) -m pytest -q -p no:cacheprovider python/tests

# The interpreter itself is not instrumented, so the sanitizers' libraries come first, and what it leaves behind does not count.
python-asan: setup
	@scripts/setup.sh python
	$(CONFIGURE) asan -DESPALIER_PYTHON=ON -DPython3_EXECUTABLE=$(PYTHON) -DESPALIER_PYTHON_DIR=$(CURDIR)/build/asan/python
	$(BUILD) asan --target python_package
	LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
	  PYTHONPATH=build/asan/python $(PYTHON) -m pytest -q -p no:cacheprovider python/tests

# The page of espalier serve in a browser: installs Chromium, trains small models, starts a server on a free port.
page-build: setup-serve
	@scripts/setup.sh page
	$(CONFIGURE) release
	$(BUILD) release --target espalier espalier-compare espalier-serve

test-page: page-build
	$(PYTHON) -m pytest -q -p no:cacheprovider server/page_tests

page-pictures: page-build
	$(PYTHON) server/page_tests/screenshots.py

clean:
	rm -rf build
