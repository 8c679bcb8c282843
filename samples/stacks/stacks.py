#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Print the stacks that a process has while it runs, for a second: stacks.py PID

What stacks_of_pid.c does, by ctypes; layouts are those of latewind.h.
"""
import ctypes
import os
import struct
import sys
import time

LW_FILTER_PROCESSES = 1
LW_TARGET_CPUS = 1
LW_MAX_DEPTH = 1024


class Sample(ctypes.Structure):
    """struct lw_sample, but for what follows it"""
    _fields_ = [('record', ctypes.c_uint64), ('cookie', ctypes.c_uint64 * 2),
                ('time', ctypes.c_uint64), ('id', ctypes.c_uint64), ('ip', ctypes.c_uint64),
                ('period', ctypes.c_uint64), ('pid', ctypes.c_uint32),
                ('tid', ctypes.c_uint32), ('cpu', ctypes.c_uint32)]


CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Sample),
                            ctypes.c_void_p)
library = ctypes.CDLL('liblatewind.so.1')
library.latewind_stack_addresses.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
library.latewind_stack_addresses.restype = ctypes.c_size_t


def call(name, *args):
    ret = getattr(library, f'latewind_session_{name}')(*args)
    if ret:
        sys.exit(f'{name}: {os.strerror(-ret)}')


@CALLBACK
def show(_context, sample, stack):
    print(f'thread {sample.contents.tid}:' + ('' if stack else ' no stack'))
    if stack:
        addresses = (ctypes.c_uint64 * LW_MAX_DEPTH)()
        for i in range(library.latewind_stack_addresses(stack, addresses, LW_MAX_DEPTH)):
            print(f'\t{addresses[i]:#x}')
    return 0


if len(sys.argv) != 2 or not sys.argv[1].isdecimal():
    print('usage: stacks.py PID', file=sys.stderr)
    sys.exit(2)
pid = ctypes.c_int32(int(sys.argv[1]))
session = ctypes.c_void_p()
# struct perf_event_attr: software, 112 bytes, cpu-clock, 99 Hz; freq is the bit field with 10 before
freq = 1 << (10 if sys.byteorder == 'little' else 63 - 10)
attr = struct.pack('=IIQQQQQ', 1, 112, 0, 99, 0, 0, freq).ljust(112, b'\0')
# struct lw_setup and struct lw_filter
setup = struct.pack('=IIQIIII', 32, 0, 0, 0, 0, 0, 0)
chosen = struct.pack('=IIIIQII', 32, 0, LW_FILTER_PROCESSES, 1, ctypes.addressof(pid), 0, 0)

call('open', ctypes.byref(session))
call('setup', session, ctypes.create_string_buffer(setup))
call('filter', session, chosen)
call('add_event', session, attr, LW_TARGET_CPUS, 0, None)
call('enable', session)
for _ in range(10):
    time.sleep(0.1)
    call('samples', session, show, None)
call('disable', session)
call('last_samples', session, 1000, show, None)
library.latewind_session_close(session)
