# SPDX-License-Identifier: GPL-2.0
#
# Latewind. 'make help' lists the targets; Kbuild says what the module is made
# of. Everything is written below build/; caches live in
# ${XDG_CACHE_HOME:-~/.cache}/latewind.

VERSION := $(shell cat VERSION)
# Of packages: PREFIX=/usr, and the LIBDIR and SBINDIR of the distribution.
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
SBINDIR ?= $(PREFIX)/sbin
DESTDIR ?=
# A build directory that is named says whose it is.
ifndef KREL
KREL := $(or $(if $(KDIR),$(shell cat $(KDIR)/include/config/kernel.release)),$(shell uname -r))
endif
KDIR ?= /lib/modules/$(KREL)/build
# A module needs the compiler of its kernel: one that was built with LLVM says so.
LLVM ?= $(if $(shell grep -sx CONFIG_CC_IS_CLANG=y $(KDIR)/include/config/auto.conf),1)
export LLVM
KERNEL ?= 6.12
KERNELS ?= 6.12 7 6.1
DEBUG_KERNELS ?= debug
FUZZ_SECONDS ?= 30
# The lanes of 'make check', long ones first as two run at a time, and of 'make check-all'.
CHECK_LANES := 6.12 unit debug 7 6.1 lint fuzz
LANES ?= $(CHECK_LANES) kcsan clang rt 6.12-arm64 6.12-nopauth-arm64 6.12-16k-arm64 debug-arm64 6.12-s390x newest refuse stress step-oracle proof demo install
AGAIN ?= 0
STRESS_KERNEL ?= debug
STRESS_SECONDS ?= 60
STRESS_SEED ?= 1
STRESS_CYCLES ?= 0
SOAK_SECONDS ?= 3600
CALLS ?= 1000000
SEED ?= 1
FAULTS ?= 4
REPLAY ?=
STEPS ?= 1000000
SAMPLES ?= 1000000

VM := selftests/vm
B := $(CURDIR)/build
MODDIR := $(B)/module/$(KREL)
TESTDIR := $(B)/test-module/$(KREL)
SAMPLEDIR := $(B)/samples/$(KREL)
NEED_HEADERS = $(if $(wildcard $(KDIR)/Makefile),,$(error no kernel headers in $(KDIR); install linux-headers-$(KREL) or set KDIR))

.PHONY: all
all: module tools lib

.PHONY: help
help:
	@echo 'Build (for the running kernel; KDIR=<kernel build directory> for another):'
	@echo '  all              module and tool (default)'
	@echo '  module           build/module/<release>/latewind.ko'
	@echo '  tools            build/tools/latewind and latewind-sframe'
	@echo '  lib              build/lib/liblatewind.*: the client library'
	@echo '  samples          build/samples/<release>/: modules that use the kernel API'
	@echo '  docs             build/docs/: the documentation as a site; docs-links: do links lead'
	@echo '                   to files that there are?'
	@echo '  dist             build/latewind-$(VERSION).tar.gz: a release, which builds without git'
	@echo 'Install (DESTDIR, PREFIX=$(PREFIX)):'
	@echo '  install          module, tool, completion, library, manual pages; uninstall'
	@echo '  install-user     all but the module; uninstall-user'
	@echo '  dkms-install     the module by DKMS, which builds it for each kernel; dkms-remove'
	@echo '  deps             install the packages that all this needs (apt-get; root)'
	@echo 'Try and test (as root; everything runs in a VM):'
	@echo '  demo             record a real program, leaves build/demo/'
	@echo '  check            all tests in their short form, leaves build/check/'
	@echo '  check-all        all tests whole, long ones too, but for what has run on this very'
	@echo '                   tree; LANES="$(LANES)"'
	@echo '  check-for        those of check-all that the changes since BASE=<commit> call for'
	@echo '  check-unit       the short form of the unit tests, on this machine'
	@echo '  check-vm         of the kselftests, in a VM of each of KERNELS="$(KERNELS)"'
	@echo '  check-debug      the same on kernels with checkers: DEBUG_KERNELS="$(DEBUG_KERNELS)"'
	@echo '                   (or kcsan; KERNELS="rt clang" are PREEMPT_RT and LLVM with kCFI,'
	@echo '                   6.12-arm64, 6.12-nopauth-arm64, 6.12-16k-arm64, debug-arm64 and'
	@echo '                   6.12-s390x those of'
	@echo '                   other architectures)'
	@echo '  coverage         lines of the module that its tests run, by file'
	@echo '  stress           everything at once for STRESS_SECONDS=$(STRESS_SECONDS) from STRESS_SEED=$(STRESS_SEED),'
	@echo '                   then STRESS_CYCLES=$(STRESS_CYCLES) times rmmod and insmod (STRESS_KERNEL=$(STRESS_KERNEL))'
	@echo '  soak             stress, device fuzzer and fault injection in turns, for SOAK_SECONDS=$(SOAK_SECONDS)'
	@echo '                   (STRESS_KERNEL=debug or kcsan, STRESS_SEED)'
	@echo '  device-fuzz      CALLS=$(CALLS) hostile calls from SEED=$(SEED) on, or REPLAY=<seed:numbers>'
	@echo '                   (KERNEL=debug has KCOV and fault injection)'
	@echo '  step-oracle      STEPS=$(STEPS) instructions of real programs, every stack compared (KERNEL=$(KERNEL))'
	@echo '  lint             checkpatch, sparse and the documentation'
	@echo '  fuzz             fuzz the SFrame reader for FUZZ_SECONDS=$(FUZZ_SECONDS)'
	@echo '  proof            a recording of SAMPLES=$(SAMPLES), read by perf of three releases and hotspot'
	@echo '  bench            all benchmarks, leaves build/bench/'
	@echo '  bench-sframe     table look-ups, beside other unwinders'
	@echo '  bench-gen        tables made of .eh_frame, beside elfutils'
	@echo '  bench-request    instructions of a request, in a VM that counts them'
	@echo '  bench-walk       likewise of a sample with a user stack, beside perf'
	@echo '  bench-others     likewise of who is not sampled, while somebody records'
	@echo '  bench-rate       samples with a stack of their own at 9,999 Hz, in such a VM'
	@echo '  bench-ring       our ring beside those of BPF and perf'
	@echo '  bench-tables     tables of 300 shared objects when a recording starts'
	@echo '  bench-trace      a build that is traced, beside strace, in a VM'
	@echo '  bench-start      record -a with 2,000 processes, until it records, in a VM'
	@echo '  bench-script     a recording as text, beside perf script, in a VM'
	@echo '  bench-vma        what is mapped at 1,000 addresses, beside maps, in a VM'
	@echo '  vm-shell         a shell in a VM, module loaded (KERNEL=$(KERNEL))'
	@echo '  vm-run SCRIPT=f  run f as root in a VM; its $$OUT is build/vm/out/'
	@echo '  vm-build         build for that VM only'
	@echo 'Clean:'
	@echo '  clean            what was built'
	@echo '  distclean        build/, whole; the cache stays, see Documentation/testing.rst'

# Kbuild writes beside its sources, so it gets a directory of links to them.
.PHONY: module
module:
	$(NEED_HEADERS)
	@find $(MODDIR) -xtype l -delete 2>/dev/null; \
	find Kbuild VERSION module uapi -name '*.[chS]' -o -name 'Kbuild*' -o -name VERSION | while read -r f; do \
		[ -e $(MODDIR)/$$f ] || { mkdir -p $$(dirname $(MODDIR)/$$f) && \
			ln -srf $$f $(MODDIR)/$$f; } || exit 1; \
	done
	$(MAKE) -C $(KDIR) M=$(MODDIR) modules

# Modules that use ours: as they would be built anywhere, but in a directory of
# links again.
link_and_build = mkdir -p $(2) && find $(2) -xtype l -delete && \
	ln -sfr $(wildcard $(1:%=%/*)) $(2) && \
	$(MAKE) -C $(KDIR) M=$(2) LATEWIND=$(CURDIR) \
		KBUILD_EXTRA_SYMBOLS=$(MODDIR)/Module.symvers modules

.PHONY: test-module
test-module: module
	+$(call link_and_build,selftests/modules,$(TESTDIR))
	nm -A $$(find $(MODDIR)/module -name '*.o') | sed 's|^[^:]*/||' >$(TESTDIR)/latewind.nm.tmp
	mv $(TESTDIR)/latewind.nm.tmp $(TESTDIR)/latewind.nm

.PHONY: samples
samples: module
	+$(call link_and_build,samples/top_stacks,$(SAMPLEDIR))

.PHONY: tools
tools:
	$(MAKE) -C tools O=$(B)/tools

.PHONY: lib
lib:
	$(MAKE) -C lib O=$(B)/lib

include packaging/install.mk

# By Sphinx of this machine, if it has one and the theme, else in a root of the harness.
SPHINX_IS_HERE = python3 -c 'import furo, sphinx, sys; sys.exit(sphinx.version_info < (7, 2))'

.PHONY: docs docs-here docs-links
docs:
	@if $(SPHINX_IS_HERE) 2>/dev/null; then $(MAKE) docs-here; \
		else $(MAKE) deps && $(VM)/docs.sh; fi

# Anew each time: what an earlier call has warned of, Sphinx does not say again.
docs-here:
	python3 -B -m sphinx -b html -n -E -q -W --keep-going -d $(B)/docs/.doctrees \
		Documentation $(B)/docs

docs-links:
	@python3 -B $(VM)/docs.py links

.PHONY: deps
deps:
	@$(VM)/deps.sh

.PHONY: demo
demo: deps
	@$(VM)/demo.sh $(KERNEL)

# Those of Documentation/pictures, anew.
.PHONY: pictures
pictures: deps
	@$(VM)/pictures.sh $(KERNEL)

.PHONY: check
check: deps
	@$(VM)/check.sh $(CHECK_LANES)

# AGAIN=1 runs lanes again that have failed.
.PHONY: check-all
check-all: deps
	@LW_LONG=1 LW_AGAIN=$(AGAIN) $(VM)/check.sh $(LANES)

.PHONY: check-for
check-for: deps
	$(if $(BASE),,$(error check-for: name a commit, BASE=<commit>))
	@lanes=$$($(VM)/tables.py for $(BASE)) && \
		{ [ -z "$$lanes" ] || LW_LONG=1 LW_AGAIN=$(AGAIN) $(VM)/check.sh $$lanes; }

.PHONY: check-unit
check-unit: deps
	@$(VM)/check.sh unit

.PHONY: check-vm
check-vm: deps
	@$(VM)/check.sh $(KERNELS)

.PHONY: check-debug
check-debug: deps
	@$(VM)/check.sh $(DEBUG_KERNELS)

.PHONY: coverage
coverage: deps
	@$(VM)/coverage.sh

# A cycle under load takes a second or two, on a debug kernel ten.
.PHONY: stress
stress: deps
	@$(VM)/build.sh $(STRESS_KERNEL)
	@VM_DIR=$(B)/stress VM_MEMORY=4G \
		VM_TIMEOUT=$$((600 + $(STRESS_SECONDS) * 2 + $(STRESS_CYCLES) * 10)) \
		VM_APPEND="lw.seconds=$(STRESS_SECONDS) lw.seed=$(STRESS_SEED) lw.cycles=$(STRESS_CYCLES)" \
		$(VM)/run.sh $(STRESS_KERNEL) $(VM)/stress-guest.sh

# The last turn goes on after SOAK_SECONDS, and fault_test of a checked kernel takes minutes.
.PHONY: soak
soak: deps
	@$(VM)/build.sh $(STRESS_KERNEL)
	@VM_DIR=$(B)/soak-$(STRESS_KERNEL) VM_MEMORY=4G VM_TIMEOUT=$$((3600 + $(SOAK_SECONDS) * 2)) \
		VM_APPEND="rcupdate.rcu_expedited=1 lw.seconds=$(SOAK_SECONDS) lw.seed=$(STRESS_SEED)" \
		$(VM)/run.sh $(STRESS_KERNEL) $(VM)/soak-guest.sh

# What waits for RCU does nothing else: so it waits less, and processes take turns.
.PHONY: device-fuzz
device-fuzz: deps
	@$(VM)/build.sh $(KERNEL)
	@VM_DIR=$(B)/device-fuzz VM_TIMEOUT=$$((900 + $(CALLS) / 100)) VM_MEMORY=4G \
		VM_APPEND="rcupdate.rcu_expedited=1 lw.calls=$(CALLS) lw.seed=$(SEED) lw.workers=8 lw.faults=$(FAULTS) lw.replay=$(REPLAY)" \
		$(VM)/run.sh $(KERNEL) $(VM)/device-fuzz-guest.sh

# An instruction takes half a millisecond or so, without mitigations.
.PHONY: step-oracle
step-oracle: deps
	@$(VM)/build.sh $(KERNEL)
	@VM_DIR=$(B)/step-oracle VM_TIMEOUT=$$((900 + $(STEPS) / 400)) \
		VM_APPEND="mitigations=off lw.steps=$(STEPS)" \
		$(VM)/run.sh $(KERNEL) $(VM)/step-oracle-guest.sh

# Some ten minutes, and a root with perf for each of three releases, the first time.
.PHONY: proof
proof: deps
	@SAMPLES=$(SAMPLES) selftests/proof/proof.sh $(KERNEL)

.PHONY: lint
lint: deps
	@$(VM)/check.sh lint

.PHONY: fuzz
fuzz: deps
	@selftests/fuzz/fuzz.sh $(FUZZ_SECONDS)

.PHONY: bench bench-sframe bench-gen bench-request bench-ring
bench: bench-sframe bench-gen bench-tables bench-request bench-ring bench-trace bench-vma \
       bench-start bench-script bench-walk bench-others bench-rate
bench-sframe: deps
	@selftests/bench/bench.sh
bench-gen: deps
	@selftests/bench/gen.sh
bench-request: deps
	@selftests/bench/request.sh $(KERNEL)
bench-ring: deps
	@selftests/bench/ring.sh $(KERNEL)

.PHONY: bench-tables
bench-tables: deps
	@selftests/bench/tables.sh

.PHONY: bench-trace
bench-trace: deps
	@selftests/bench/trace.sh

.PHONY: bench-vma
bench-vma: deps
	@selftests/bench/vma.sh

.PHONY: bench-start
bench-start: deps
	@selftests/bench/start.sh

.PHONY: bench-rate
bench-rate: deps
	@selftests/bench/rate.sh $(KERNEL)

.PHONY: bench-others
bench-others: deps
	@selftests/bench/others.sh $(KERNEL)

.PHONY: bench-script
bench-script: deps
	@selftests/bench/script.sh

# Half an hour a kernel; see walk.sh for how to have a part of it.
.PHONY: bench-walk
bench-walk: deps
	@selftests/bench/walk.sh $(KERNEL)

.PHONY: vm-build
vm-build: deps
	@$(VM)/build.sh $(KERNEL)

.PHONY: vm-run
vm-run: deps
	$(if $(SCRIPT),,$(error vm-run: name the script to run, SCRIPT=<file>))
	@[ "$(NOLOAD)" = 1 ] || $(VM)/build.sh $(KERNEL)
	@NOLOAD=$(NOLOAD) $(VM)/run.sh $(KERNEL) $(SCRIPT) || { status=$$?; \
		echo "vm-run: exit status $$status" >&2; exit $$status; }

.PHONY: vm-shell
vm-shell: deps
	@[ "$(NOLOAD)" = 1 ] || $(VM)/build.sh $(KERNEL)
	@NOLOAD=$(NOLOAD) $(VM)/run.sh $(KERNEL) --shell

.PHONY: clean
clean:
	rm -rf $(B)/module $(B)/test-module $(B)/samples $(B)/tools $(B)/tools-san $(B)/lib $(B)/userland $(B)/unit $(B)/man \
		$(B)/docs $(B)/docs-check $(B)/dist $(B)/uninstall

.PHONY: distclean
distclean:
	rm -rf $(B)
