# SPDX-License-Identifier: GPL-2.0
#
# make -f selftests/unit/lane.mk -j: what lane.sh runs, from the top directory. The tool
# is built as it is used, and with sanitizers for its unit tests; in the long form these run
# as it is used, too.

B := $(CURDIR)/build
LONG := $(filter-out 0,$(LW_LONG))
SANITIZE := -U_FORTIFY_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=all

all: unit ring tools tools-san

unit ring:
	+$(MAKE) -C selftests/$@ O=$(B)/$@ all

# The lane proof has it made, too.
tools:
	+mkdir -p $(B)/lock && flock $(B)/lock/host-tools $(MAKE) -C tools O=$(B)/$@ all $(if $(LONG),tests)

tools-san:
	+$(MAKE) -C tools O=$(B)/$@ "CFLAGS=$(SANITIZE)" all tests

# Lines for tap_each; the longest first, so that no CPU waits for the other at the end.
commands:
	@echo "ring-model selftests/ring/model.sh"
	@$(MAKE) -C selftests/unit O=$(B)/unit commands
	@echo "flame selftests/flame/flame.sh $(B)/tools-san/tools/tests/export/flame_pages" \
		"$(B)/tools-san/flame_page.html build/flame-test"
	@echo "bundle selftests/flame/bundle_test.sh"
	@echo "install_user selftests/unit/install_user_test.sh"
	@echo "tool_gen selftests/unit/tool_gen $(B)/tools/latewind-sframe $(B)/tools-san/latewind-sframe" \
		"$(B)/unit/gen_files $(B)/unit/gen_files.san $(B)/unit/gen_judge"
	@echo "tool_options selftests/unit/tool_options $(B)/tools/latewind $(B)/tools/latewind-sframe"
	@echo "tool_order selftests/unit/tool_order $(B)/tools/latewind $(B)/tools-san/latewind"
	@echo "tool_sframe selftests/unit/tool_sframe $(B)/tools/latewind-sframe $(B)/tools-san/latewind-sframe"
	@$(MAKE) -C selftests/ring O=$(B)/ring commands
	@$(MAKE) -C tools O=$(B)/tools-san commands
ifneq ($(LONG),)
	@$(MAKE) -C tools O=$(B)/tools commands | sed 's/^tools-/tools-plain-/'
endif

.PHONY: all unit ring tools tools-san commands
