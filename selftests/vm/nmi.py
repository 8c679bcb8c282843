#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""nmi.py DIRECTORY CPUS: inject NMIs when the guest asks for them.

DIRECTORY has three sockets of QEMU: nmi-qmp, a monitor; nmi-port, the guest's
port lw.nmi; nmi-ack, where the guest's NMI handler writes the number of its CPU.
A line "inject N" on the port has N NMIs injected into every CPU, each when all
have acknowledged the one before, and is answered by "done N" or by
"failed I: why". Ends when QEMU does.

A CPU latches one NMI, so that one that comes while an NMI waits that the CPU has sent
to itself is lost. Who does both says "inject N again": what is not acknowledged after
RETRY seconds is injected again.
"""
import json
import os
import select
import socket
import sys
import time

PATIENCE = 120
RETRY, SETTLE = 5, 1


def connect(path):
    """QEMU makes the sockets while it starts."""
    for _ in range(600):
        sock = socket.socket(socket.AF_UNIX)
        try:
            sock.connect(path)
            return sock
        except OSError:
            sock.close()
            time.sleep(0.1)
    sys.exit(f'nmi.py: no {path}')


class Monitor:
    def __init__(self, path):
        self.sock = connect(path)
        self.file = self.sock.makefile('rb')
        self.file.readline()
        self.call('qmp_capabilities')

    def call(self, command):
        self.sock.sendall(json.dumps({'execute': command}).encode() + b'\n')
        while True:
            line = self.file.readline()
            if not line:
                sys.exit(0)
            reply = json.loads(line)
            if 'return' in reply:
                return
            if 'error' in reply:
                raise RuntimeError(f"{command}: {reply['error'].get('desc')}")


def drain(sock):
    """What was written before somebody asked."""
    while select.select([sock], [], [], 0)[0]:
        if not sock.recv(4096):
            sys.exit(0)


def wait_for_all(monitor, sock, cpus, again):
    """Every CPU once. Returns None or what is wrong."""
    missing, retried = set(range(cpus)), False
    end = time.monotonic() + PATIENCE
    while missing:
        left = max(0, end - time.monotonic())
        if not select.select([sock], [], [], min(left, RETRY) if again else left)[0]:
            if not again or left < RETRY:
                return f'CPUs {sorted(missing)} did not acknowledge'
            monitor.call('inject-nmi')
            retried = True
            continue
        data = sock.recv(4096)
        if not data:
            sys.exit(0)
        for cpu in data:
            if cpu not in missing and not retried:
                return f'CPU {cpu} acknowledged twice'
            missing.discard(cpu)
    while retried and select.select([sock], [], [], SETTLE)[0]:
        if not sock.recv(4096):
            sys.exit(0)
    return None


def inject(monitor, acks, cpus, number, again):
    drain(acks)
    for i in range(number):
        try:
            monitor.call('inject-nmi')
        except RuntimeError as error:
            return f'failed {i}: {error}'
        problem = wait_for_all(monitor, acks, cpus, again)
        if problem:
            return f'failed {i}: {problem}'
    return f'done {number}'


def main():
    directory, cpus = sys.argv[1], int(sys.argv[2])
    port = connect(os.path.join(directory, 'nmi-port'))
    acks = connect(os.path.join(directory, 'nmi-ack'))
    monitor = Monitor(os.path.join(directory, 'nmi-qmp'))
    for line in port.makefile('r', encoding='ascii', errors='replace'):
        words = line.split()
        again = words[2:] == ['again']
        if len(words) == 2 + again and words[0] == 'inject' and words[1].isdigit():
            answer = inject(monitor, acks, cpus, int(words[1]), again)
        else:
            answer = f'failed 0: not understood: {line!r}'
        port.sendall(answer.encode() + b'\n')


try:
    main()
except (BrokenPipeError, ConnectionResetError):
    pass
