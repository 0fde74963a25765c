# elelem_stream.h is one file to copy; nothing here is needed to use it.

CC ?= cc
CXX ?= c++
GCC ?= gcc
CLANG ?= clang
CFLAGS ?= -O2
EXAMPLE_CFLAGS ?= -O0
BUILD ?= build

# The flags of everything that `make test` builds; SANITIZE= gives a plain build, in a BUILD of its own.
SANITIZE ?= -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
TEST_CFLAGS ?= -O1 -g1 $(SANITIZE)
TEST_LIBS ?= -lm
TEST_SECONDS ?= 120
FUZZ_SECONDS ?= 5
JOBS ?= 2

WARNINGS = -Wall -Wextra -Wpedantic -Wconversion -Wshadow
HEADER = elelem_stream.h
TEMPLATE = parts/elelem_stream.h.in
AMALGAMATE = awk -f parts/amalgamate.awk
ROOMS := $(shell sed -n 's/^@part \(.*\)\.c$$/\1/p' $(TEMPLATE))
SHAPES = CHAT RESPONSES MESSAGES GEMINI INTERACTIONS

# The Debian packages that tests and checks need, and those for the benches and for other machines.
# (For -m32 the two libraries: gcc-multilib conflicts with the cross compilers.)
PACKAGES = g++ clang libclang-rt-14-dev librapidcheck-dev rapidjson-dev libcurl4-openssl-dev valgrind lib32gcc-12-dev libc6-dev-i386 \
    cmake pkg-config meson tcc python3
TARGET_PACKAGES = qemu-user gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
    gcc-powerpc-linux-gnu libc6-dev-powerpc-cross $(BARE_METAL_PACKAGES) \
    gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf gcc-riscv64-linux-gnu libc6-dev-riscv64-cross gcc-s390x-linux-gnu \
    libc6-dev-s390x-cross wasi-libc libclang-rt-14-dev-wasm32 tcc gcc-mingw-w64-x86-64 g++-mingw-w64-x86-64-win32 gcc-mingw-w64-i686 wine wine64 lld nodejs mono-mcs mono-runtime
BARE_METAL_PACKAGES = qemu-system-arm gcc-arm-none-eabi libnewlib-arm-none-eabi
VIEWER_PACKAGES = clang lld nodejs chromium
DOC_PACKAGES = doxygen
STATIC_PACKAGES = clang-tidy-19 cppcheck
COVERAGE_PACKAGES = clang-19 llvm-19 libclang-rt-19-dev python3
BENCH_PACKAGES = libboost-json1.81-dev libyajl-dev libjson-c-dev libwebsockets-dev libsimdjson-dev

TESTS := $(patsubst tests/%.c,$(BUILD)/%,$(sort $(wildcard tests/test_*.c)))
PROPERTIES := $(patsubst tests/property/%.cpp,$(BUILD)/%,$(sort $(wildcard tests/property/prop_*.cpp)))
ifeq ($(wildcard /usr/include/rapidcheck.h /usr/local/include/rapidcheck.h),)
PROPERTIES :=
NO_PROPERTIES = 'the property tests: no RapidCheck (Debian: librapidcheck-dev)'
endif
DEEP := $(patsubst tests/%.c,$(BUILD)/%,$(sort $(wildcard tests/deep_*.c)))
# Scripts that compile the library in many ways, or count long runs of it, are not in `make test`.
SLOW := $(patsubst %,tests/test_%.sh,bare_metal cpp install install_cmake linear mono shared small_builds stack stack_paths static)
SCRIPTS := $(filter-out $(SLOW),$(sort $(wildcard tests/test_*.sh)))
EXAMPLES := $(patsubst examples/%.c,$(BUILD)/%,$(sort $(wildcard examples/*.c))) \
            $(patsubst examples/%.cpp,$(BUILD)/%,$(sort $(wildcard examples/*.cpp)))
ifeq ($(wildcard /usr/include/curl/curl.h /usr/include/*/curl/curl.h /usr/local/include/curl/curl.h),)
EXAMPLES := $(filter-out %curl %curl_multi,$(EXAMPLES))
NOT_BUILT += 'chat_curl and curl_multi: no libcurl (Debian: libcurl4-openssl-dev)'
endif
ifeq ($(shell command -v $(firstword $(CXX))),)
EXAMPLES := $(filter-out $(patsubst examples/%.cpp,$(BUILD)/%,$(wildcard examples/*.cpp)),$(EXAMPLES))
NOT_BUILT += 'game_loop: no C++ compiler (Debian: g++)'
endif
RACE := $(patsubst bench/%.cpp,$(BUILD)/race/%.o,$(sort $(wildcard bench/*.cpp)))
FUZZERS := $(patsubst fuzz/%.c,$(BUILD)/%,$(sort $(wildcard fuzz/fuzz_*.c)))
ifneq ($(wildcard /usr/include/rapidjson/reader.h /usr/local/include/rapidjson/reader.h),)
FUZZERS += $(BUILD)/fuzz_peer
else
NO_FUZZERS = 'fuzz_peer: no RapidJSON (Debian: rapidjson-dev)'
endif

# For what cannot be built here: a message with the target that it belongs to.
say_not_built = for left_out in $(1); do echo "not built: $$left_out"; done

.PHONY: help deps deps-bench deps-targets deps-32bit deps-bare-metal deps-viewer deps-docs deps-static deps-coverage deps-proofs check-static coverage viewer check-viewer docs header test test-slow test-asan test-units check-same check-builds check-portable check-32bit check-clang check-undefined check-uninitialized \
        check-targets check-windows check-tcc check-compilers check-header check-parts check-language \
        check-warnings check-symbols check-deep check-proofs check-threats mutants examples bare-metal demo install uninstall bench bench-counts bench-instructions size fuzz \
        fuzzers seeds check-fuzzers clean build-tests

help: ## print this list
	@echo 'Copy elelem_stream.h into your project. For working on it:'
	@echo
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-22s %s\n", $$1, $$2 }'
	@echo
	@echo 'Variables: CC CXX CFLAGS EXAMPLE_CFLAGS PREFIX DESTDIR GCC CLANG SANITIZE BUILD JOBS TEST_SECONDS FUZZ_SECONDS FUZZ'

# $(call install,PACKAGES): quick if all of them are installed.
install = missing=$$(for p in $(1); do \
	    dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	if ! command -v dpkg-query >/dev/null; then echo 'Not a Debian system; install what it calls: $(1)'; \
	elif [ -n "$$missing" ]; then \
	    if [ "$$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi; \
	    $$sudo apt-get update -q && \
	    $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $$missing; fi

deps: ## install what tests and checks need (Debian packages)
	@$(call install,$(PACKAGES))

deps-bench: ## also install what the benches compare with
	@$(call install,$(PACKAGES) $(BENCH_PACKAGES))

deps-targets: ## also install compilers and emulators for other machines
	@$(call install,$(PACKAGES) $(TARGET_PACKAGES))

deps-32bit: ## also install what runs programs for i386, if this system does not
	@GCC='$(GCC)' sh tests/targets/i386.sh >/dev/null 2>&1 || $(call install,$(PACKAGES) qemu-user)

deps-bare-metal: ## only what make bare-metal needs
	@$(call install,$(BARE_METAL_PACKAGES))

deps-viewer: ## also install what the viewer and its check need: Chromium among them
	@$(call install,$(VIEWER_PACKAGES))

deps-docs: ## also install what make docs needs
	@$(call install,$(DOC_PACKAGES))

deps-proofs: ## also install what make check-proofs needs: CBMC, into build/cbmc if Debian's release has no package of it
	@command -v cbmc >/dev/null || if apt-cache policy cbmc 2>/dev/null | grep -q 'Candidate: [0-9]'; then $(call install,cbmc); \
	else sh tests/proofs/install.sh $(BUILD)/cbmc; fi

deps-static: ## also install what make check-static needs
	@$(call install,$(STATIC_PACKAGES))

deps-coverage: ## also install what make coverage needs
	@$(call install,$(COVERAGE_PACKAGES))

$(BUILD):
	@mkdir -p $@

# The header.

$(HEADER): $(TEMPLATE) parts/amalgamate.awk $(wildcard parts/*.h parts/*.c) | $(BUILD)
	@$(AMALGAMATE) $(TEMPLATE) >$(BUILD)/header.new
	@mv $(BUILD)/header.new $@

header: $(HEADER) ## assemble elelem_stream.h from parts/

check-header: ## elelem_stream.h is assembled from these parts/, and plain ASCII
	@$(AMALGAMATE) $(TEMPLATE) | cmp - $(HEADER)
	@! LC_ALL=C grep -n '[^ -~]' $(HEADER)

# Tests. They, the examples and all other programs include the shipped header.

# The functions are compiled once and linked to the tests, which take a quarter of a second each: without optimization and
# without the sanitizer of undefined behaviour, which is for the functions. Tests that use private names or choose options
# compile functions of their own, by clang if no other compiler is named, which takes half the time.

OWN = $(addprefix tests/,test_base_no_stdlib.c test_text.c test_text_portable.c test_number.c test_number_no_int128.c test_number_no_fast.c test_no_sentences.c \
    test_writer_no_fast.c test_provider_no_gemini.c test_passage_no_items.c test_sizes.c test_agent_turn.c test_fast.c test_repeat.c)
OWN_CC := $(if $(filter default,$(origin CC)),$(or $(shell command -v $(CLANG)),$(CC)),$(CC))
COMPILED = -DELELEM_STREAM_IMPLEMENTED
implement = printf '\#define ELELEM_STREAM_IMPLEMENTATION\n\#include "$(HEADER)"\n'

$(BUILD)/functions.o: $(HEADER) | $(BUILD)
	$(implement) | $(CC) -std=c99 $(WARNINGS) $(TEST_CFLAGS) -I. -x c -c -o $@ -

QUICKLY = $(if $(SANITIZE),-O0 -fno-sanitize=undefined)

$(BUILD)/test_%: tests/test_%.c $(wildcard tests/*.h) $(HEADER) $(BUILD)/functions.o
	$(CC) -std=c99 $(WARNINGS) -Werror=unused-function $(TEST_CFLAGS) $(QUICKLY) -I. -Itests $(COMPILED) -c -o $@.o $<
	$(CC) $(TEST_CFLAGS) -o $@ $@.o $(BUILD)/functions.o $(TEST_LIBS)

$(OWN:tests/%.c=$(BUILD)/%): $(BUILD)/%: tests/%.c $(wildcard tests/*.h) $(HEADER) | $(BUILD)
	$(OWN_CC) -std=c99 $(WARNINGS) -Werror=unused-function $(TEST_CFLAGS) -O0 -I. -Itests -o $@ $< $(TEST_LIBS)

$(BUILD)/test_number_no_int128 $(BUILD)/test_number_no_fast: tests/test_number.c
$(BUILD)/test_writer_no_fast: tests/test_writer.c
$(BUILD)/test_text_portable: tests/test_text.c

$(BUILD)/deep_%: tests/deep_%.c $(wildcard tests/*.h) $(HEADER) | $(BUILD)
	$(CC) -std=c99 $(WARNINGS) $(CFLAGS) -I. -Itests -o $@ $< -lm

# The work law counts the basic blocks that the functions run through. Without the sanitizers, which would count too.
COUNTED = $(filter-out -fsanitize=% -fno-sanitize-recover%,$(TEST_CFLAGS)) -fsanitize-coverage=trace-pc -include tests/counted.h

$(BUILD)/functions_counted.o: $(HEADER) tests/counted.h | $(BUILD)
	$(implement) | $(CC) -std=c99 $(WARNINGS) $(COUNTED) -I. -x c -c -o $@ -

$(BUILD)/test_work $(BUILD)/deep_work: $(BUILD)/%: tests/%.c $(wildcard tests/*.h) $(BUILD)/functions_counted.o
	$(CC) -std=c99 $(WARNINGS) -Werror=unused-function $(filter-out -fsanitize=% -fno-sanitize-recover%,$(TEST_CFLAGS)) -I. -Itests \
	    -o $@ $< $(COMPILED) $(BUILD)/functions_counted.o $(TEST_LIBS)

# The laws are compiled without sanitizers, because that is faster; the functions that they test are not.
$(BUILD)/prop_%: tests/property/prop_%.cpp $(wildcard tests/*.h tests/property/*.h) $(HEADER) $(BUILD)/functions.o
	$(CLANG)++ -std=c++17 $(WARNINGS) -O0 -I. -Itests $(COMPILED) -c -o $@.o $<
	$(CXX) $(SANITIZE) -o $@ $@.o $(BUILD)/functions.o -lrapidcheck

$(BUILD)/work: tests/work.c $(HEADER) | $(BUILD)
	$(CC) -std=c99 $(WARNINGS) -O1 -I. -o $@ $<

build-tests: $(TESTS) $(PROPERTIES) $(EXAMPLES)

# Tests of options compile all functions again; those of SIMD and of 128 bits do what make check-portable does too. Long tests
# try all states, all changes and ends of a body, every call for memory refused, every sink that stops, all small limits, each member of
# requests, or every recording and vector; compare what fast paths give; or count work and memory.
OPTIONS = %_no_stdlib %_portable %_no_int128 %_no_fast %_no_sentences %_no_gemini %_no_items
OPTION_TESTS = $(filter $(OPTIONS),$(TESTS))
RECORDINGS = $(addprefix corpus_,chat responses messages gemini interactions json)
LONG = enumerate_% changed_bodies broken_off disorder truncation whole faults sinks smallest_limits extremes limits resets sizes agent_turn \
    request_law request_members request_records request_results fast repeat work \
    $(RECORDINGS) corpus_whole
LONG_TESTS = $(filter $(addprefix $(BUILD)/test_,$(LONG)),$(TESTS))
QUICK_TESTS = $(filter-out $(OPTION_TESTS) $(LONG_TESTS),$(TESTS))

test: ## build and run the tests and examples
	@+$(MAKE) --no-print-directory -k -j$(JOBS) $(QUICK_TESTS) $(EXAMPLES); UNBUILT=$$?; \
	$(call say_not_built,$(NOT_BUILT)); \
	UNBUILT=$$UNBUILT BUILD=$(BUILD) JOBS=$(JOBS) TEST_SECONDS=$(TEST_SECONDS) tests/run.sh $(QUICK_TESTS) $(SCRIPTS)

test-slow: ## tests that make test leaves out: properties (if RapidCheck is installed), options, enumerations, changed bodies, faults, limits, recordings, fast paths, installing, C++, small builds, stack and work
	@+$(MAKE) --no-print-directory -k -j$(JOBS) $(OPTION_TESTS) $(LONG_TESTS) $(PROPERTIES) $(BUILD)/work; UNBUILT=$$?; \
	$(call say_not_built,$(NO_PROPERTIES)); \
	UNBUILT=$$UNBUILT BUILD=$(BUILD) JOBS=$(JOBS) TEST_SECONDS=600 tests/run.sh $(OPTION_TESTS) $(LONG_TESTS) $(PROPERTIES) $(SLOW)

test-asan: $(TESTS) ## only the unit tests, under the sanitizers
	@BUILD=$(BUILD) TEST_SECONDS=$(TEST_SECONDS) tests/run.sh $(TESTS)

# The unit tests built in other ways, but for those that choose options: each way has a folder of its own in build/. The enumerations find
# nothing with 32 bits or by clang that they do not find in make test-slow and make check-portable.
test-otherwise = $(MAKE) --no-print-directory -j$(JOBS) test-units LEFT_OUT='$(LEFT_OUT)'
check-portable check-32bit check-clang check-uninitialized: LEFT_OUT = $(OPTIONS)
check-32bit check-clang: LEFT_OUT += $$(BUILD)/test_enumerate_%
# BRIEF=1 leaves the long tests but the enumerations out of check-portable.
check-portable: LEFT_OUT += $(if $(BRIEF),$(addprefix $$(BUILD)/test_,$(filter-out enumerate_%,$(LONG))))

check-builds: check-portable check-32bit check-clang ## the unit tests in all of the following builds

check-portable: ## the unit tests with ELELEM_NO_SIMD and ELELEM_NO_INT128, without long tests if BRIEF=1; the enumerations with ELELEM_NO_FAST too
	@+$(test-otherwise) BUILD=$(BUILD)/portable TEST_CFLAGS='$(TEST_CFLAGS) -DELELEM_NO_SIMD -DELELEM_NO_INT128'
	@+$(MAKE) --no-print-directory -j$(JOBS) test-asan BUILD=$(BUILD)/no_fast TESTS='$(patsubst tests/%.c,$(BUILD)/no_fast/%,$(wildcard tests/test_enumerate_*.c))' \
	    TEST_CFLAGS='$(TEST_CFLAGS) -DELELEM_NO_SIMD -DELELEM_NO_FAST'

# Sets the shell's variable `how` to the variables with which make runs programs for i386 here. (By qemu, folders can only be read with
# large offsets.)
i386 = how=$$(GCC='$(GCC)' sh tests/targets/i386.sh)

# One number for each input of the fuzzers and each body of tests/data, which must not depend on the build or on the machine.
build/inputs: $(wildcard fuzz/seeds tests/data fuzz/seeds/* tests/data/*)
	@mkdir -p build
	@find fuzz/seeds tests/data -type f | LC_ALL=C sort >$@

$(BUILD)/same: fuzz/same.c $(wildcard tests/*.h) $(HEADER) | $(BUILD)
	$(CC) -std=c99 $(WARNINGS) $(TEST_CFLAGS) -I. -Itests -o $@ $< $(TEST_LIBS)

$(BUILD)/sums: $(BUILD)/same build/inputs
	$(RUN) $< >$@

check-same: $(BUILD)/sums ## what comes of every input of the fuzzers is the same with 64 and 32 bits, with and without SIMD, 128 bits and fast paths
	@+$(MAKE) --no-print-directory -s BUILD=$(BUILD)/portable TEST_CFLAGS='$(TEST_CFLAGS) -DELELEM_NO_SIMD -DELELEM_NO_INT128' $(BUILD)/portable/sums
	@+$(MAKE) --no-print-directory -s BUILD=$(BUILD)/no_fast TEST_CFLAGS='$(TEST_CFLAGS) -DELELEM_NO_FAST' $(BUILD)/no_fast/sums
	@+$(i386) && $(MAKE) --no-print-directory -s BUILD=$(BUILD)/32bit CC='$(GCC) -m32 -D_FILE_OFFSET_BITS=64' $$how $(BUILD)/32bit/sums
	@for build in portable no_fast 32bit; do \
	    cmp $(BUILD)/sums $(BUILD)/$$build/sums || exit 1; \
	    echo "$$build: all $$(wc -l <$(BUILD)/sums) inputs give the same"; \
	done

check-32bit: ## the unit tests with 32-bit pointers and sizes, on x86
	@+$(i386) && $(test-otherwise) BUILD=$(BUILD)/32bit CC='$(GCC) -m32 -D_FILE_OFFSET_BITS=64' $$how

check-clang: ## the unit tests built by clang, with its sanitizers
	@+$(test-otherwise) BUILD=$(BUILD)/clang CC='$(CLANG)'

check-undefined: ## the changed bodies of make check-deep by clang's sanitizer of undefined behaviour, which sees more than that of gcc
	@+$(MAKE) --no-print-directory $(BUILD)/undefined/deep_changed_bodies BUILD=$(BUILD)/undefined CC='$(CLANG)' \
	    CFLAGS='-O2 -g1 -fsanitize=undefined -fno-sanitize-recover=all'
	@BUILD=$(BUILD)/undefined TEST_SECONDS=3600 tests/run.sh $(BUILD)/undefined/deep_changed_bodies

check-uninitialized: ## the unit tests by clang's MemorySanitizer: nothing is read that was not set
	@+$(test-otherwise) BUILD=$(BUILD)/uninitialized CC='$(CLANG)' SANITIZE='-fsanitize=memory -fno-sanitize-recover=all -fno-omit-frame-pointer'

# All but those that read every recording of a shape, which take too long there.
RECORDED := $(addprefix $(BUILD)/test_,$(RECORDINGS) lossless_%)
test-units: $(filter-out $(LEFT_OUT) $(RECORDED),$(TESTS))
	@BUILD=$(BUILD) TEST_SECONDS=$(TEST_SECONDS) RUN='$(RUN)' tests/run.sh $^

# The machines of check-targets, all if empty (see tests/targets/check.sh), and what runs programs for Windows, of 64 and of 32 bits.
MACHINE ?=
WINE ?= wine
WINE32 ?= $(WINE)
machines = BUILD=$(BUILD) JOBS=$(JOBS) WINE='$(WINE)' WINE32='$(WINE32)' tests/targets/check.sh

check-targets: ## the unit tests on i386, ARM, AArch64, PowerPC, RISC-V, s390x, Cortex-M3, WebAssembly, Windows and by tcc, or on those that MACHINE names (see deps-targets)
	@$(machines) $(MACHINE)

check-windows: ## the unit tests as programs for Windows, of 64 and of 32 bits, by WINE and WINE32 (see deps-targets)
	@$(machines) x86_64-windows i686-windows

check-tcc: ## the unit tests built by tcc
	@$(machines) tcc

check-compilers: | $(BUILD) ## what compilers for Windows, Cortex-M, RISC-V and WebAssembly say of the header, and tcc (see deps-targets)
	@WINE='$(WINE)' WINE32='$(WINE32)' WINEPREFIX=$(abspath $(BUILD))/wine sh tests/targets/compilers.sh | tee $(BUILD)/compilers.log; ! grep '^not ok' $(BUILD)/compilers.log

# Two examples are built as a user would who has one file; the others share the functions. One that needs a library says so
# in its first comment: "link: -lcurl".

ONE_FILE = examples/say.c examples/device.c

$(BUILD)/demo $(BUILD)/elelem-events: examples/watch.h

$(BUILD)/functions_of_examples.o: $(HEADER) | $(BUILD)
	$(implement) | $(CC) -std=c99 $(WARNINGS) $(EXAMPLE_CFLAGS) -I. -x c -c -o $@ -

$(BUILD)/%: examples/%.c $(HEADER) $(BUILD)/functions_of_examples.o
	$(CC) -std=c99 $(WARNINGS) $(EXAMPLE_CFLAGS) -I. -o $@ $< $(if $(filter $<,$(ONE_FILE)),,$(COMPILED) $(BUILD)/functions_of_examples.o) \
	    $$(sed -n 's/.*link: \([^*]*\).*/\1/p' $<)

$(BUILD)/%: examples/%.cpp $(wildcard *.h *.hpp) $(BUILD)/functions_of_examples.o
	$(CXX) -std=c++17 $(WARNINGS) $(EXAMPLE_CFLAGS) -I. -o $@ $< $(COMPILED) $(BUILD)/functions_of_examples.o \
	    $$(sed -n 's/.*link: \([^*]*\).*/\1/p' $<)

examples: $(EXAMPLES) ## build the examples and tools into build/
	@$(call say_not_built,$(NOT_BUILT))

BARE = arm-none-eabi-gcc -std=c99 $(WARNINGS) -Os -mcpu=cortex-m3 -mthumb -ffunction-sections -fdata-sections -DELELEM_NO_FAST

$(BUILD)/bare_metal.elf: $(wildcard examples/bare_metal/*) examples/walk.sse $(HEADER) | $(BUILD)
	$(BARE) -I. -nostartfiles -Wl,--gc-sections -T examples/bare_metal/memory.ld -o $@ examples/bare_metal/start.s examples/bare_metal/main.c

bare-metal: $(BUILD)/bare_metal.elf ## a Cortex-M3 without a heap reads a recorded response, in emulation (see deps-bare-metal)
	@qemu-system-arm -M lm3s6965evb -cpu cortex-m3 -display none -serial none -monitor none -chardev stdio,id=host \
	    -semihosting-config enable=on,target=native,chardev=host -kernel $<

demo: $(BUILD)/demo ## ten seconds that show what this is for
	@$(BUILD)/demo examples/demo.sse viewer/recordings/overloaded.responses.sse

# The viewer: one page with the library in it, compiled to WebAssembly without a C library.

$(BUILD)/viewer.wasm: viewer/viewer.c tests/targets/libc.h $(HEADER) | $(BUILD)
	$(CLANG) --target=wasm32 -std=c99 $(WARNINGS) -Oz -flto -mbulk-memory -nostdlib -fno-builtin -DELELEM_NO_FAST \
	    -Itests/targets/include -Itests/targets -I. -Wl,--no-entry,--strip-all -o $@ $<

$(BUILD)/viewer.html: $(BUILD)/viewer.wasm $(wildcard viewer/page.* viewer/*.sh viewer/*.txt viewer/recordings/*) examples/demo.sse
	@sh viewer/assemble.sh $< >$@.new
	@mv $@.new $@

viewer: $(BUILD)/viewer.html ## a page that shows a response byte by byte: build/viewer.html, which needs no server (see deps-viewer)
	@echo "$< has $$(wc -c <$<) bytes; open it in a browser"

check-viewer: $(BUILD)/viewer.html $(BUILD)/elelem-events ## the viewer in headless Chromium shows what elelem-events prints (see deps-viewer)
	@sh tests/viewer/check.sh $^

docs: $(HEADER) | $(BUILD) ## the reference, as pages in build/docs/html (see deps-docs); a warning is an error
	@mkdir -p $(BUILD)/docs
	@awk -f docs/reference.awk $(HEADER) >$(BUILD)/docs/elelem_stream.h
	@(cat docs/Doxyfile; echo 'INPUT = $(BUILD)/docs/elelem_stream.h'; echo 'OUTPUT_DIRECTORY = $(BUILD)/docs') | doxygen - 2>&1 | \
	    tee $(BUILD)/docs/warnings; [ ! -s $(BUILD)/docs/warnings ]
	@echo 'open $(BUILD)/docs/html/index.html'

# Installing, in place of copying the header. DESTDIR goes before the prefix, as packagers expect.

PREFIX ?= /usr/local
VERSION := $(shell sed -n 's/^\#define ELELEM_VERSION "\(.*\)"$$/\1/p' $(HEADER))
INSTALLED = include/elelem_stream.h $(patsubst %,include/%,$(wildcard elelem.hpp)) lib/libelelem_stream.a lib/pkgconfig/elelem_stream.pc

$(BUILD)/libelelem_stream.a: elelem_stream.c $(HEADER) | $(BUILD)
	$(CC) -std=c99 $(CFLAGS) -I. -c -o $(BUILD)/elelem_stream.o $<
	ar rcs $@ $(BUILD)/elelem_stream.o

install: $(BUILD)/libelelem_stream.a ## header, static library and pkg-config file, under PREFIX
	@mkdir -p $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig
	cp $(HEADER) $(wildcard elelem.hpp) $(DESTDIR)$(PREFIX)/include/
	cp $< $(DESTDIR)$(PREFIX)/lib/
	prefix=$(PREFIX); case $$prefix in /*) ;; *) prefix=$$PWD/$$prefix ;; esac; \
	sed "s|@prefix@|$$prefix|; "'s|@libdir@|$${prefix}/lib|; s|@includedir@|$${prefix}/include|; s|@version@|$(VERSION)|; s|@shared_flag@||' \
	    packaging/elelem_stream.pc.in >$(DESTDIR)$(PREFIX)/lib/pkgconfig/elelem_stream.pc

uninstall: ## what install put there
	rm -f $(INSTALLED:%=$(DESTDIR)$(PREFIX)/%)

# Checks of the parts and of the header.

check-parts: | $(BUILD) ## each room compiles alone, and over the rooms above it only
	@CC='$(CC)' WARNINGS='$(WARNINGS)' BUILD=$(BUILD) parts/check.sh $(ROOMS)

check-static: | $(BUILD) ## gcc -fanalyzer, clang-tidy and cppcheck of the header and the examples (see deps-static)
	@GCC='$(GCC)' BUILD=$(BUILD) JOBS=$(JOBS) tests/static/check.sh $(ROOMS)

check-language: ## words that plain technical English avoids, at most as many as tests/language.txt allows
	@tests/check_language.sh

check-warnings: $(HEADER) ## no warning from gcc and clang, C99 to C23 and C++11 to C++23, linked as one, each shape left out
	@GCC='$(GCC)' CLANG='$(CLANG)' WARNINGS='$(WARNINGS)' JOBS=$(JOBS) SHAPES='$(SHAPES)' tests/check_warnings.sh

# Except its own names, the object may need only these of the C library, and no data
# that can be written. Code without PIC, so that constant tables count as constant.
LIBC = memchr memcmp memcpy memmove memset bcmp strchr strlen strcmp strncmp malloc realloc free

check-symbols: $(HEADER) | $(BUILD) ## only elelem_ is exported, nothing else needed, no globals that change
	@set -e; for cc in $(GCC) $(CLANG); do \
	    $(implement) | $$cc -x c -std=c99 -O2 -fno-pic -fno-stack-protector -I. -c -o $(BUILD)/symbols.o -; \
	    nm $(BUILD)/symbols.o | awk -v cc=$$cc -v libc='$(LIBC)' ' \
	        BEGIN { n = split(libc, names, " "); for (i = 1; i <= n; i++) known[names[i]] = 1 } \
	        { name = $$NF; type = $$(NF - 1) } \
	        type ~ /[A-TV-Z]/ && name !~ /^elelem_/ { print cc ": exports " name; bad = 1 } \
	        type == "U" && !(name in known) { print cc ": needs " name; bad = 1 } \
	        type ~ /[bBdDcC]/ { print cc ": can be written: " name; bad = 1 } \
	        END { exit bad }'; \
	done

# Coverage of each room by the unit tests alone, without recordings. The functions are no static ones here: then all tests that
# compile their own count as the same.

COVERED = $(BUILD)/coverage
LLVM ?= -19
COVERAGE_TESTS := $(patsubst $(BUILD)/%,$(BUILD)/coverage/%,$(filter-out %_no_sentences %_corpus_chat %_corpus_collector %_corpus_errors \
    %_corpus_gemini %_corpus_interactions %_corpus_items %_corpus_json %_corpus_messages %_corpus_numbers %_corpus_responses %_corpus_sse \
    %_corpus_utf8 %_corpus_whole %_work,$(TESTS)))
COVERAGE_FLAGS = -std=c99 -w -O1 -g0 -I$(COVERED) -I. -Itests
INSTRUMENTED = -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc

$(COVERED)/elelem_stream.h: $(HEADER)
	@mkdir -p $(@D)
	@sed -E 's/^(#define ELS_(PRIVATE|ALONE|INLINE|NOINLINE|APART)) .*/\1/; s/^static ([^=]*[,)];?)$$/\1/' $< >$@

$(COVERED)/functions.o: $(COVERED)/elelem_stream.h
	$(implement) >$(COVERED)/functions.c
	clang$(LLVM) $(COVERAGE_FLAGS) $(INSTRUMENTED) -c -o $@ $(COVERED)/functions.c

$(COVERED)/test_%: tests/test_%.c $(wildcard tests/*.h) $(COVERED)/functions.o
	clang$(LLVM) $(COVERAGE_FLAGS) $(if $(filter $<,$(OWN)),-O0 $(INSTRUMENTED),$(COMPILED) $(COVERED)/functions.o -fprofile-instr-generate) \
	    -o $@ $< -lm

coverage: $(COVERAGE_TESTS) ## lines, branches and MC/DC of each room, by the unit tests; a fall under tests/coverage.txt is an error (see deps-coverage)
	@LLVM='$(LLVM)' JOBS=$(JOBS) TEST_SECONDS=$(TEST_SECONDS) tests/coverage.sh $(COVERED) $^

# Fuzzing: fuzz/<room>.dict and fuzz/seeds/<room>/ are used if they exist.

FUZZED = $(CLANG) -std=c99 $(WARNINGS) -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
OWN_FUZZERS = fuzz/fuzz_fast.c fuzz/fuzz_repeat.c

# As for the tests, the functions are compiled once, except for fuzzers that use private names. Every fuzzer counts their basic blocks for the
# work law, by a function of its own, because libFuzzer has one of that name.
$(BUILD)/functions_fuzzed.o: $(HEADER) tests/counted.h | $(BUILD)
	$(implement) | $(FUZZED) -fsanitize=fuzzer-no-link -fsanitize-coverage=trace-pc -include tests/counted.h -I. -x c -c -o $@ -
	objcopy --redefine-sym __sanitizer_cov_trace_pc=counted_block $@

$(BUILD)/fuzz_%: fuzz/fuzz_%.c $(wildcard fuzz/*.h tests/*.h) $(BUILD)/functions_fuzzed.o
	$(FUZZED) -fsanitize=fuzzer -D__sanitizer_cov_trace_pc=counted_block -I. -Ifuzz -Itests $(COMPILED) -o $@ $< $(BUILD)/functions_fuzzed.o

$(OWN_FUZZERS:fuzz/%.c=$(BUILD)/%): $(BUILD)/%: fuzz/%.c $(wildcard fuzz/*.h tests/*.h) $(HEADER) | $(BUILD)
	$(FUZZED) -fsanitize=fuzzer-no-link -fsanitize-coverage=trace-pc -D__sanitizer_cov_trace_pc=counted_block -I. -Ifuzz -Itests -c -o $@.o $<
	objcopy --redefine-sym __sanitizer_cov_trace_pc=counted_block $@.o
	$(FUZZED) -fsanitize=fuzzer -o $@ $@.o

$(BUILD)/fuzz_%: fuzz/fuzz_%.cpp $(wildcard tests/*.h) $(HEADER) $(BUILD)/functions_fuzzed.o
	$(CLANG)++ -std=c++17 $(WARNINGS) -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	    -D__sanitizer_cov_trace_pc=counted_block -I. $(COMPILED) -o $@ $< $(BUILD)/functions_fuzzed.o

fuzzers: $(FUZZERS)
	@$(call say_not_built,$(NO_FUZZERS))

# Which of them: FUZZ='stream api'; all if it is empty. What they find that is new is kept in build/corpus.
FUZZ ?= $(patsubst $(BUILD)/fuzz_%,%,$(FUZZERS))

fuzz: $(FUZZ:%=$(BUILD)/fuzz_%) ## every fuzzer for FUZZ_SECONDS, or those that FUZZ names
	@$(call say_not_built,$(NO_FUZZERS))
	@BUILD=$(BUILD) FUZZ_SECONDS=$(FUZZ_SECONDS) fuzz/fuzz.sh run $(FUZZ)

seeds: $(FUZZ:%=$(BUILD)/fuzz_%) ## keep in fuzz/seeds the fewest inputs that reach what the fuzzers reached (FUZZ names which)
	@BUILD=$(BUILD) fuzz/fuzz.sh keep $(FUZZ)

check-fuzzers: | $(BUILD) ## each fuzzer finds an error that is put in (fuzz/broken.txt), within FUZZ_SECONDS
	@BUILD=$(BUILD) FUZZ_SECONDS=$(FUZZ_SECONDS) fuzz/check.sh

# The race with others. Peers that are not installed are left out, and the results say so.

PEER_LIBRARIES = boost_json yajl json-c websockets simdjson

$(BUILD)/race/%.o: bench/%.cpp $(wildcard bench/*.h) $(HEADER)
	@mkdir -p $(@D)
	$(CXX) -std=c++17 $(WARNINGS) -O3 -DNDEBUG -I. -c -o $@ $<

$(BUILD)/bench: $(RACE)
	@peers=$$(for peer in $(PEER_LIBRARIES); do \
	    echo 'int main() { return 0; }' | $(CXX) -x c++ -o /dev/null - -l$$peer 2>/dev/null && echo "-l$$peer"; done); \
	echo $(CXX) -o $@ $^ $$peers; $(CXX) -o $@ $^ $$peers

bench: $(BUILD)/bench ## race with others; writes bench/results.csv, the chart and the tables made of it (see deps-bench)
	@bench/run.sh $(BUILD)/bench

bench-counts: $(BUILD)/bench ## count instructions a byte of the library and of others; writes bench/counts.csv and the tables
	@bench/count.sh $(BUILD)/bench

$(BUILD)/instructions: bench/instructions.c bench/frames.h $(HEADER) | $(BUILD)
	$(CC) -std=c99 $(WARNINGS) -O3 -DNDEBUG -I. -o $@ $<

size: $(HEADER) ## flash, RAM and stack on Cortex-M0+, M4 and rv32 (see deps-targets), as in docs/sizes.md
	@bench/size.sh

bench-instructions: $(BUILD)/instructions ## count instructions a byte, and compare them with bench/instructions.csv
	@CC='$(CC)' BUILD=$(BUILD) bench/instructions.sh $(BENCH_OPTIONS)

check-deep: $(PROPERTIES) $(DEEP) $(BUILD)/work ## what takes hours: deep tests, clang, values that were not set, many properties, analyzers, proofs, coverage, other machines, mutants, a minute of each fuzzer, and of each with an error put in
	BUILD=$(BUILD) TEST_SECONDS=3600 LINEAR_BYTES=1048576 tests/run.sh $(DEEP) tests/test_linear.sh
	$(MAKE) test CC='$(CLANG)' BUILD=$(BUILD)/clang TEST_SECONDS=600
	$(MAKE) check-clang TEST_SECONDS=600
	$(MAKE) check-uninitialized TEST_SECONDS=1800
	$(MAKE) check-undefined
	$(MAKE) check-portable TEST_SECONDS=600
	@$(call say_not_built,$(NO_PROPERTIES))
	RC_PARAMS=max_success=5000 TEST_SECONDS=3600 BUILD=$(BUILD) tests/run.sh $(PROPERTIES)
	$(MAKE) check-static
	$(MAKE) check-proofs
	$(MAKE) coverage TEST_SECONDS=1800
	$(MAKE) check-targets check-compilers
	$(MAKE) mutants N=200 SEED=1 MUTANT_OPTIONS='--least 90'
	$(MAKE) mutants N=200 SEED=1 ROOM='text number fragment value sse tags' MUTANT_OPTIONS='--least 95'
	$(MAKE) fuzz FUZZ_SECONDS=60
	$(MAKE) check-fuzzers FUZZ_SECONDS=60
	$(MAKE) check-threats TEST_SECONDS=600

check-proofs: ## bounded model checking of what computes sizes and offsets, and of the same with errors put in (see deps-proofs)
	@BUILD=$(BUILD) tests/proofs/check.sh

# Which rows, all if it is empty.
ROW ?=

check-threats: ## for each row of docs/threats.md a test of it fails with an error put in (tests/threats_broken.txt); ROW names which rows
	@CC='$(OWN_CC)' BUILD=$(BUILD) tests/threats_broken.sh $(ROW)

# How many mutants, of which seed, and of which rooms (all of tests/mutants/rooms.txt if empty). MUTANT_OPTIONS=--quick-only is for a first look.
N ?= 20
SEED ?= 1
ROOM ?=

mutants: ## put N small errors into parts/, one at a time, and see the unit tests notice; SEED and ROOM choose which
	@mkdir -p $(BUILD)
	@tests/mutants/mutate.py -n $(N) --seed $(SEED) --room '$(ROOM)' --build $(BUILD)/mutants --cc '$(CC)' --jobs $(JOBS) $(MUTANT_OPTIONS)

clean: ## remove build/
	rm -rf $(BUILD)
