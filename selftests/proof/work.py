#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""work.py FAULTS: programs that come and go, two at a time, until so many page faults.

What they do is the same each time; how often a page is there already is not.
"""
import resource
import subprocess
import sys

COMMANDS = [
    ["/usr/bin/perl", "-e", "my %h; $h{$_ % 99} .= $_ for 1 .. 4000; print sort values %h"],
    ["/usr/bin/sqlite3", ":memory:",
     "create table t(a); with recursive n(i) as (select 1 union all select i + 1 from n "
     "where i < 900) insert into t select hex(i * i) from n; select max(a) from t"],
    ["/usr/bin/bash", "-c", "f() { local i=$1; ((i)) && f $((i - 1)); }; f 40; : $(echo x)"],
    ["/usr/bin/openssl", "version", "-a"],
    ["/usr/bin/gcc", "-x", "c", "-O1", "-S", "-o", "/dev/null", "/dev/null"],
]


def faults():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt


def main():
    wanted = int(sys.argv[1])
    while faults() < wanted:
        for pair in zip(COMMANDS, COMMANDS[1:] + COMMANDS[:1]):
            running = [subprocess.Popen(command, stdout=subprocess.DEVNULL)
                       for command in pair]
            if any([process.wait() for process in running]):
                sys.exit(f"one of {pair} failed")


main()
