# SPDX-License-Identifier: GPL-2.0
#
# What "make install" and its kin do, for people and packages; read by the top-level Makefile.

SHARE = $(DESTDIR)$(PREFIX)/share
DKMS_SRC = /usr/src/latewind-$(VERSION)
KO = /lib/modules/$(KREL)/updates/latewind.ko

.PHONY: install install-module
install: install-module install-user

install-module: module
	install -D -m 644 $(MODDIR)/latewind.ko $(DESTDIR)$(KO)
	$(if $(DESTDIR),,depmod $(KREL))

.PHONY: install-user
install-user: tools lib install-man
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin $(B)/tools/latewind $(B)/tools/latewind-sframe
	install -D -m 755 -t $(DESTDIR)$(SBINDIR) packaging/latewind-group
	install -D -m 644 -t $(SHARE)/latewind $(B)/tools/flame_page.html \
		packaging/60-latewind.rules packaging/modules-load.conf packaging/sysctl.conf \
		packaging/sysusers.conf
	install -D -m 644 -t $(SHARE)/doc/latewind COPYING NOTICE CHANGELOG.md \
		tools/flame/d3/LICENSES
	install -d $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions
	for tool in latewind latewind-sframe; do \
		$(B)/tools/$$tool completion bash >$(B)/tools/$$tool.bash && \
		$(B)/tools/$$tool completion zsh >$(B)/tools/$$tool.zsh && \
		install -m 644 $(B)/tools/$$tool.bash \
			$(SHARE)/bash-completion/completions/$$tool && \
		install -m 644 $(B)/tools/$$tool.zsh $(SHARE)/zsh/site-functions/_$$tool || exit 1; \
	done
	$(MAKE) -C lib O=$(B)/lib PREFIX=$(PREFIX) LIBDIR=$(LIBDIR) DESTDIR=$(DESTDIR) install
	$(if $(DESTDIR),,[ "$$(id -u)" -ne 0 ] || ldconfig)
	@# A group that was let in before: the new file has no capabilities yet.
	$(if $(DESTDIR),,$(SBINDIR)/latewind-group apply)

# Manual pages are made of Documentation/man/NAME.SECTION.rst.
RST2MAN := $(firstword $(shell command -v rst2man || command -v rst2man.py))

.PHONY: install-man
install-man:
ifdef RST2MAN
	@mkdir -p $(B)/man
	@for page in $(wildcard Documentation/man/*.rst); do \
		name=$$(basename $$page .rst); \
		$(RST2MAN) $$page $(B)/man/$$name && install -D -m 644 $(B)/man/$$name \
			$(SHARE)/man/man$${name##*.}/$$name || exit 1; \
	done
else
	@echo 'no rst2man (python3-docutils): manual pages not installed'
endif

# What goes is what would come. The module goes from all kernels that it was installed for.
.PHONY: uninstall uninstall-user uninstall-module
uninstall: uninstall-user uninstall-module

uninstall-module:
	for ko in $(DESTDIR)/lib/modules/*/updates/latewind.ko; do \
		[ -e "$$ko" ] || continue; \
		rm "$$ko" && $(if $(DESTDIR),:,depmod "$$(basename "$${ko%/updates/*}")") || exit 1; \
	done

uninstall-user:
	$(if $(DESTDIR),,[ ! -e $(SBINDIR)/latewind-group ] || $(SBINDIR)/latewind-group off)
	rm -rf $(B)/uninstall
	$(MAKE) -s install-user DESTDIR=$(B)/uninstall PREFIX=$(PREFIX) \
		LIBDIR=$(LIBDIR) SBINDIR=$(SBINDIR)
	cd $(B)/uninstall && find . ! -type d | while read -r file; do \
		rm -f "$(DESTDIR)/$$file" || exit 1; \
	done
	$(if $(DESTDIR),,[ "$$(id -u)" -ne 0 ] || ldconfig)
	@# Those that were installed when there was rst2man.
	rm -f $(foreach page,$(notdir $(wildcard Documentation/man/*.rst)),$(SHARE)/man/man$(subst .,,$(suffix $(basename $(page))))/$(basename $(page)))
	rm -f $(SHARE)/doc/latewind/60-latewind.rules
	for dir in $(SHARE)/latewind $(SHARE)/doc/latewind; do \
		[ ! -d $$dir ] || rmdir --ignore-fail-on-non-empty $$dir || exit 1; \
	done

# The sources of the module as DKMS wants them; dkms-install tells DKMS of them.
.PHONY: install-dkms-source dkms-install dkms-remove
install-dkms-source:
	find Kbuild VERSION module uapi -name "*.[chS]" -o -name "Kbuild*" -o -name VERSION | while read -r file; do \
		install -D -m 644 $$file $(DESTDIR)$(DKMS_SRC)/$$file || exit 1; \
	done
	sed 's/#MODULE_VERSION#/$(VERSION)/' dkms.conf >$(DESTDIR)$(DKMS_SRC)/dkms.conf
	chmod 644 $(DESTDIR)$(DKMS_SRC)/dkms.conf

# What a package has installed goes with the package.
.PHONY: dkms-source-is-ours
dkms-source-is-ours:
	@for owner in 'dpkg -S' 'rpm -qf' 'pacman -Qo'; do \
		! $$owner $(DKMS_SRC)/dkms.conf >/dev/null 2>&1 || \
			{ echo '$(DKMS_SRC) is of a package: remove the package first' >&2; exit 1; }; \
	done

# What DKMS has built of other sources of this version is built again. A module that "make install"
# has put there would hide it.
dkms-install: dkms-source-is-ours uninstall-module
	! dkms status latewind/$(VERSION) | grep . || dkms remove latewind/$(VERSION) --all
	rm -rf $(DKMS_SRC)
	$(MAKE) install-dkms-source
	dkms install latewind/$(VERSION) -k $(KREL)

dkms-remove: dkms-source-is-ours
	dkms remove latewind/$(VERSION) --all
	rm -rf $(DKMS_SRC)

# The same bytes of the same commit. What is not committed is not in it.
.PHONY: dist
dist:
	@rm -rf $(B)/dist && mkdir -p $(B)/dist
	git rev-parse --short=12 HEAD >$(B)/dist/COMMIT
	git archive --prefix=latewind-$(VERSION)/ --add-file=$(B)/dist/COMMIT \
		-o $(B)/dist/latewind-$(VERSION).tar HEAD
	gzip -9n $(B)/dist/latewind-$(VERSION).tar
	mv $(B)/dist/latewind-$(VERSION).tar.gz $(B)/
