#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mmdebstrap customize hook of mkroot.sh for a -programs root: an empty database for
# programs_test.sh in ROOT/var/lib/latewind/postgres, as it takes long to make one in a VM.
set -euo pipefail

# shellcheck disable=SC2016 # expanded there
chroot "$1" sh -euc '
	mkdir -p /var/lib/latewind
	cd /var/lib/latewind
	install -d -o postgres -g postgres postgres
	setpriv --reuid=postgres --regid=postgres --clear-groups \
		"$(ls -d /usr/lib/postgresql/*/bin)/initdb" -D /var/lib/latewind/postgres --no-sync >/dev/null
	test -e postgres/PG_VERSION
'
