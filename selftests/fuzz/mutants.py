#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""See that the fuzz targets find bugs: plant one at a time, and fuzz.

    mutants.py [WORD...]        those whose name has one of the words

Works on a copy of the tree in build/fuzz-mutants/. Each target gets the time
that it has in fuzz.sh 30, no inputs of earlier runs, and one core. Prints TAP.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

REPO = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
COPY = os.path.join(REPO, "build/fuzz-mutants")
SECONDS = "15"
ALL = ("header", "fde", "row", "lookup")

# name, the target that should see it first, what is there, what is not
MUTANTS = [
    ("header of any size", "header",
     "if (sf->src->size < HDR_SIZE)", "if (0)"),
    ("functions behind the section", "header",
     "if (fde_end > sf->src->size)", "if (0)"),
    ("rows behind the section", "header",
     "if (fre_end > sf->src->size)", "if (0)"),
    ("sums of the layout in 32 bits", "header",
     "__u64 fre_end = sf->fre_off + sf->fre_len;",
     "__u64 fre_end = (__u32)(sf->fre_off + sf->fre_len);"),
    ("areas may overlap", "header",
     "if (sf->fre_off < fde_end && sf->fde_off < fre_end)", "if (0)"),
    ("table of ABIs used before the check", "header",
     "abi <= LW_SFRAME_ABI_S390X;", "abi <= LW_SFRAME_ABI_S390X + 1;"),
    ("header read again after the check", "lookup",
     "\treturn check_layout(sf);",
     "\terr = check_layout(sf);\n\tif (!err && src->bytes)\n\t\tsf->num_fdes = "
     "load_u32(sf, (const __u8 *)src->bytes + HDR_NUM_FDES);\n"
     "\treturn err;"),
    ("blocks of no byte", "fde",
     "(!fde->rep_size || fde->rep_size > fde->size)",
     "fde->rep_size > fde->size"),
    ("function may begin at the text's end", "fde",
     "fde->start >= place->text_end", "fde->start > place->text_end"),
    ("attribute may end behind the rows", "fde",
     "if (fde->rows > sf->fre_len || ATTR_SIZE > sf->fre_len - fde->rows)",
     "if (fde->rows > sf->fre_len)"),
    ("more rows than there is room for", "fde",
     "fde->num_rows > (sf->fre_len - fde->rows) / MIN_ROW", "0"),
    ("starts not relative to their field", "fde",
     "sf->flags & LW_SFRAME_PCREL ? ~0ULL : 0;",
     "sf->flags & LW_SFRAME_PCREL ? ~1ULL : 0;"),
    ("bytes in memory without a bound", "row",
     "if ((__u64)pos + want > cursor->len)",
     "if (!mode.direct && (__u64)pos + want > cursor->len)"),
    ("any number of words", "row",
     "\tif (!len)\n", "\tif (!len && ROW_SIZE_CODE(row->info) == 3)\n"),
    ("row may end a byte behind the area", "row",
     "if (len > cursor->len - row->pos)",
     "if (len > cursor->len - row->pos + 1)"),
    ("length of a row without its last word", "row",
     "\tlen += start_size;",
     "\tlen += start_size - (!!ROW_COUNT(row->info) << ROW_SIZE_CODE(row->info));"),
    ("window without its end", "row",
     "pos + want <= cursor->buf_pos + cursor->buf_len)",
     "pos <= cursor->buf_pos + cursor->buf_len)"),
    ("block may be one longer", "row",
     "fde->rep_size - 1U : fde->size", "fde->rep_size : fde->size"),
    ("register one too high", "row",
     "reg >= abi->num_regs", "reg > abi->num_regs"),
    ("words of a byte without a sign", "row",
     "return (__s8)load_u8(p);", "return load_u8(p);"),
    ("odd words that are left over", "row",
     "\telse if (words.left)\n\t\terr = LW_SFRAME_BAD_FLEX;\n", ""),
    ("saved registers that there are not", "row",
     "nr >= LW_RULE_SAVED || ", ""),
    ("a window without room for the longest row", "row",
     "LW_SFRAME_MAX_ROW\t61U", "LW_SFRAME_MAX_ROW\t29U"),
    ("pointers without a bound", "row",
     "derefs > LW_RULE_DEREFS || ", ""),
    ("pointers without words", "row",
     " || words->left < derefs + 1", ""),
    ("functions of our own type everywhere", "fde",
     "fde->type != LW_SFRAME_PATH || !place->paths", "fde->type != LW_SFRAME_PATH"),
    ("walk without a bound", "lookup",
     "fde->num_rows < LW_SFRAME_MAX_ROWS ? fde->num_rows : LW_SFRAME_MAX_ROWS;",
     "fde->num_rows;"),
    ("rows that never end", "lookup",
     "\tcursor->pos += len;", "\tcursor->pos += len;\n"
     "\tif (cursor->pos == cursor->len)\n"
     "\t\tcursor->next = 0, cursor->pos = cursor->fde.rows, start = 0;"),
    ("rows in any order", "lookup",
     "if (start < cursor->start)", "if (0)"),
    ("search one too far", "lookup",
     "\twhile (n > 1) {", "\tn++;\n\twhile (n > 1) {"),
    ("back over empty ones without a bound", "lookup",
     "steps < LW_SFRAME_MAX_EMPTY", "steps < 100000"),
    ("back over empty ones, out of the array", "lookup",
     "if (pos == sf->fde_off)", "if (0)"),
    ("failed read in the search", "lookup",
     "\t\terr = read_start(sf, mode, probe, &start);\n\t\tif (err)\n",
     "\t\tstart = 0;\n\t\terr = read_start(sf, mode, probe, &start);\n"
     "\t\tif (0)\n"),
    ("index that leaves the last one out", "lookup",
     "*num = bucket[1] - bucket[0] + 1;",
     "*num = bucket[1] - bucket[0] + (bucket[0] == 0);"),
    ("rule written on failure", "lookup",
     "if (words.left)\n\t\treturn LW_SFRAME_BAD_FLEX;\n\t*rule = found;",
     "*rule = found;\n\tif (words.left)\n\t\treturn LW_SFRAME_BAD_FLEX;"),
    (".plt.got put right where it is not wrong", "lookup",
     "if (fde->mask)\n\t\tfix_plt_got", "if (1)\n\t\tfix_plt_got"),
]


def make_copy():
    shutil.rmtree(COPY, ignore_errors=True)
    for part in ("module", "tools/sframe", "selftests/fuzz", "selftests/vm",
                 "selftests/unit/oracle"):
        shutil.copytree(os.path.join(REPO, part), os.path.join(COPY, part))
    programs = os.path.join(REPO, "build/fuzz/programs")
    if os.path.isdir(programs):
        shutil.copytree(programs, os.path.join(COPY, "build/fuzz/programs"))


def plant(old, new):
    """(path, what was there) of the file that has it, or None."""
    hits = []
    for path in glob.glob(os.path.join(COPY, "module/sframe/*.[ch]")) + \
            [os.path.join(COPY, "tools/sframe", name)
             for name in ("machines.h", "sframe_reader.c")]:
        with open(path) as f:
            text = f.read()
        hits += [(path, text)] * text.count(old)
    if len(hits) != 1:
        return None
    path, text = hits[0]
    with open(path, "w") as f:
        f.write(text.replace(old, new))
    return path, text


def fuzz(target):
    """(seconds, what was found) or None."""
    env = dict(os.environ, FUZZ_TARGETS=f"sframe_{target}", FUZZ_JOBS="1",
               FUZZ_FRESH="1")
    run = subprocess.run(
        [os.path.join(COPY, "selftests/fuzz/fuzz.sh"), SECONDS], env=env,
        text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    took = re.search(r"^not ok .* in (\d+) s", run.stdout, re.M)
    why = re.search(r"^# (latewind-fuzz:.*|.*runtime error:.*|==.*ERROR: "
                    r"AddressSanitizer: \S+.*|==.*ERROR: libFuzzer: timeout.*)",
                    run.stdout, re.M)
    if run.returncode and took and why:
        return int(took[1]), re.sub(r"==\d+==|0x[0-9a-f]{9,}.*", "", why[1])
    if run.returncode:
        raise ValueError("does not build or run: " + run.stdout)
    return None


def try_one(first, old, new):
    before = plant(old, new)
    if before is None:
        return "is not to be found once in the reader", False
    try:
        for target in (first, *(t for t in ALL if t != first)):
            shutil.rmtree(os.path.join(COPY, "build/fuzz/findings"),
                          ignore_errors=True)
            found = fuzz(target)
            if found:
                return f"sframe_{target}, {found[0]} s: {found[1]}", True
    except ValueError as e:
        return str(e).replace("\n", "\n# "), False
    finally:
        path, text = before
        with open(path, "w") as f:
            f.write(text)
    return "was not found", False


def main():
    words = sys.argv[1:]
    chosen = [m for m in MUTANTS
              if not words or any(w in m[0] for w in words)]
    make_copy()
    print(f"TAP version 13\n1..{len(chosen)}", flush=True)
    bad = 0
    for number, (what, *mutant) in enumerate(chosen, 1):
        text, found = try_one(*mutant)
        bad += not found
        print(f"{'' if found else 'not '}ok {number} - {what}: {text}",
              flush=True)
    return bad != 0


sys.exit(main())
