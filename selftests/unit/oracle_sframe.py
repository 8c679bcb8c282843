# SPDX-License-Identifier: GPL-2.0
"""What .sframe says, as readelf decodes it, in sframe_dump's words."""
import re
from collections import namedtuple

from oracle_dwarf import ABIS

FUNC = re.compile(r"    func idx \[\d+\]: pc = 0x([0-9a-f]+), size = (\d+) bytes"
                  r'(?:, attr = "(S?F?)")?(, pauth = B key)?$')
# long values run into the next column
PLACE = r"\(?(?:sp|fp|c|r\d+)[+-]{1,2}\d+\)?"
ROW = re.compile(rf"    ([0-9a-f]{{16}})  (?:(RA undefined)|({PLACE})\s*"
                 rf"(u|{PLACE}|r\d+)\s*([fuU]|{PLACE}|r\d+)(\[s\])?)\s*$")
FORM = re.compile(r"c([+-]\d+)")
REG = re.compile(r"r\d+")

# rows: [(start, rule)], starts as readelf has them
Func = namedtuple("Func", "start size mask flex signal key_b rows")


def slot(word):
    """'c-8' is what is there; readelf says so of FLEX functions as well."""
    return f"({word})" if FORM.fullmatch(word) else word


def rule_of(abi, m, signal):
    if m[2]:
        return "outermost"
    cfa, fp, ra = m[3].replace("+-", "-"), slot(m[4]), m[5]
    if ra in ("f", "u", "U"):
        ra = abi.fixed_ra or f"r{abi.ra}+0"
    elif REG.fullmatch(ra):
        ra += "+0"
    if REG.fullmatch(fp):
        fp += "+0"
    return (f"{cfa} {slot(ra)} {fp}{abi.sp_off}"
            f"{' signal' if signal else ''}{' pac' if m[6] else ''}")


def parse(abi_name, text):
    """(version, [Func]) of `readelf --sframe`."""
    abi, funcs = ABIS[abi_name], []
    version = int(re.search(r"Version: SFRAME_VERSION_(\d)", text)[1])
    count = int(re.search(r"Num FDEs: (\d+)", text)[1])
    for line in text[text.index("Function Index"):].splitlines()[1:]:
        m = FUNC.match(line)
        if m:
            funcs.append(Func(int(m[1], 16), int(m[2]), [], "F" in (m[3] or ""),
                              "S" in (m[3] or ""), bool(m[4]), []))
            continue
        if line.startswith("    STARTPC"):
            if "[m]" in line:
                funcs[-1].mask.append(1)
            continue
        m = ROW.match(line)
        if m:
            start = int(m[1], 16)
            if not funcs[-1].mask:
                start -= funcs[-1].start
            funcs[-1].rows.append((start, rule_of(abi, m, funcs[-1].signal)))
        elif line.strip():
            raise ValueError(f"readelf --sframe: not understood: {line}")
    if len(funcs) != count:
        raise ValueError(f"readelf --sframe: {len(funcs)} of {count} functions")
    return version, funcs


def is_wrong_plt_got(func):
    """What ld writes of .plt.got: off by 8, put right by the reader."""
    return bool(func.mask) and func.rows == [(0, "sp+16 (c-8) u")]


def dump_lines(funcs, section):
    """What `sframe_dump rows` must print after its first line, and how many
    rows the reader puts right."""
    out, wrong = [], 0
    for i, f in enumerate(funcs):
        rep, width = section.rep_and_width(i)
        out.append(f"fde {f.start:x} {f.size} {'mask' if f.mask else 'inc'} "
                   f"{rep} {'flex' if f.flex else 'default'} {width}"
                   f"{' signal' if f.signal else ''}"
                   f"{' key-b' if f.key_b else ''}")
        if is_wrong_plt_got(f):
            wrong += 1
            out.append("row 0 sp+8 (c-8) u")
            continue
        out += [f"row {start:x} {rule}" for start, rule in f.rows]
    return out, wrong


def runs(funcs, section, entry):
    """[(start, end, rule)] that look-ups must give; what starts at entry is
    outermost."""
    out = []

    def add(start, end, rule):
        if not rule or start >= end:
            return
        if out and out[-1][1] == start and out[-1][2] == rule:
            out[-1] = (out[-1][0], end, rule)
        else:
            out.append((start, end, rule))

    for i, f in enumerate(funcs):
        rows, end = f.rows, f.start + f.size
        if f.start == entry or (not rows and not f.flex
                                and section.version == 3):
            add(f.start, end, "outermost")
            continue
        if not f.mask:
            bounds = [min(f.start + s, end) for s, _ in rows] + [end]
            for (_, rule), lo, hi in zip(rows, bounds, bounds[1:]):
                add(lo, hi, rule)
            continue
        if is_wrong_plt_got(f):
            rows = [(0, "sp+8 (c-8) u")]
        rep, _ = section.rep_and_width(i)
        for off in range(f.size):
            rule = None
            for start, r in rows:
                if start <= off % rep:
                    rule = r
            add(f.start + off, f.start + off + 1, rule)
    return out
