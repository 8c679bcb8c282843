# SPDX-License-Identifier: GPL-2.0
"""Rules of the reader and of .eh_frame, address by address.

EXPLAINED lists each way in which they may differ that is not the reader's
doing; Documentation/sframe.rst says what is behind each.  What matches none of
them is a failure.
"""
import re
from collections import namedtuple

from oracle_dwarf import ABIS, rule_of, value

# one run of addresses where they differ; fde, state: of .eh_frame
Diff = namedtuple("Diff", "lo hi ours theirs fde state")


def sweep(ours, theirs):
    """(bytes that are the same, [Diff]) of two sorted lists of runs."""
    same, diffs = 0, []
    points = sorted({p for r in (*ours, *theirs) for p in r[:2]})
    i = j = 0
    for lo, hi in zip(points, points[1:]):
        while i < len(ours) and ours[i][1] <= lo:
            i += 1
        while j < len(theirs) and theirs[j][1] <= lo:
            j += 1
        a = ours[i][2] if i < len(ours) and ours[i][0] <= lo else None
        inside = j < len(theirs) and theirs[j][0] <= lo
        b, fde, state = theirs[j][2:] if inside else (None, None, None)
        if a is None and fde is None:
            continue
        if a == b and a:
            same += hi - lo
        else:
            diffs.append(Diff(lo, hi, a, b, fde, state))
    return same, diffs


def is_foreign(c, d):
    """The code is of an input file without .sframe: crt, libc.a, libgcc."""
    source = c.map.source(d.lo)
    return (d.ours is None and not c.has_function(d.fde)
            and not c.elf.covers(".plt", d.lo, d.hi)
            and source and not source.startswith("/tmp/cc"))


def is_plt_without_rows(c, d):
    """ld 2.47 writes .eh_frame for the PLT of s390x, but no .sframe."""
    return (d.ours is None and c.abi == "s390x" and d.lo == d.fde.start
            and c.elf.covers(".plt", d.fde.start, d.fde.end))


# Of Fde.features, those that make gas leave a function out.
UNSAYABLE = {
    (2, "amd64"): {"CFA by another register", "CFA in a slot",
                   "CFA by an expression", "FP by an expression",
                   "other register by an expression", "args size",
                   "FP in a register"},
    (2, "aarch64"): {"CFA by another register", "RA in a register"},
    (3, "amd64"): {"CFA by an expression", "args size", "FP undefined"},
    (3, "aarch64"): {"CFA by another register", "RA in a register"},
    (3, "s390x"): set(),
}


def saves_fp_alone(fde, abi):
    return any(s.regs.get(abi.fp, " ")[0] == "c" and
               s.regs.get(abi.ra, " ")[0] != "c" for _, s in fde.rows)


def is_skipped(c, d):
    """gas left the function out, as it says, and as it must."""
    if d.ours is not None or c.has_function(d.fde):
        return False
    return (d.fde.features & UNSAYABLE[c.suite.version, c.abi] or
            (c.abi == "aarch64" and saves_fp_alone(d.fde, ABIS[c.abi])))


def is_signal_lost(c, d):
    """Version 2 has no signal frames; all else is right."""
    return c.suite.version == 2 and d.theirs == f"{d.ours} signal"


def is_undefined_lost(c, d):
    """gas 2.44 ignores that RA is undefined."""
    return (c.suite.version == 2 and d.ours is not None
            and d.theirs == "outermost")


def is_ra_register_lost(c, d):
    """gas 2.44 ignores that RA is in a register on amd64."""
    if c.suite.version != 2 or c.abi != "amd64" or not d.theirs:
        return False
    words = d.theirs.split(" ")
    words[1] = "(c-8)"
    return (d.state.regs.get(ABIS[c.abi].ra, " ")[0] == "reg"
            and d.ours == " ".join(words))


def is_ra_restore_lost(c, d):
    """gas 2.47 ignores .cfi_restore of RA on amd64: it stays in a register."""
    if (c.suite.version, c.abi) != (3, "amd64") or not d.ours or not d.theirs:
        return False
    ours, theirs = d.ours.split(" "), d.theirs.split(" ")
    abi = ABIS[c.abi]
    before = {value(abi, s.regs.get(abi.ra)) for loc, s in d.fde.rows
              if loc < d.lo and s.regs.get(abi.ra, " ")[0] == "reg"}
    return (ours[1] in before and theirs[1] == abi.fixed_ra
            and ours[:1] + ours[2:] == theirs[:1] + theirs[2:])


def is_same_value_lost(c, d):
    """gas 2.44 ignores .cfi_same_value: FP is still where it was saved."""
    if c.suite.version != 2 or not d.ours or not d.theirs:
        return False
    ours, theirs = d.ours.split(" "), d.theirs.split(" ")
    return (d.state.regs.get(ABIS[c.abi].fp) == ("same",)
            and ours[2].startswith("(c") and theirs[2] == "u"
            and ours[:2] + ours[3:] == theirs[:2] + theirs[3:])


def is_undefined_fp_lost(c, d):
    """gas 2.44 ignores that FP is undefined."""
    if c.suite.version != 2 or not d.ours or d.theirs:
        return False
    state = d.state.copy()
    fp = ABIS[c.abi].fp
    return (state.regs.pop(fp, None) == ("undef",) and d.ours == rule_of(
        ABIS[c.abi], state, d.fde.signal))


def is_offset_cut(c, d):
    """gas 2.47 rounds the CFA's offset on s390x down to one that fits."""
    m = re.match(r"(sp|fp)\+(\d+) (.*)", d.theirs or "")
    return (c.abi == "s390x" and m and int(m[2]) % 8 and
            d.ours == f"{m[1]}+{int(m[2]) // 8 * 8} {m[3]}")


def is_late_state(c, d):
    """gas 2.44 remembers the row before the one that is being made."""
    return (c.suite.version == 2 and d.state and d.state.late
            and d.ours == rule_of(ABIS[c.abi], d.state.late, d.fde.signal))


EXPLAINED = [
    ("PLT without rows", is_plt_without_rows),
    ("input without .sframe", is_foreign),
    ("function skipped", is_skipped),
    ("signal lost", is_signal_lost),
    ("undefined RA lost", is_undefined_lost),
    ("RA in a register lost", is_ra_register_lost),
    ("RA restore lost", is_ra_restore_lost),
    ("same value lost", is_same_value_lost),
    ("undefined FP lost", is_undefined_fp_lost),
    ("late remembered state", is_late_state),
    ("offset cut", is_offset_cut),
]


def classify(context, diffs):
    """({class: [Diff]}, unexplained)."""
    classes, bad = {}, []
    for d in diffs:
        for name, matches in EXPLAINED:
            if d.fde and matches(context, d):
                classes.setdefault(name, []).append(d)
                break
        else:
            bad.append(f"{d.lo:#x}..{d.hi:#x}: {d.ours}, .eh_frame: "
                       f"{d.theirs if d.fde else 'no FDE'}")
    return classes, bad
