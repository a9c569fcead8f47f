# gputune. `make demo` and `make check` do everything on a fresh machine; `make help` lists the rest.
#
#   V=1          prints the commands           STATIC=1  links SQLite, xxHash, zlib as archives
#   B=DIR        another build folder          PREFIX=, LIBDIR=, DESTDIR=  folders of `make install`
#   SANITIZE=address,undefined | thread        DEBUG=1  checks invariants with asserts (as SANITIZE does)
#   EXTRA_CFLAGS=, CC=

VERSION := 1.0.0
ifeq ($(origin CC),default)
CC := gcc
endif
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
DESTDIR ?=
T ?= 60
N ?= 1000000
SANITIZE ?=
STATIC ?=
OBJCOPY ?= objcopy
DEBUG ?= $(SANITIZE)
comma := ,
B ?= build$(if $(SANITIZE),-$(subst $(comma),-,$(SANITIZE)),$(if $(DEBUG),-debug))

Q := $(if $(V),,@)
say = $(if $(V),,@echo "  $(1)  $(patsubst $(B)/%,%,$@)";)

CPPFLAGS := -D_GNU_SOURCE -Iinclude -Isrc -I$(B)/generated
OPTIMIZE ?= -O2
SANFLAGS := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all)
# TSan does not see the fences of emulated kernels, which order accesses of those kernels only
SANFLAGS += $(if $(filter thread,$(SANITIZE)),-Wno-tsan)
# line numbers for backtraces; DEBUG=1 adds variables, which take a seventh of the compile time
BASE_CFLAGS := -std=c11 $(if $(DEBUG),-g,-g1 -DNDEBUG) $(OPTIMIZE) -Wall -Wextra -Wpedantic -Werror -fPIC -fvisibility=hidden \
               "-ffile-prefix-map=$(CURDIR)=." -pthread $(SANFLAGS) $(EXTRA_CFLAGS)
# loaded with dlopen(): thread-local data allocated on first use would end the process when memory is short
EMULATOR_CFLAGS := -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off -ftls-model=initial-exec
# tests compile five times as fast without optimisation, and mostly wait for the library
TEST_CFLAGS = $(if $(SANITIZE),,-O0 $(if $(DEBUG),,-g0))
LDFLAGS := -pthread $(SANFLAGS)
lib = $(if $(STATIC),-l:lib$(1).a,-l$(1))
# Archives need not be position-independent: with STATIC=1 there is no shared library, and examples link the
# archive.
SHARED := $(if $(STATIC),,$(B)/libgputune.so)
LIBS := $(call lib,sqlite3) $(call lib,xxhash) $(call lib,z) -lm -ldl

# --- sources ---------------------------------------------------------------------------------------
ROOMS := base gpu kernel draft stats store search farm tuner api
MAINS := src/farm/worker_main.c
LIB_SRC := $(filter-out $(MAINS),$(foreach r,$(ROOMS),$(wildcard src/$(r)/*.c src/$(r)/*/*.c)))
CLI_SRC := $(wildcard src/cli/*.c)
EMU_SRC := $(wildcard src/emulator/*.c)
TEST_SRC := $(wildcard tests/*/test_*.c)
SUPPORT_SRC := $(filter-out %/cached_nvrtc.c,$(wildcard tests/support/*.c))
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
CUDA_INCLUDE ?= $(firstword $(wildcard $(CUDA_HOME)/include /usr/local/cuda/include build/nvrtc/nvidia/*/include))
CUDA_LIB ?= $(firstword $(wildcard $(CUDA_INCLUDE:/include=/lib64) $(CUDA_INCLUDE:/include=/lib)))
EXAMPLE_SRC := $(if $(wildcard $(CUDA_LIB)/stubs/libcuda.so),tools/examples/driver_api.c) \
               $(if $(wildcard $(CUDA_LIB)/libcudart_static.a),tools/examples/runtime_api.c)
BENCH_SRC := $(wildcard tools/bench/*.c)

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
LIB_OBJ := $(call obj,$(LIB_SRC)) $(B)/obj/generated/schema.o $(B)/obj/generated/service.o \
           $(B)/obj/generated/service_images.o $(B)/obj/generated/device_headers.o \
           $(B)/obj/generated/wire_tables.o $(B)/obj/generated/draft_stub.o
CLI_OBJ := $(call obj,$(CLI_SRC)) $(B)/obj/generated/language.o $(B)/obj/generated/report.o
WORKER_OBJ := $(call obj,$(MAINS))
EMU_OBJ := $(call obj,$(EMU_SRC) src/base/signals.c src/base/environment.c) $(if $(wildcard src/emulator/profiles/*.profile),$(B)/obj/generated/profiles.o)
SUPPORT_OBJ := $(call obj,$(SUPPORT_SRC))
SUPPORT_LOCALE_OBJ := $(call obj,tests/support/comma_locale.c tests/support/folder.c tests/support/test.c)
TESTS := $(patsubst %.c,$(B)/%,$(TEST_SRC))
# linked with injected failures; sanitizers have their own allocator
FAILING := $(foreach test,$(TESTS),$(if $(findstring /test_failing,$(test)),$(test)))
TESTS := $(if $(SANITIZE),$(filter-out $(FAILING),$(TESTS)),$(TESTS))
FAKE_WORKER := $(B)/tests/farm/fake-worker
FAKE_NVML := $(B)/tests/farm/fake_nvml.so
FAKE_WHEEL := $(B)/tests/gpu/wheel/libnvrtc.so.12
CACHED_NVRTC := $(B)/tests/support/cached_nvrtc.so
DIFFERENTIAL := $(B)/tests/device/differential
DIFFERENTIAL_OBJ := $(call obj,$(wildcard tests/device/*.c)) $(B)/obj/generated/programs.o
FUZZERS := $(patsubst %.c,$(B)/%,$(FUZZ_SRC))
FAKE := $(B)/tests/cli/gputune-fake $(patsubst %,$(B)/tests/cli/%.so,nfs reserves)
EXAMPLES := $(patsubst %.c,$(B)/%,$(EXAMPLE_SRC)) $(patsubst %.c,$(B)/%_cxx,$(EXAMPLE_SRC))
# runs search strategies on recorded spaces; options and output are like a command's
REPLAY_OBJ := $(call obj,$(filter-out %/main.c,$(wildcard tools/replay/*.c)))
BENCHES := $(patsubst %.c,$(B)/%,$(BENCH_SRC))

# tables that are installed
TABLES := $(wildcard db/*.wisdom)

.PHONY: all help lib tests fuzzers examples benches quick check check-build check-layers check-style demo install uninstall clean setup \
        check-san check-stress check-armour check-fleet check-fault check-fuzz check-gpu check-browser check-reproducible bench tidy wheel deb FORCE
.DELETE_ON_ERROR:
.SECONDARY:
all: $(B)/gputune $(B)/gputune-worker $(SHARED) $(B)/libgputune.a $(B)/libgputune-emu.so $(B)/man/gputune.3 \
     $(B)/man/gputune-template.7 $(if $(TABLES),$(B)/tables/gputune.db)
lib: $(B)/libgputune.a
tests: $(TESTS) $(FAKE) $(B)/tools/replay $(DIFFERENTIAL) $(CACHED_NVRTC)
fuzzers: $(FUZZERS)
examples: $(EXAMPLES)
benches: $(BENCHES)

help:
	@sed -n '1,7s/^# \{0,1\}//p' Makefile; sed -n 's/^#: //p' Makefile

# --- objects: rebuilt when the flags change, with header dependencies --------------------------------
$(B)/flags: FORCE
	@mkdir -p $(@D); echo '$(CC) $(CPPFLAGS) $(BASE_CFLAGS) $(EMULATOR_CFLAGS) $(TEST_CFLAGS)' | cmp -s - $@ || \
	    echo '$(CC) $(CPPFLAGS) $(BASE_CFLAGS) $(EMULATOR_CFLAGS) $(TEST_CFLAGS)' > $@

$(B)/obj/src/emulator/%.o: MORE_CFLAGS := $(EMULATOR_CFLAGS)
# the model consists of numeric loops
$(B)/obj/src/search/%.o: MORE_CFLAGS := -O3 -fno-math-errno -fno-trapping-math
$(B)/obj/src/%.o: src/%.c $(B)/flags
	$(call say,CC )mkdir -p $(@D); $(CC) $(CPPFLAGS) $(BASE_CFLAGS) $(MORE_CFLAGS) -MMD -MP -c $< -o $@
$(B)/obj/tests/fuzz/%.o: TEST_CFLAGS :=
$(B)/obj/tests/%.o: tests/%.c $(B)/flags
	$(call say,CC )mkdir -p $(@D); $(CC) $(CPPFLAGS) -Itests -Itools $(BASE_CFLAGS) -Wno-unused-parameter $(TEST_CFLAGS) -MMD -MP -c $< -o $@
# tools/setup's wheels contain cuda.h; a toolkit's has precedence
$(B)/obj/tests/support/cuda_layout.o: CPPFLAGS += -idirafter build/nvrtc/nvidia/cu13/include
$(B)/obj/tools/%.o: tools/%.c $(B)/flags
	$(call say,CC )mkdir -p $(@D); $(CC) $(CPPFLAGS) -Itools $(BASE_CFLAGS) -MMD -MP -c $< -o $@
$(B)/obj/generated/%.o: $(B)/generated/%.c $(B)/flags
	$(call say,CC )mkdir -p $(@D); $(CC) $(CPPFLAGS) $(BASE_CFLAGS) -c $< -o $@

# --- text embedded as C arrays -----------------------------------------------------------------------
$(B)/tables/gputune.db: $(TABLES) $(B)/gputune
	$(call say,DB )mkdir -p $(@D); rm -f $@*; $(B)/gputune wisdom import -q --trust -d none --db $@ $(TABLES)
$(B)/generated/schema.c: tools/embed $(wildcard db/*.sql)
	$(call say,GEN)mkdir -p $(@D); tools/embed gt_schema_steps db/*.sql > $@
$(B)/generated/profiles.c: tools/embed $(wildcard src/emulator/profiles/*.profile)
	$(call say,GEN)mkdir -p $(@D); tools/embed emu_profiles src/emulator/profiles/*.profile > $@

# the template language: in the command line, and as a man page
LANGUAGE_SRC := tools/language docs/template.md
$(B)/generated/language.c: tools/embed $(LANGUAGE_SRC)
	$(call say,GEN)mkdir -p $(@D); for part in page text; do tools/language $$part > $(@D)/$$part.txt && \
	    tools/embed --text cli_template_$$part $(@D)/$$part.txt || exit 1; done > $@
$(B)/man/gputune-template.7: $(LANGUAGE_SRC) Makefile
	$(call say,GEN)mkdir -p $(@D); tools/language man > $@
$(B)/man/gputune.3: tools/manual include/gputune.h include/gputune_tools.h Makefile
	$(call say,GEN)mkdir -p $(@D); tools/manual > $@

# the page of `gputune report`
$(B)/generated/report.c: tools/embed tools/report-page $(wildcard src/cli/report/*)
	$(call say,GEN)mkdir -p $(@D); tools/report-page src/cli/report > $(@D)/report.html && \
	    tools/embed --text cli_report_page $(@D)/report.html > $@

# structs exchanged between host and worker, read from their headers
WIRE_SRC := include/gputune.h $(patsubst %,src/%.h,base/operation base/sequence base/launch base/device \
            kernel/text/element_kinds kernel/text/types kernel/template/template kernel/bind/problem gpu/nvrtc farm/job farm/wire)
$(B)/generated/wire_tables.c: tools/wire-tables $(WIRE_SRC)
	$(call say,GEN)mkdir -p $(@D); tools/wire-tables $(WIRE_SRC) > $@

SERVICE_SRC := src/kernel/text/element_kinds.h src/farm/service.h src/farm/service_value.h $(patsubst %,src/farm/service_%.cu,tasks fill check time)
$(B)/generated/service.c: tools/embed $(SERVICE_SRC)
	$(call say,GEN)mkdir -p $(@D); tools/embed --text gt_service_source $(SERVICE_SRC) > $@

DEVICE_HEADERS := $(sort $(patsubst ./%,src/gpu/headers/%,$(shell cd src/gpu/headers && find . -type f)))
$(B)/generated/device_headers.c: tools/embed $(DEVICE_HEADERS)
	$(call say,GEN)mkdir -p $(@D); tools/embed --below src/gpu/headers gt_device_headers $(DEVICE_HEADERS) > $@

# the replacement of CUDA's headers in drafts
$(B)/generated/draft_stub.c: tools/embed src/draft/stub.cuh
	$(call say,GEN)mkdir -p $(@D); tools/embed --text gt_draft_stub src/draft/stub.cuh > $@

# the service kernels, compiled by a tool of this build
EMBED_OBJ := $(B)/obj/tools/embed_service.o $(B)/obj/generated/service.o $(B)/obj/generated/device_headers.o \
             $(call obj,$(wildcard src/base/*.c src/gpu/nvrtc.c src/gpu/image.c src/gpu/toolkit.c src/gpu/*header*.c))
$(B)/embed-service: $(EMBED_OBJ)
	$(call say,LD )$(CC) $(LDFLAGS) $^ -o $@ $(LIBS)
$(B)/generated/service_images.c: $(B)/embed-service $(SERVICE_SRC)
	$(call say,GEN)build=$(B); . tools/environment.sh; $< > $@
$(B)/generated/programs.c: tools/embed tests/device/programs.cu
	$(call say,GEN)mkdir -p $(@D); tools/embed --text programs_source tests/device/programs.cu > $@

# --- products ----------------------------------------------------------------------------------------
# for programs built here: all names
$(B)/internal.a: $(LIB_OBJ)
	$(call say,AR )rm -f $@; $(AR) rcs $@ $^
# for applications: one object that only exports the names of gputune.h
$(B)/libgputune.a: $(LIB_OBJ)
	$(call say,AR )rm -f $@; $(LD) -r $^ -o $(B)/libgputune.o && \
	    $(OBJCOPY) -w -G 'gputune_*' -G tune_kernel $(B)/libgputune.o && $(AR) rcs $@ $(B)/libgputune.o
$(B)/libgputune.so: $(LIB_OBJ) src/api/gputune.map
	$(call say,LD )$(CC) -shared -Wl,-soname,libgputune.so.1 -Wl,-Bsymbolic -Wl,--exclude-libs,ALL \
	    -Wl,--version-script=src/api/gputune.map $(LDFLAGS) $(LIB_OBJ) -o $@ $(LIBS)
	@ln -sf $(@F) $@.1
$(B)/gputune: $(CLI_OBJ) $(B)/internal.a
	$(call say,LD )$(CC) $(LDFLAGS) $^ -o $@ $(LIBS)
$(B)/gputune-worker: $(WORKER_OBJ) $(B)/internal.a
	$(call say,LD )$(CC) $(LDFLAGS) $^ -o $@ $(LIBS)
$(B)/tools/replay: $(B)/obj/tools/replay/main.o $(REPLAY_OBJ) $(filter-out %/main.o,$(CLI_OBJ)) $(B)/internal.a
	$(call say,LD )mkdir -p $(@D); $(CC) $(LDFLAGS) $^ -o $@ $(LIBS)
# no soname: it is only loaded by path, and cannot replace the system's driver
$(B)/libgputune-emu.so: $(EMU_OBJ)
	$(call say,LD )$(CC) -shared $(LDFLAGS) $^ -o $@ -lm -ldl

# --- tests, examples, benchmarks ---------------------------------------------------------------------
# two hundred programs contain the whole library: gold links them in half the time, and in a quarter
# without debug information, which DEBUG=1 keeps
GOLD := $(if $(shell command -v ld.gold),-fuse-ld=gold)
$(TESTS) $(FUZZERS) $(BENCHES): private LDFLAGS += $(GOLD) $(if $(DEBUG),,-Wl,--strip-debug)
EMU_TEST_OBJ = $(EMU_OBJ)
$(filter $(B)/tests/replay/%,$(TESTS)): $(REPLAY_OBJ)
$(B)/tests/emulator/%: $(B)/obj/tests/emulator/%.o $(SUPPORT_OBJ) $(EMU_OBJ) $(B)/internal.a
	$(call say,LD )mkdir -p $(@D); $(CC) $(LDFLAGS) $^ -o $@ -lcmocka $(LIBS)
# the parts of the library that the command line needs in addition to the fake
CLI_BASE_OBJ := $(B)/obj/tests/cli/fake_gputune.o $(call obj,src/api/names.c $(wildcard src/base/*.c))
$(B)/tests/cli/test_%: $(B)/obj/tests/cli/test_%.o $(filter-out %/main.o,$(CLI_OBJ)) $(CLI_BASE_OBJ) $(SUPPORT_LOCALE_OBJ)
	$(call say,LD )mkdir -p $(@D); $(CC) $(LDFLAGS) $^ -o $@ -lcmocka $(LIBS)
# preloaded libraries: a network file system, and reserved memory
$(B)/tests/cli/%.so: tests/cli/%.c
	$(call say,LD )mkdir -p $(@D); $(CC) -std=c11 -O1 -g -Wall -Wextra -Werror -fPIC -shared $< -o $@ -ldl
# the command line with a scripted library, for exact output
$(B)/tests/cli/gputune-fake: $(CLI_OBJ) $(CLI_BASE_OBJ)
	$(call say,LD )mkdir -p $(@D); $(CC) $(LDFLAGS) $^ -o $@ $(LIBS)
# FUZZER=libfuzzer (with CC=clang) uses libFuzzer's driver instead of the built-in one
FUZZ_DRIVER := $(if $(filter libfuzzer,$(FUZZER)),-fsanitize=fuzzer,$(B)/obj/tests/fuzz/driver.o)
$(B)/tests/fuzz/fuzz_ptx: $(B)/obj/tests/fuzz/fuzz_ptx.o $(filter %.o,$(FUZZ_DRIVER)) $(EMU_OBJ)
	$(call say,LD )mkdir -p $(@D); $(CC) $(LDFLAGS) $^ $(filter-out %.o,$(FUZZ_DRIVER)) -o $@ -lm -ldl
$(B)/tests/fuzz/fuzz_%: $(B)/obj/tests/fuzz/fuzz_%.o $(filter %.o,$(FUZZ_DRIVER)) $(filter-out %/main.o,$(CLI_OBJ)) $(B)/internal.a
	$(call say,LD )mkdir -p $(@D); $(CC) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(filter-out %.o,$(FUZZ_DRIVER)) -o $@ $(LIBS)
$(FAKE_WORKER): $(B)/obj/tests/farm/fake_worker.o $(WORKER_OBJ) $(B)/internal.a
	$(call say,LD )mkdir -p $(@D); $(CC) $(LDFLAGS) $^ -o $@ $(LIBS)
# runs the same PTX on a GPU and in the emulator; needs only the drivers, so it can be copied elsewhere
$(DIFFERENTIAL): $(DIFFERENTIAL_OBJ) $(B)/internal.a | $(B)/libgputune-emu.so
	$(call say,LD )mkdir -p $(@D); $(CC) $(LDFLAGS) $^ -o $@ $(LIBS)
$(FAKE_NVML): tests/farm/fake_nvml.c tests/farm/fake_nvml.h
	$(call say,LD )mkdir -p $(@D); $(CC) -std=c11 -O1 -g -Wall -Wextra -Werror -fPIC -shared -Wl,-soname,libnvidia-ml.so.1 $< -o $@
# NVRTC with a cache of its results
$(CACHED_NVRTC): tests/support/cached_nvrtc.c
	$(call say,LD )mkdir -p $(@D); $(CC) -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden $< -o $@ -ldl
# NVRTC and its builtins like those of a wheel: without a RUNPATH
$(FAKE_WHEEL): tests/gpu/fake_nvrtc.c
	$(call say,LD )mkdir -p $(@D); $(CC) -shared -fPIC -Wl,-soname,$(@F) $< -ldl -o $@ && \
	    $(CC) -shared -fPIC -x c /dev/null -Wl,-soname,libnvrtc-builtins.so.12.9 -o $(@D)/libnvrtc-builtins.so.12.9
$(B)/tests/gpu/test_nvrtc_wheel: | $(FAKE_WHEEL)
$(filter $(B)/tests/farm/%,$(TESTS)): | $(FAKE_WORKER) $(FAKE_NVML) $(B)/gputune-worker
$(B)/tests/%: $(B)/obj/tests/%.o $(SUPPORT_OBJ) $(B)/internal.a
	$(call say,LD )mkdir -p $(@D); $(CC) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) -o $@ -lcmocka $(LIBS)
$(FAILING): $(B)/obj/tests/fault/failing.o
# exports its functions, so they replace libc's in loaded libraries too
$(B)/tests/fault/walk: $(call obj,tests/fault/walk.c tests/fault/attempt.c tests/fault/application.c tests/fault/failing.c) $(B)/internal.a
	$(call say,LD )mkdir -p $(@D); $(CC) $(LDFLAGS) -rdynamic $^ -o $@ $(LIBS)
$(B)/tests/fault/failing_nvrtc.so: $(B)/tests/fault/failing.so
$(B)/tests/fault/%.so: tests/fault/%.c tests/fault/failing.h
	$(call say,LD )mkdir -p $(@D); $(CC) -std=c11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror -fPIC -shared $< -o $@
# Examples need a toolkit's headers, and its link stub or runtime; without them none are built.
$(B)/tools/examples/driver_api $(B)/tools/examples/driver_api_cxx: MORE_LIBS := -L$(CUDA_LIB)/stubs -lcuda
$(B)/tools/examples/runtime_api $(B)/tools/examples/runtime_api_cxx: MORE_LIBS := -L$(CUDA_LIB) -lcudart_static -lrt
EXAMPLE_FLAGS = -Wall -Wextra -Wpedantic -Werror -Iinclude -isystem $(CUDA_INCLUDE) $(SANFLAGS)
EXAMPLE_LIBS = $(if $(STATIC),$(B)/libgputune.a $(LIBS),-L$(B) -Wl,-rpath,'$$ORIGIN/../..' -lgputune) $(MORE_LIBS) -lm -ldl -pthread
$(B)/tools/examples/%: tools/examples/%.c $(or $(SHARED),$(B)/libgputune.a)
	$(call say,EX )mkdir -p $(@D); $(CC) -std=c11 $(EXAMPLE_FLAGS) $< -o $@ $(EXAMPLE_LIBS)
$(B)/tools/examples/%_cxx: tools/examples/%.c $(or $(SHARED),$(B)/libgputune.a)
	$(call say,EXX)mkdir -p $(@D); $(CXX) -std=c++11 $(EXAMPLE_FLAGS) -x c++ $< -x none -o $@ $(EXAMPLE_LIBS)
$(B)/tools/bench/emulator%: $(B)/obj/tools/bench/emulator%.o $(EMU_OBJ) $(B)/internal.a
	$(call say,LD )mkdir -p $(@D); $(CC) $(LDFLAGS) $^ -o $@ $(LIBS)
$(B)/tools/bench/libraries: tools/bench/libraries.cu $(B)/internal.a
	$(call say,NV )mkdir -p $(@D); nvcc -O2 -std=c++17 -arch=all-major -Iinclude -Isrc $^ -o $@ -lcublas $(LIBS)
$(B)/tools/bench/%: $(B)/obj/tools/bench/%.o $(B)/internal.a
	$(call say,LD )mkdir -p $(@D); $(CC) $(LDFLAGS) $^ -o $@ $(LIBS)

setup:
	@tools/setup
ALL_CORES = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

#: make demo          sets up, builds, tunes the kernels, with or without a GPU
demo: setup
	@$(MAKE) --no-print-directory $(ALL_CORES) all
	@tools/demo $(B)

#: make check         sets up, builds, runs every test that needs no GPU
# files that only tests need are downloaded during the build
check: setup
	@tools/setup check & $(MAKE) --no-print-directory $(ALL_CORES) check-build && wait $$! && tools/check $(B)
check-build: all tests fuzzers benches
#: make quick         the unit tests and the command line's cases with a scripted library
quick: setup
	@$(MAKE) --no-print-directory $(ALL_CORES) all tests && QUICK=1 tools/check $(B)

#: make check-san     the tests under ASan and UBSan, then TSan
#: make check-stress N=1000000   random calls from 1, 8 and 64 threads under TSan, then ASan and UBSan
#: make check-armour  long runs with bad variants, kills, many processes and damaged files
#: make check-fleet   many runs under Slurm and Open MPI (it installs them), with emulated GPUs
#: make check-fault   failing allocations, system and driver calls, files, workers, one by one
#: make check-fuzz T=60   parsers on mutated input, T seconds each
#: make check-browser the page of gputune report in a headless browser (it installs one)
#: make check-gpu     tests that need a GPU; prints "skipped" without one
#: make bench         comparison with other tuners, on a GPU
#: make check-reproducible   two builds in two folders give the same bytes
#: make tidy          clang-tidy over the source
check-san check-stress check-armour check-fleet check-fault check-fuzz check-browser check-gpu check-reproducible tidy:
	@B=$(B) T=$(T) N=$(N) tools/$@
bench:
	@B=$(B) tools/bench-run

# works for any prefix without a rebuild, because no product contains its location
install uninstall: export PREFIX := $(PREFIX)
install uninstall: export LIBDIR := $(LIBDIR)
install uninstall: export DESTDIR := $(DESTDIR)
install uninstall: export VERSION := $(VERSION)
install uninstall: export LIBS := $(LIBS) -pthread
install: all
	@tools/package/install $(B)
uninstall:
	@tools/package/install $(B) uninstall

#: make wheel         the Python package, including the library and programs, in $(B)/wheel
# linked again, to find libraries in their own folder
WHEEL := $(addprefix $(B)/wheel/,libgputune.so gputune gputune-worker)
$(B)/wheel/libgputune.so: $(LIB_OBJ) src/api/gputune.map
	$(call say,LD )mkdir -p $(@D); $(CC) -shared -Wl,-soname,libgputune.so.1 -Wl,-Bsymbolic -Wl,--exclude-libs,ALL -Wl,-rpath,'$$ORIGIN' \
	    -Wl,--version-script=src/api/gputune.map $(LDFLAGS) $(LIB_OBJ) -o $@ $(LIBS)
$(B)/wheel/gputune: $(CLI_OBJ) $(B)/internal.a
	$(call say,LD )mkdir -p $(@D); $(CC) $(LDFLAGS) -Wl,-rpath,'$$ORIGIN' $^ -o $@ $(LIBS)
$(B)/wheel/gputune-worker: $(WORKER_OBJ) $(B)/internal.a
	$(call say,LD )mkdir -p $(@D); $(CC) $(LDFLAGS) -Wl,-rpath,'$$ORIGIN' $^ -o $@ $(LIBS)
wheel: all $(WHEEL)
	@tools/package/wheel $(B) $(B)/wheel

#: make deb           Debian packages in $(B)/deb, with the distribution's tools
deb:
	@tools/package/deb $(B)/deb

clean:
	rm -rf $(B)

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
