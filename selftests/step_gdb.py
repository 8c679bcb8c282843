# SPDX-License-Identifier: GPL-2.0
"""What gdb, connected to step_oracle, does: tell the stack whenever it is asked.

The other side is lib/gdb_peer.c.
"""
import os

import gdb

SETTINGS = (
    "pagination off",
    "confirm off",
    "debuginfod enabled off",
    "sysroot /",
    "auto-load libthread-db off",
    "remotetimeout 1000000",
    "watchdog 0",
    "stack-cache off",
    "code-cache off",
    "backtrace limit unlimited",
    "backtrace past-main on",
    "backtrace past-entry on",
)


def chain():
    """Addresses of all frames that a call has made."""
    made_up = (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME)
    frame = gdb.newest_frame()
    found = []
    while frame is not None and len(found) < 1000:
        if frame.type() not in made_up:
            found.append(frame.pc())
        try:
            frame = frame.older()
        except gdb.error:
            break
    return found


def add_vdso():
    """gdb reads it by itself only from processes of its own."""
    address = os.environ["LW_GDB_VDSO"]
    if int(address, 0):
        gdb.execute("add-symbol-file-from-memory " + address, to_string=True)


def main():
    """Until we are told to end."""
    for setting in SETTINGS:
        gdb.execute("set " + setting)
    gdb.execute("file " + os.environ["LW_GDB_PROGRAM"], to_string=True)
    gdb.execute("target remote " + os.environ["LW_GDB_SOCKET"], to_string=True)
    add_vdso()
    while True:
        said = gdb.execute("monitor next", to_string=True)
        if "end" in said:
            break
        gdb.execute("maintenance flush register-cache", to_string=True)
        if "maps" in said:
            gdb.execute("sharedlibrary", to_string=True)
        told = " ".join("%x" % pc for pc in chain())
        gdb.execute("monitor chain " + told, to_string=True)


main()
