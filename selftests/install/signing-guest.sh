#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The job of the VM of the install lane whose kernel takes signed modules only: as it came from
# the compiler the module is refused, as it is with the signature of a key that the kernel does not
# know; signed as Documentation/install.rst says it works. The TAP is for tap.py on the host.
# shellcheck disable=SC2317 # ok() calls them
set -u
# shellcheck source=selftests/lib/checks.sh
. "$LATEWIND_ROOT/selftests/lib/checks.sh"
trap checks_free EXIT

build=/lib/modules/$(uname -r)/build
ko=$tmp/latewind.ko

# is_refused REASON ERROR: what insmod and the kernel's log say.
is_refused() {
	dmesg --clear
	! insmod "$ko" 2>"$err" && has "$err" "$2" && dmesg >"$tmp/log" && has "$tmp/log" "$1" &&
		[ ! -e /dev/latewind ]
}

unsigned() {
	cp "$LATEWIND_KO" "$ko" && is_refused 'module with unavailable key is rejected|unsigned module is rejected' \
		'Key was rejected by service|Required key not available'
}

# sign KEY CERTIFICATE: a fresh copy of the module.
sign() {
	cp "$LATEWIND_KO" "$ko" && "$build/scripts/sign-file" sha256 "$1" "$2" "$ko"
}

signed_by_other() {
	openssl req -new -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=another key/" \
		-keyout "$tmp/key" -out "$tmp/certificate" 2>"$err" || { cat "$err"; return 1; }
	sign "$tmp/key" "$tmp/certificate" &&
		is_refused 'module with unavailable key is rejected|unavailable key' 'Required key not available|Key was rejected'
}

doctor_knows() {
	! latewind doctor >"$tmp/out" && has "$tmp/out" 'signatures.*this kernel takes signed modules only'
}

# One byte of the module's own is another one.
signed_and_changed() {
	sign "$build/signing_key.pem" "$build/signing_key.pem" &&
		printf 'X' | dd of="$ko" bs=1 seek=4096 conv=notrunc status=none &&
		! insmod "$ko" 2>"$err" && has "$err" 'Key was rejected by service|Bad message'
}

signed() {
	sign "$build/signing_key.pem" "$build/signing_key.pem" &&
		modinfo -F signer "$ko" >"$tmp/out" && has "$tmp/out" '^Latewind test$' &&
		insmod "$ko" && latewind record -o "$tmp/perf.data" -- true
}

{
	ok 'without a signature it is refused' unsigned
	ok 'signed by a key that the kernel does not know, too' signed_by_other
	ok 'doctor tells why' doctor_knows
	ok 'signed, and changed after that, too' signed_and_changed
	ok 'signed by a key that the kernel knows it works' signed
	checks_done
} >"$OUT/10-signing.tap"
