# SPDX-License-Identifier: MIT
VERSION := 0.1.0
BUILD ?= release
OUT := build/$(BUILD)
CC ?= gcc
AR ?= ar

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef -Wformat=2
CPPFLAGS += -D_GNU_SOURCE -DPYATTACH_VERSION='"$(VERSION)"' -Isrc -I$(OUT)
CFLAGS_release := -O2 -g -fstack-protector-strong -fPIE -D_FORTIFY_SOURCE=2 -fno-plt
LDFLAGS_release := -pie -Wl,-z,relro,-z,now -Wl,--as-needed
CFLAGS_debug := -O0 -g3
CFLAGS_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
LDFLAGS_asan := -fsanitize=address,undefined
ALL_CFLAGS := -std=gnu17 $(WARN) $(CFLAGS_$(BUILD)) $(CFLAGS)
ALL_LDFLAGS := $(LDFLAGS_$(BUILD)) $(LDFLAGS)
LIBS := -lelf -ljansson

SRC := $(sort $(wildcard src/*/*.c))
OBJ := $(SRC:%.c=$(OUT)/%.o)
BIN := $(OUT)/pyattach

all: $(BIN)

$(BIN): $(OUT)/src/main.o $(OUT)/libpyattach.a
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(OUT)/libpyattach.a: $(OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(OUT)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

-include $(OBJ:.o=.d)

.PHONY: all
