# SPDX-License-Identifier: MIT
# "make help" lists the targets and settings.

VERSION := 0.1.0
BUILD ?= release
STATIC ?= 0
PREFIX ?= /usr/local
OUT := build/$(BUILD)
BUILDS := release debug asan cov gcc-lint clang-lint

ifeq ($(origin CC),default)
CC := gcc
endif
INSTALL ?= install
# Short lines instead of commands, unless V=1.
ifeq ($(V),)
Q := @
say = @echo '  $(1)  $@'
endif

ifeq ($(filter $(BUILD),$(BUILDS)),)
$(error BUILD=$(BUILD) is unknown: use release, debug, asan or cov)
endif

# Root in another user's tree: what is left under build/ becomes that user's.
ifneq ($(shell [ "$$(id -u)" = 0 ] && stat -c %u . | grep -vx 0),)
SHELL := tools/owned-sh
endif

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef -Wformat=2
ALL_CPPFLAGS := -D_GNU_SOURCE -DPYATTACH_VERSION='"$(VERSION)"' -Isrc $(CPPFLAGS)

HARDEN := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fno-plt
CFLAGS_release := -O2 -g $(HARDEN)
CFLAGS_debug := -O0 -g3
CFLAGS_asan := -O1 -g -fno-omit-frame-pointer \
	-fsanitize=address,undefined -fno-sanitize-recover=undefined
CFLAGS_cov := -O0 -g --coverage
CFLAGS_gcc-lint := -O2 -Werror $(HARDEN)
CFLAGS_clang-lint := -O1 -Werror
LDFLAGS_release := -Wl,-z,relro,-z,now -Wl,--as-needed
LDFLAGS_asan := -fsanitize=address,undefined
LDFLAGS_cov := --coverage
ifeq ($(STATIC),1)
OUT := $(OUT)-static
PIE := -fPIE
LDPIE := -static-pie
else ifeq ($(BUILD),release)
PIE := -fPIE
LDPIE := -pie
endif
ALL_CFLAGS := -std=gnu17 $(WARN) $(CFLAGS_$(BUILD)) $(PIE) $(CFLAGS)
ALL_LDFLAGS := $(LDPIE) $(LDFLAGS_$(BUILD)) $(LDFLAGS)
# libz is libelf's: only a static link names it.
LIBS := -lelf -ljansson $(if $(filter 1,$(STATIC)),-lz)

SRC := $(sort $(wildcard src/*/*.c))
HDR := $(sort $(wildcard src/*/*.h))
TABLES := $(sort $(wildcard offsets/*.tbl))
ASSETS := $(sort $(wildcard src/output/*.js src/output/*.css))
UNIT := $(sort $(wildcard tests/unit/test_*.c))
HELP := $(sort $(wildcard tests/lib/*.c))

# src/output/flamegraph.js is embedded as flamegraph_js and flamegraph_js_len.
EMBED := $(OUT)/embed/offsets.c $(ASSETS:src/output/%=$(OUT)/embed/%.c)
OBJ := $(SRC:%.c=$(OUT)/%.o) $(EMBED:.c=.o)
UNIT_OBJ := $(UNIT:%.c=$(OUT)/%.o) $(HELP:%.c=$(OUT)/%.o)
BENCH_OBJ := $(patsubst %.c,$(OUT)/%.o,$(sort $(wildcard tests/bench/*.c)))
UNIT_BIN := $(UNIT:%.c=$(OUT)/%)
LIB := $(OUT)/libpyattach.a
BIN := $(OUT)/pyattach

all: $(BIN)

$(BIN): $(OUT)/src/main.o $(LIB) $(OUT)/link-flags
	$(call say,LD   )
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBS)

$(LIB): $(OBJ) $(OUT)/inputs
	@rm -f $@
	$(call say,AR   )
	$(Q)$(AR) rcs $@ $(OBJ)

$(OUT)/src/%.o: src/%.c $(OUT)/flags | needs
	@mkdir -p $(@D)
	$(call say,CC   )
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(OUT)/tests/%.o: tests/%.c $(OUT)/flags | needs
	@mkdir -p $(@D)
	$(call say,CC   )
	$(Q)$(CC) $(ALL_CPPFLAGS) -I. $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(OUT)/embed/%.o: $(OUT)/embed/%.c $(OUT)/flags | needs
	$(call say,CC   )
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(OUT)/embed/offsets.c: $(TABLES) tools/embed $(OUT)/inputs
	@mkdir -p $(@D)
	$(Q)tools/embed --tables $(TABLES) >$@.new && mv $@.new $@

$(OUT)/embed/%.c: src/output/% tools/embed
	@mkdir -p $(@D)
	$(Q)tools/embed $< $(subst -,_,$(subst .,_,$*)) >$@.new && mv $@.new $@

$(UNIT_BIN): $(OUT)/%: $(OUT)/%.o $(HELP:%.c=$(OUT)/%.o) $(LIB) $(OUT)/link-flags
	$(call say,LD   )
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.o %.a,$^) -lcmocka $(LIBS)

unit: $(UNIT_BIN)

# Files that change when, and only when, what they say does.
$(OUT)/flags: TEXT = $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS)
$(OUT)/link-flags: TEXT = $(CC) $(ALL_LDFLAGS) $(LIBS)
$(OUT)/inputs: TEXT = $(SRC) $(TABLES) $(ASSETS)
$(OUT)/flags $(OUT)/link-flags $(OUT)/inputs: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(TEXT))' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

needs:
	@tools/check-needs $(CC) $(CPPFLAGS) $(CFLAGS)

-include $(OBJ:.o=.d) $(OUT)/src/main.d $(UNIT_OBJ:.o=.d) $(BENCH_OBJ:.o=.d)

demo:
	@tools/install-deps build
	@$(MAKE) --no-print-directory all
	@tools/demo $(BIN)

check:
	@tools/install-deps test
	@$(MAKE) --no-print-directory all unit
	@BUILD=$(BUILD) tests/run

asan:
	@$(MAKE) --no-print-directory BUILD=asan check

# Everything compiles without a warning, with both compilers, and every header alone.
compile-check: $(OBJ) $(OUT)/src/main.o $(UNIT_OBJ) $(BENCH_OBJ)

hdr-check: | needs
	@for header in $(HDR:src/%=%); do \
		echo "#include \"$$header\"" | \
			$(CC) $(ALL_CPPFLAGS) -std=gnu17 $(WARN) -Werror -fsyntax-only -x c - || \
			{ echo "hdr-check: src/$$header does not compile alone" >&2; exit 1; }; \
	done

lint:
	@tools/install-deps test
	@MAKE='$(MAKE)' tools/lint

format:
	clang-format -i $(wildcard src/*.[ch] src/*/*.[ch] tests/*/*.[ch] tools/*.[ch] fixtures/*/*.[ch])

golden-update: all unit
	@BUILD=$(BUILD) GOLDEN_UPDATE=1 tests/run golden

bench:
	@tools/install-deps test
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) tests/bench/run

install: all
	$(INSTALL) -D -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin/pyattach
	$(INSTALL) -D -m 644 src/pyattach.1 $(DESTDIR)$(PREFIX)/share/man/man1/pyattach.1

clean:
	rm -rf build

help:
	@sed -n 's/^#: //p' Makefile

#: all            build/release/pyattach (needs: tools/install-deps build)
#: demo           install what is missing, build, record a real program into flame.svg
#: check          install what is missing, build, run every test
#: lint           layers, sizes, formats, warnings of both compilers, shell scripts
#: asan           the tests with the address and undefined-behaviour sanitizers
#: bench          measure, beside other tools
#: format         clang-format every C file
#: golden-update  rewrite the expected files of the golden tests
#: install        into $(DESTDIR)$(PREFIX), by default /usr/local
#: clean          remove build/
#:
#: BUILD=release|debug|asan|cov    what to build, into build/$(BUILD)
#: STATIC=1                        one static binary, in build/$(BUILD)-static
#: CC=, CFLAGS=, CPPFLAGS=, LDFLAGS=   the compiler, and flags to add
#: V=1                             show the commands

.PHONY: all unit needs demo check asan compile-check hdr-check lint format golden-update bench \
	install clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:
