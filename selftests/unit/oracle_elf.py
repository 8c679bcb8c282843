# SPDX-License-Identifier: GPL-2.0
"""ELF64 files of either byte order, as much as the oracle needs of them."""
import bisect
import re
import struct

MACHINES = {62: "amd64", 183: "aarch64", 22: "s390x"}
PCREL = 4


class Elf:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = d = f.read()
        self.order = "<" if d[5] == 1 else ">"
        machine, = self.get("H", 18)
        self.abi = MACHINES[machine]
        self.entry, phoff, shoff = self.get("3Q", 24)
        phsize, phnum, shsize, shnum, strndx = self.get("5H", 54)
        self.text = []
        for i in range(phnum):
            kind, flags, _, vaddr, _, _, memsz = self.get(
                "IIQQQQQ", phoff + i * phsize)
            if kind == 1 and flags & 1:
                self.text.append((vaddr, vaddr + memsz))
        heads = [self.get("IIQQQQ", shoff + i * shsize) for i in range(shnum)]
        names = heads[strndx][4]
        self.sections = {}
        for name, _, _, addr, off, size in heads:
            end = d.index(b"\0", names + name)
            self.sections[d[names + name:end].decode()] = (addr, off, size)

    def get(self, fmt, off):
        return struct.unpack_from(self.order + fmt, self.data, off)

    def sframe(self):
        addr, off, size = self.sections[".sframe"]
        return addr, self.data[off:off + size]

    def covers(self, section, lo, hi):
        addr, _, size = self.sections.get(section, (0, 0, 0))
        return addr <= lo and hi <= addr + size


class Section:
    """What readelf does not print of a .sframe: bytes of each FDE."""

    def __init__(self, data, order):
        self.data, self.order = data, order
        self.version, self.flags = data[2], data[3]
        num, _, _, fdeoff, freoff = self.get("5I", 8)
        base = 28 + data[7]
        self.fres = base + freoff
        self.size = 20 if self.version == 2 else 16
        self.fdes = [base + fdeoff + i * self.size for i in range(num)]

    def get(self, fmt, off):
        return struct.unpack_from(self.order + fmt, self.data, off)

    def rep_and_width(self, idx):
        """Block size, and bytes of a row's start."""
        fde = self.fdes[idx]
        if self.version == 2:
            info, rep = self.get("BB", fde + 16)
        else:
            attr, = self.get("I", fde + 12)
            info, rep = self.get("BxB", self.fres + attr + 2)
        return rep, 1 << (info & 15)

    def other_encoding(self):
        """The same, with function starts relative to the other thing."""
        out = bytearray(self.data)
        out[3] ^= PCREL
        sign = -1 if out[3] & PCREL else 1
        fmt = self.order + ("i" if self.version == 2 else "q")
        for pos in self.fdes:
            value, = struct.unpack_from(fmt, out, pos)
            struct.pack_into(fmt, out, pos, value + sign * pos)
        return bytes(out)


class Map:
    """ld's map: which input file an address of code came from."""

    def __init__(self, text):
        runs = []
        text = text[text.index("Linker script and memory map"):]
        # long names of sections are on a line of their own
        for m in re.finditer(r"^ (?:\.\S+|\*fill\*)\s+0x([0-9a-f]+)"
                             r"\s+0x([0-9a-f]+) (\S.*)?$", text, re.M):
            start, size = int(m[1], 16), int(m[2], 16)
            if start and size:
                runs.append((start, start + size, m[3] or ""))
        self.runs = sorted(runs)
        self.starts = [r[0] for r in self.runs]

    def source(self, addr):
        i = bisect.bisect_right(self.starts, addr) - 1
        if i >= 0 and addr < self.runs[i][1]:
            return self.runs[i][2]
        return ""
