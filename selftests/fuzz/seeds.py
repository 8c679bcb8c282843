#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Make a seed corpus for the fuzz targets.

    seeds.py DIRECTORY [ELF...]

Takes the .sframe of each ELF file apart, cuts it into small sections, writes
each of these in a way of its own: with starts relative to their field or to
the section, in version 2 and 3, in both byte orders. Adds the sections that
are written out below, as no program at hand has them. The first bytes of an
input are those that fuzz.h names.
"""
import os
import struct
import sys

SORTED, PCREL = 1, 4
A64BE, A64LE, AMD64, S390X = 1, 2, 3, 4
MASK, KEY_B, SIGNAL = 0x10, 0x20, 0x80
FAULT, FLIP, RACE, STRETCH = 4, 5, 6, 7
PATHS = 0x80        # functions of our converter's own type, PATH, are known
PATH = 31
CHUNK = 10          # functions of an input, at most
MAX_BYTES = 3000    # of an input
MAX_ROWS = 40       # of a function
MAX_OF_A_FILE = 12  # inputs


class Function:
    """start (from the section's first byte), size, info, info2, rep_size, rows
    as (start, info, words)"""

    def __init__(self, start, size, info, rows, info2=0, rep_size=0):
        self.start, self.size, self.info, self.rows = start, size, info, rows
        self.info2, self.rep_size = info2, rep_size


def order_of(abi):
    return ">" if abi in (A64BE, S390X) else "<"


def parse_rows(data, order, pos, count, info):
    rows, width = [], "BHI"[info & 15]
    for _ in range(count):
        start, row = struct.unpack_from(f"{order}{width}B", data, pos)
        pos += struct.calcsize(f"={width}B")
        word = "bhi"[row >> 5 & 3]
        words = struct.unpack_from(f"{order}{row >> 1 & 15}{word}", data, pos)
        pos += struct.calcsize(f"={row >> 1 & 15}{word}")
        rows.append((start, row, words))
    return rows


def parse(data):
    """(abi, version, [Function]) of a sound section."""
    order = "<" if data[:2] == b"\xe2\xde" else ">"
    version, flags, abi, _, _, aux, num = struct.unpack_from(
        order + "BBBbbBI", data, 2)
    fdeoff, freoff = struct.unpack_from(order + "II", data, 20)
    base, functions = 28 + aux, []
    for i in range(num):
        pos = base + fdeoff + i * (20 if version == 2 else 16)
        at, info2 = base + freoff, 0
        if version == 2:
            start, size, off, count, info, rep = struct.unpack_from(
                order + "iIIIBB", data, pos)
            at += off
        else:
            start, size, off = struct.unpack_from(order + "qII", data, pos)
            count, info, info2, rep = struct.unpack_from(
                order + "HBBB", data, at + off)
            at += off + 5
        start += pos if flags & PCREL else 0
        rows = parse_rows(data, order, at, count, info)
        functions.append(Function(start, size, info, rows, info2, rep))
    return abi, version, functions


def emit(abi, version, functions, flags=SORTED, aux=0):
    order = order_of(abi)
    index, rows_area, num_rows = b"", b"", 0
    for i, f in enumerate(sorted(functions, key=lambda f: f.start)):
        off = len(rows_area)
        start = f.start
        if flags & PCREL:
            start -= 28 + aux + i * (20 if version == 2 else 16)
        if version == 2:
            index += struct.pack(order + "iIIIBBH", start, f.size, off,
                                 len(f.rows), f.info & 0x7f, f.rep_size, 0)
        else:
            index += struct.pack(order + "qII", start, f.size, off)
            rows_area += struct.pack(order + "HBBB", len(f.rows), f.info,
                                     f.info2, f.rep_size)
        for start, info, words in f.rows:
            word, mask = (("B", 0xff), ("H", 0xffff),
                          ("I", 0xffffffff))[info >> 5 & 3]
            rows_area += struct.pack(f"{order}{'BHI'[f.info & 15]}B", start,
                                     info)
            rows_area += struct.pack(f"{order}{len(words)}{word}",
                                     *(w & mask for w in words))
        num_rows += len(f.rows)
    header = struct.pack(order + "HBBBbbBIIIII", 0xdee2, version, flags, abi,
                         0, -8 if abi == AMD64 else 0, aux, len(functions),
                         num_rows, len(rows_area), 0, len(index))
    return header + bytes(aux) + index + rows_area


def section_of(path):
    """The bytes of .sframe of an ELF64 file, or None."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:5] != b"\x7fELF\x02":
        return None
    order = "<" if data[5] == 1 else ">"
    shoff, = struct.unpack_from(order + "Q", data, 40)
    size, num, names = struct.unpack_from(order + "3H", data, 58)
    heads = [struct.unpack_from(order + "IIQQQQ", data, shoff + i * size)
             for i in range(num)]
    for name, _, _, _, off, length in heads:
        at = heads[names][4] + name
        if data[at:data.index(b"\0", at)] == b".sframe":
            return data[off:off + length]
    return None


def row(start, info, *words):
    """The count is put in; of words of 1 byte unless info says otherwise."""
    return start, info | len(words) << 1, words


def by_hand():
    """(abi, version, [Function]), with what each is for."""
    flex, path = {"info2": 1}, {"info2": PATH}
    # sp, fp, a callee-saved register: DWARF's numbers
    for abi, sp, fp, other in ((AMD64, 7, 6, 10), (A64LE, 31, 29, 19),
                               (A64BE, 31, 29, 19), (S390X, 15, 11, 16)):
        def reg(number, deref=0):
            return number << 3 | deref << 1 | 1

        yield abi, 3, [
            Function(0x100, 64, 0, [
                row(0, 0, reg(sp), 8),
                row(1, 0, reg(other), 0),
                row(4, 0, reg(fp, 1), -8, 0, reg(fp, 1), 0),
                row(9, 0, reg(sp), 16, reg(2), 0, 2, -16),
                row(12, 0, reg(sp), 16, 0),
                row(14, 0, reg(sp), 16, 2, -8),
                row(20, 0x40, reg(sp), -70000, 2, -8, reg(fp, 1), 99999),
                row(40, 0),
            ], **flex),
            Function(0x140, 16, 0, [row(0, 0), row(0, 0), row(16, 0)]),
            Function(0x150, 16, 0, []),
            Function(0x160, 16, SIGNAL, [row(0, 3, 16)]),
            Function(0x180, 300, 1, [row(0, 1, 16), row(256, 0x21, 1600)]),
            Function(0x2c0, 70000, 2, [row(0, 1, 16), row(66000, 0x41, 99999)]),
        ]
        yield abi, 3, [
            Function(0x100, 64, 0, [
                row(0, 0, reg(sp), 0, 8),
                row(1, 0, reg(fp), 1, -8, 16),
                row(4, 0, reg(other), 2, 0, -8, 8),
                row(9, 0, reg(sp) | 4, 0, 16, 0, 2, -16),
                row(12, 0x20, reg(sp) | 4, 2, 1000, -2000, 3000, reg(2), 0, 2, -16),
                row(20, 0x40, reg(sp), 2, 70000, -80000, 90000, reg(2), 0, 2, -16),
                row(40, 0),
            ], **path),
            Function(0x140, 16, 2, [
                row(0, 0x40, reg(fp), 2, 8, 8, 8, 2, -8, reg(fp, 1), 0)] * 4, **path),
            Function(0x150, 16, 0, [row(0, 0, reg(sp), 3, 8, 8, 8, 8)], **path),
            Function(0x130, 16, 0, [row(0, 0, reg(sp), 1 | 10 << 2, 8, 8),
                                    row(4, 0, reg(sp), 1 | 17 << 2, 8, 8)], **path),
            Function(0x140, 16, 0, [
                row(0, 0, reg(sp), 0, 8, 0, 0, 2 << 3, 3 << 3 | 4),
                row(2, 0x20, reg(sp), 0, 8, 0, 2, -16, 1, 2, 300 << 3 | 3),
                row(3, 0, reg(sp), 0, 8, 0, 0, 2 << 3, 2 << 3),
                row(4, 0, reg(sp), 0, 8, 0, 0, 2 << 3 | 5),
                row(5, 0, reg(sp), 0, 8, 0, 0, -8),
            ], info2=PATH | 1 << 5),
            Function(0x160, 16, 0, [row(0, 0, reg(sp), 1, 8)], **path),
            Function(0x170, 16, 0, [row(0, 0, reg(sp, 1), 0, 8)], **path),
            Function(0x180, 16, 0, [row(0, 0, reg(sp), 0, 8, 0, 0, 0)], **path),
        ]
    for version in (2, 3):
        yield AMD64, version, [
            Function(-0x100, 16, 0, [row(0, 1, 16), row(6, 1, 24)], rep_size=16),
            Function(-0xf0, 64, MASK, [row(0, 1, 8), row(11, 1, 16)], rep_size=16),
            Function(-0xb0, 8, MASK, [row(0, 1, 16)], rep_size=8),
            # empty ones before and behind one that is not
            *[Function(0, 0, 0, []) for _ in range(3)],
            Function(0, 9, 0, [row(0, 1, 8), row(1, 1, 16, -16), row(4, 0, 16, -16)]),
            *[Function(0, 0, 0, [row(0, 1, 8)]) for _ in range(2)],
            Function(16, 40, 0, [row(0, 1, 8), row(27, 0x21, 336, -16), row(40, 1, 8)]),
        ]
        # as many empty ones as are looked through, and one more
        for many in (32, 33):
            yield AMD64, version, [
                Function(0, 9, 0, [row(0, 1, 8)]),
                *[Function(0, 0, 0, []) for _ in range(many)],
            ]
        for abi in (A64LE, A64BE):
            yield abi, version, [
                Function(0, 64, 0, [row(0, 1, 0), row(4, 0x81, 0),
                                    row(8, 0x81, 32, -24, -32),
                                    row(12, 0x80, 32, -24, -32)]),
                Function(64, 64, KEY_B, [row(0, 0x81, 0), row(4, 0x21, 512, -8, -512)]),
            ]
        yield S390X, version, [
            Function(0, 64, 0, [row(0, 1, 0), row(6, 1, 0, -48, -72),
                                row(14, 1, 20, -48), row(20, 1, 20, 0, -72)]),
            Function(64, 64, MASK, [row(0, 1, 0)], rep_size=32),
        ]
    # registers in odd words, version 2 only; CFAs out of range
    yield S390X, 2, [Function(0, 64, 0, [row(0, 1, 0, 16 << 1 | 1),
                                         row(8, 1, 0, 14 << 1 | 1, 17 << 1 | 1),
                                         row(9, 1, 0, -1, 99)])]
    yield S390X, 3, [Function(0, 64, 0, [row(0, 0x41, 0x10000000),
                                         row(9, 0x41, 0xfffffd0)])]
    # of all kinds of bad words
    for count in range(16):
        yield AMD64, 3, [Function(0, 64, 0, [row(0, 1, 8),
                                             (4, count << 1, (1,) * count)])]


def control(mode=0, seed=0, shift=0, abi=0, pcs=(0x80, 0x41, 0xc2, 0xe3)):
    return bytes([abi, mode, seed, shift, *pcs])


def long_walks():
    """The bytes go on behind the end: 65535 rows, and 2^24 functions."""
    # rows, number of the tail in input.c, row: the shortest, the longest;
    # and more of them than anybody has time for
    for version, abi, count, info, info2, tail, cells in (
            (2, AMD64, 65536, 0, 0, 1, row(0, 0)),
            (3, S390X, 65535, 0, 0, 1, row(0, 0)),
            (2, A64LE, 65536, 2, 0, 12, row(0, 0x40, 16, -8, -16)),
            (3, A64BE, 65535, 2, 1, 15, row(0, 0x40, *[31 << 3 | 1, 8] * 3)),
            (3, AMD64, 65535, 2, PATH, 14, row(0, 0x40, 57, 2, *[8] * 3, 2, -8, 2, -16)),
            (2, AMD64, 1 << 24, 0, 0, 1, row(0, 0))):
        paths = PATHS if info2 == PATH else 0
        data = bytearray(emit(abi, version, [
            Function(0, 0x10000, info, [cells] * 2, info2)]))
        order = order_of(abi)
        struct.pack_into(order + "I", data, 16, 32 * count)
        if version == 2:
            struct.pack_into(order + "I", data, 40, count)
        else:
            struct.pack_into(order + "H", data, 28 + 16, count)
        yield control(STRETCH | paths, tail << 4 | 12) + data
    for version in (2, 3):
        data = bytearray(emit(AMD64, version, [Function(0, 16, 0, [])] * 2))
        struct.pack_into("<I", data, 8, 1 << 24)
        struct.pack_into("<III", data, 16, 0, 0, 20 << 24)
        yield control(STRETCH, 12) + data


def second_reads():
    """The second read of a row fails, of the one shift where it takes two: its words are
    in the block of 64 bytes behind the one that its first bytes end."""
    section = emit(AMD64, 2, [Function(0, 64, 0, [row(0, 1, 8), row(1, 1, 16, -16)])])
    for shift in range(64):
        yield control(FAULT, 1, shift) + section


def variants(number, abi, version, functions):
    """The section as it is, and in one other way."""
    pcs = tuple((number * 37 + i * 41) & 0xff for i in range(4))
    paths = PATHS if any(f.info2 == PATH for f in functions) else 0
    yield control(paths, abi=abi, pcs=pcs) + emit(abi, version, functions,
                                           SORTED | (version == 3) * PCREL)
    mode = (0, FAULT, FLIP, RACE, 0, 0x40, 0x10, RACE | 0x18)[number % 8]
    if abi in (A64BE, A64LE):
        abi = A64BE + A64LE - abi
    if not any(f.info2 for f in functions) and len(functions) % 2:
        version = 5 - version
    yield control(mode | paths, number & 0xff, number & 63, pcs=pcs) + emit(
        abi, version, functions, SORTED | number // 2 % 2 * PCREL,
        number % 5 * 8)


def cut(functions):
    """Pieces from all over, none too large."""
    for f in functions:
        f.rows = f.rows[:MAX_ROWS]
    pieces = [functions[i:i + CHUNK] for i in range(0, len(functions), CHUNK)]
    step = max(1, len(pieces) // MAX_OF_A_FILE)
    return pieces[::step]


def main():
    out, paths = sys.argv[1], sys.argv[2:]
    sections = list(by_hand())
    for path in paths:
        data = section_of(path)
        if not data:
            print(f"seeds.py: {path}: no .sframe", file=sys.stderr)
            continue
        abi, version, functions = parse(data)
        sections += [(abi, version, piece) for piece in cut(functions)]
    inputs = list(long_walks()) + list(second_reads())
    for number, section in enumerate(sections):
        inputs += variants(number, *section)
    os.makedirs(out, exist_ok=True)
    kept = [x for x in inputs if len(x) <= MAX_BYTES]
    for number, data in enumerate(kept):
        with open(f"{out}/{number:04}", "wb") as f:
            f.write(data)
    print(f"seeds.py: {len(kept)} inputs of {len(paths)} files, "
          f"{sum(map(len, kept))} bytes", file=sys.stderr)


main()
