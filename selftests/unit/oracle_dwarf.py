# SPDX-License-Identifier: GPL-2.0
"""What .eh_frame says, as readelf decodes it, in sframe_dump's words.

`readelf --debug-dump=frames` has all instructions; here they are followed to
rows.  Each row must be what `--debug-dump=frames-interp` prints, which has no
expressions and no signing of return addresses.
"""
import re
from collections import namedtuple

Abi = namedtuple("Abi", "sp fp ra names fixed_ra sp_off")
ABIS = {
    "amd64": Abi(7, 6, 16, {7: "rsp", 6: "rbp", 10: "r10", 1: "rdx", 2: "rcx",
                            0: "rax", 3: "rbx"}, "(c-8)", ""),
    "aarch64": Abi(31, 29, 30, {31: "sp"}, None, ""),
    "s390x": Abi(15, 11, 14, {}, None, " sp -160"),
}

# start, end: of code; rows: [(start, State)]; signal: of the CIE;
# features: what it uses that not all versions of SFrame can say
Fde = namedtuple("Fde", "start end rows signal features")


class State:
    """One row: rules of CFA, FP and RA as readelf has them.

    late: the same as an assembler has it that remembers the row before, not
    the one that is being made; None: no difference.
    """
    __slots__ = ("cfa", "regs", "pac", "late")

    def __init__(self, cfa=None, regs=(), pac=False, late=None):
        self.cfa, self.regs, self.pac, self.late = cfa, dict(regs), pac, late

    def copy(self):
        return State(self.cfa, self.regs, self.pac,
                     self.late and self.late.copy())

    def set(self, old):
        self.cfa, self.regs, self.pac = old.cfa, dict(old.regs), old.pac


def features_of(abi, op, rest, reg):
    """What gas says when it leaves a function out, in fewer words."""
    kept = {abi.sp: "SP", abi.fp: "FP", abi.ra: "RA"}.get(reg)
    if op in ("DW_CFA_def_cfa", "DW_CFA_def_cfa_sf",
              "DW_CFA_def_cfa_register") and reg not in (abi.sp, abi.fp):
        return "CFA by another register"
    if op == "DW_CFA_def_cfa_expression" and not PLT.fullmatch(rest):
        return ("CFA in a slot" if value(abi, ("vexp", rest))
                else "CFA by an expression")
    if op in ("DW_CFA_expression", "DW_CFA_val_expression"):
        return f"{kept or 'other register'} by an expression"
    if op == "DW_CFA_GNU_args_size":
        return "args size"
    if op == "DW_CFA_register" and kept:
        return f"{kept} in a register"
    if op.startswith("DW_CFA_val_offset") and kept:
        return f"{kept} is an address"
    if op == "DW_CFA_undefined" and kept:
        return f"{kept} undefined"
    return None


def follow(state, initial, op, rest, reg):
    """One instruction other than those on rows and stack."""
    if state.late:
        follow(state.late, initial, op, rest, reg)
    tail = re.sub(r"^r\d+", "", rest)
    num = re.search(r"(?:ofs|at cfa|is cfa|: )\s*([+-]?\d+)\s*$", rest)
    if op in ("DW_CFA_def_cfa", "DW_CFA_def_cfa_sf"):
        state.cfa = ("reg", reg, int(num[1]))
    elif op in ("DW_CFA_def_cfa_offset", "DW_CFA_def_cfa_offset_sf"):
        state.cfa = ("reg", state.cfa[1], int(rest))
    elif op == "DW_CFA_def_cfa_register":
        state.cfa = ("reg", reg, state.cfa[2])
    elif op == "DW_CFA_def_cfa_expression":
        state.cfa = ("exp", rest)
    elif op in ("DW_CFA_offset", "DW_CFA_offset_extended",
                "DW_CFA_offset_extended_sf"):
        state.regs[reg] = ("c", int(num[1]))
    elif op in ("DW_CFA_val_offset", "DW_CFA_val_offset_sf"):
        state.regs[reg] = ("val", int(num[1]))
    elif op in ("DW_CFA_expression", "DW_CFA_val_expression"):
        kind = "exp" if op == "DW_CFA_expression" else "vexp"
        state.regs[reg] = (kind, re.sub(r"^ \(\w+\)(?= )", "", tail).strip())
    elif op == "DW_CFA_register":
        state.regs[reg] = ("reg", int(re.search(r" in r(\d+)", tail)[1]))
    elif op in ("DW_CFA_restore", "DW_CFA_restore_extended"):
        state.regs.pop(reg, None)
        if reg in initial.regs:
            state.regs[reg] = initial.regs[reg]
    elif op == "DW_CFA_undefined":
        state.regs[reg] = ("undef",)
    elif op == "DW_CFA_same_value":
        state.regs[reg] = ("same",)
    elif op == "DW_CFA_AARCH64_negate_ra_state":
        state.pac = not state.pac
    elif op not in ("DW_CFA_nop", "DW_CFA_GNU_args_size"):
        raise ValueError(f"not known: {op}: {rest}")


class Parser:
    """Follows the instructions of one CIE or FDE."""

    def __init__(self, abi, state, loc):
        self.abi, self.initial, self.state = abi, state, state.copy()
        self.rows, self.loc, self.stack = [], loc, []
        self.done = state       # the last row that is complete
        self.features = set()

    def line(self, line):
        """An instruction, of the form OP, OP: REST or OP (EXPRESSION)."""
        op = re.match(r"\w+", line)[0]
        rest = line[len(op):].lstrip(": ")
        state = self.state
        if op == "DW_CFA_set_loc" or op.startswith("DW_CFA_advance_loc"):
            self.rows.append((self.loc, state.copy()))
            self.done = self.rows[-1][1]
            self.loc = int(rest.split()[-1], 16)
        elif op == "DW_CFA_remember_state":
            self.stack.append((state.copy(), self.done))
        elif op == "DW_CFA_restore_state":
            old, late = self.stack.pop()
            state.set(old)
            state.late = late.copy()
        else:
            m = re.match(r"r(\d+)", rest)
            reg = int(m[1]) if m else None
            self.features.add(features_of(self.abi, op, rest, reg))
            follow(state, self.initial, op, rest, reg)

    def finish(self):
        self.rows.append((self.loc, self.state))


def parse(abi_name, text):
    """[Fde] of `readelf --debug-dump=frames`."""
    abi, cies, fdes, cur = ABIS[abi_name], {}, [], None
    for line in text.splitlines():
        if line.startswith("  DW_CFA_"):
            cur.line(line[2:])
            continue
        if line.startswith("  Augmentation:"):
            signal.append("S" in line.partition('"')[2])
            continue
        m = re.match(r"([0-9a-f]{8}) \S+ \S+ (CIE|FDE)(.*)", line)
        if cur and (m or line.endswith("ZERO terminator")):
            cur.finish()
            cur = None
        if m and m[2] == "CIE":
            cur, signal = Parser(abi, State(), 0), []
            cies[m[1]] = cur, signal
        elif m:
            n = re.search(r"cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)",
                          m[3])
            cie, signal = cies[n[1]]
            cur = Parser(abi, cie.state, int(n[2], 16))
            cur.features |= cie.features
            fdes.append(Fde(cur.loc, int(n[3], 16), cur.rows, signal[0],
                            cur.features))
    if cur:
        cur.finish()
    return fdes


def parse_interp(text):
    """[(start, end, [(row start, {column: value})])]."""
    fdes, rows, columns = [], None, []
    for line in text.splitlines():
        if line[:16].strip("0123456789abcdef") == "" and line[16:17] == " ":
            words = line.split()
            if len(words[0]) == 16 and len(words) == len(columns) + 1:
                if rows is not None:
                    rows.append((int(words[0], 16),
                                 dict(zip(columns, words[1:]))))
                continue
        m = re.match(r"[0-9a-f]{8} \S+ \S+ (CIE|FDE)(.*)", line)
        if m and m[1] == "CIE":
            rows = None
        elif m:
            n = re.search(r" pc=([0-9a-f]+)\.\.([0-9a-f]+)", m[2])
            rows = []
            fdes.append((int(n[1], 16), int(n[2], 16), rows))
        elif line.startswith("   LOC"):
            columns = line.split()[1:]
    return fdes


def interp_word(abi, rule):
    if rule is None:
        return "u"
    kind = rule[0]
    if kind == "c":
        return f"c{rule[1]:+d}"
    if kind == "val":
        return f"v{rule[1]:+d}"
    return {"undef": "u", "same": "s"}.get(kind, kind)


def interp_differences(abi_name, fdes, interp):
    """Where the rows followed here are not readelf's."""
    abi, bad = ABIS[abi_name], []
    prefix = "x" if abi_name == "aarch64" else "r"

    def name(reg):
        return abi.names.get(reg, f"{prefix}{reg}")

    if [(f.start, f.end) for f in fdes] != [i[:2] for i in interp]:
        return ["readelf's two views of .eh_frame have different functions"]
    for fde, (_, _, rows) in zip(fdes, interp):
        mine = dict(fde.rows)
        for loc, row in dict(rows).items():
            state = mine.get(loc)
            if not state:
                bad.append(f".eh_frame row {loc:#x} not followed")
                continue
            want = {"CFA": "exp" if state.cfa[0] == "exp"
                    else f"{name(state.cfa[1])}{state.cfa[2]:+d}"}
            for reg, column in ((abi.fp, name(abi.fp)), (abi.ra, "ra")):
                rule = state.regs.get(reg)
                want[column] = (name(rule[1]) if rule and rule[0] == "reg"
                                else interp_word(abi, rule))
            for column, word in want.items():
                if row.get(column, "u") != word:
                    bad.append(f".eh_frame row {loc:#x} {column}: {word}, "
                               f"readelf {row.get(column)}")
    return bad


def reg_name(abi, reg):
    return {abi.sp: "sp", abi.fp: "fp"}.get(reg, f"r{reg}")


def value(abi, rule):
    """A register's rule in sframe_dump's words; None: SFrame has no such."""
    if rule is None or rule[0] == "same":
        return "u"
    if rule[0] == "c":
        return f"(c{rule[1]:+d})"
    if rule[0] == "val":
        return f"c{rule[1]:+d}"
    if rule[0] == "reg":
        return f"{reg_name(abi, rule[1])}+0"
    if rule[0] in ("exp", "vexp"):
        m = re.fullmatch(r"\(DW_OP_breg(\d+)(?: \(\w+\))?: (-?\d+)"
                         r"(; DW_OP_deref)?\)", rule[1])
        if m and not (m[3] and rule[0] == "exp"):
            text = f"{reg_name(abi, int(m[1]))}{int(m[2]):+d}"
            return f"({text})" if m[3] or rule[0] == "exp" else text
    return None


PLT = re.compile(r"\(DW_OP_breg7 \(rsp\): 8; DW_OP_breg16 \(rip\): 0; "
                 r"DW_OP_lit15; DW_OP_and; DW_OP_lit(\d+); DW_OP_ge; "
                 r"DW_OP_lit3; DW_OP_shl; DW_OP_plus\)")


def cfa_value(abi, rule):
    """Likewise; ("plt", n): rsp+8, and rsp+16 from n on in 16 bytes."""
    if rule[0] == "reg":
        return f"{reg_name(abi, rule[1])}{rule[2]:+d}"
    m = PLT.fullmatch(rule[1])
    if m:
        return "plt", int(m[1])
    return value(abi, ("vexp", rule[1]))


def rule_of(abi, state, signal):
    """The whole rule; None: SFrame has no such; a pair for a PLT."""
    ra_rule = state.regs.get(abi.ra)
    if ra_rule == ("undef",):
        return "outermost"
    cfa = cfa_value(abi, state.cfa)
    ra, fp = value(abi, ra_rule), value(abi, state.regs.get(abi.fp))
    if ra == "u":
        ra = f"r{abi.ra}+0"
    if None in (cfa, ra, fp):
        return None
    tail = (f" {ra} {fp}{abi.sp_off}{' signal' if signal else ''}"
            f"{' pac' if state.pac else ''}")
    if isinstance(cfa, tuple):
        return cfa[1], "sp+8" + tail, "sp+16" + tail
    return cfa + tail


def runs(abi_name, fdes):
    """[(start, end, rule or None, Fde, State)], sorted, of all code."""
    abi, out = ABIS[abi_name], []
    for fde in fdes:
        bounds = [max(loc, fde.start) for loc, _ in fde.rows] + [fde.end]
        for (_, state), lo, hi in zip(fde.rows, bounds, bounds[1:]):
            hi = min(hi, fde.end)
            rule = rule_of(abi, state, fde.signal)
            if isinstance(rule, tuple):
                for pc in range(lo, hi):
                    out.append((pc, pc + 1, rule[1 + (pc & 15 >= rule[0])],
                                fde, state))
            elif lo < hi:
                out.append((lo, hi, rule, fde, state))
    return sorted(out, key=lambda r: r[:2])
