# SPDX-License-Identifier: Apache-2.0
# A wrapper around CMake's presets, for GNU make. `make help` lists what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.NOTPARALLEL:
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
DEMO := out/demo
THAW := build/release/thaw
# make check VALIDATION=DIR: compare with the published beam, too (physics/test_validation)
VALIDATION ?=
build = cmake --preset $(1) $(if $(VALIDATION),-DTHAW_VALIDATION="$(abspath $(VALIDATION))") >/dev/null && cmake --build --preset $(1) -j $(JOBS)

.PHONY: python help setup build demo film check check-slow bench format format-check tidy coverage valgrind tsan install clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

setup: ## install the Debian packages that are missing
	@scripts/setup.sh

build: setup ## build/release/thaw and the libraries
	@$(call build,release) --target thaw_program thaw thaw_shared

demo: build ## simulate the built-in scene and draw it; adaptive against full in a web page
	@$(THAW) run --out $(DEMO)
	@$(THAW) render $(DEMO) -o $(DEMO)/sheet.png --sheet 6
	@$(THAW) render $(DEMO) -o $(DEMO)/last.png --frame last
	@printf '\nA second scene, a stack of ten cubes, by the full and the adaptive method (scenes/stack.json):\n'
	@{ $(THAW) compare scenes/stack.json --steps 500 --no-floor --report $(DEMO)/adaptive.html 2>&1 1>&3 | \
	  tee $(DEMO)/compare.log >&2; status=$${PIPESTATUS[0]}; } 3>&1; \
	if [ $$status = 0 ]; then \
	  shown='$(DEMO)/adaptive.html (open it in a browser: the stack, full and adaptive side by side)'; \
	elif ! grep -q 'built without the web page' $(DEMO)/compare.log; then \
	  echo 'make demo: the comparison of scenes/stack.json failed' >&2; exit $$status; \
	else \
	  shown='$(DEMO)/sheet.png (there is no web page in this build)'; \
	fi; \
	printf '\nYou saw a soft bar that is wound up and let go: the built-in scene, scenes/twist.json.\n'; \
	printf '  pictures    %s (six moments), %s (the end)\n' $(DEMO)/sheet.png $(DEMO)/last.png; \
	printf '  frames      %s frames for ParaView: open %s\n' "$$(ls $(DEMO)/*.vtu | wc -l)" $(DEMO)/frames.pvd; \
	printf '  try next    %s view scenes/forest.json, %s help\n' $(THAW) $(THAW); \
	printf '  look at     %s\n' "$$shown"

film: build ## the film at the top of the README again, and as MP4: out/film/forest.mp4
	@scripts/film.sh $(THAW)

check: ## build with warnings as errors and run the tests, first under sanitizers (VALIDATION=DIR: published data)
	@scripts/setup.sh --check
	@$(call build,release)
	@$(call build,asan-ubsan)
	@echo "== tests with address and undefined-behaviour sanitizers, and CHOLMOD as a cross-check where it is installed"
	@ctest --preset asan-ubsan -j $(JOBS)
	@$(call build,portable)
	@echo "== tests of the build for any processor"
	@ctest --preset portable -j $(JOBS)
	@echo "== tests of the release"
	@ctest --preset release -j $(JOBS)

python: ## build/python: the Python package, tested (docs/python.md)
	@scripts/setup.sh --python
	@$(call build,release) --target thaw
	@scripts/python.sh build/release

check-slow: ## the tests that take minutes each (test_slow_*), of the release; before an issue
	@$(call build,release)
	@ctest --preset slow -j $(JOBS)

bench: ## build and run the benchmarks; tables in out/bench
	@scripts/setup.sh --check
	@$(call build,cholmod) --target bench
	@scripts/bench.sh build/cholmod/bench out/bench

format: ## format the sources in place
	@scripts/format.sh

format-check: ## say which sources are not formatted
	@scripts/format.sh --check

tidy: ## places where clang-tidy suspects a mistake
	@$(call build,clang) --target thaw_program
	@run-clang-tidy -quiet -p build/clang '^$(CURDIR)/(src|app)/' 2>/dev/null

coverage: ## which lines the tests run: build/coverage/coverage/index.html
	@$(call build,coverage)
	@cmake --build --preset coverage --target coverage

valgrind: ## the program and all tests but the longest under valgrind
	@$(call build,valgrind)
	@ctest --preset valgrind -j $(JOBS)

tsan: ## every test under the thread sanitizer
	@$(call build,tsan)
	@ctest --preset tsan -j $(JOBS)

install: build ## install below PREFIX (/usr/local)
	@cmake --install build/release --prefix $(PREFIX)

clean: ## remove everything that was built
	@rm -rf build
