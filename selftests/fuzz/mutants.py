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
    ("no bound of any read", "header",
     "if (off > src->size || len > src->size - off)", "if (0)"),
    ("sums of the layout in 32 bits", "header",
     "__u64 fre_end = sf->fre_off + sf->fre_len;",
     "__u64 fre_end = (__u32)(sf->fre_off + sf->fre_len);"),
    ("areas may overlap", "header",
     "if (sf->fre_off < fde_end && sf->fde_off < fre_end)", "if (0)"),
    ("table of ABIs used before the check", "header",
     "sf->abi > LW_SFRAME_ABI_S390X)", "sf->abi > LW_SFRAME_ABI_S390X + 1)"),
    ("header read again after the check", "lookup",
     "\treturn check_layout(sf);",
     "\terr = check_layout(sf);\n\tif (!err && src->bytes)\n\t\tsf->num_fdes = "
     "load_u32(mode_of(sf), (const __u8 *)src->bytes + HDR_NUM_FDES);\n"
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
     "if (pos > sf->fre_len || want > sf->fre_len - pos)",
     "if (!sf->src->bytes && (pos > sf->fre_len || want > sf->fre_len - pos))"),
    ("quick load of a head at the end", "lookup",
     "if (end - at < QUICK_LOAD)", "if (end - at < 2)"),
    ("quick walk that ends behind the area", "lookup",
     "return found->words && at <= end;", "return !!found->words;"),
    ("quick walk, rows in any order", "lookup",
     "if (start < found->start)", "if (0)"),
    ("quick walk, any form of the last row", "lookup",
     "if (left && (start > last_start(fde) || start_size + len > end - at))",
     "if (0)"),
    ("any number of words", "row",
     "\tif (!len)\n\t\treturn bad_form(head->info);",
     "\tif (!len && ROW_SIZE_CODE(head->info) == 3)\n"
     "\t\treturn bad_form(head->info);"),
    ("row may end a byte behind the area", "row",
     "if (head->len > sf->fre_len - pos)",
     "if (head->len > sf->fre_len - pos + 1)"),
    ("length of a row without its last word", "row",
     "head->len = fde->start_size + len;",
     "head->len = fde->start_size + len - (!!ROW_COUNT(head->info) << "
     "ROW_SIZE_CODE(head->info));"),
    ("window without its end", "row",
     "pos + want > win->pos + win->len)", "pos > win->pos + win->len)"),
    ("block may be one longer", "row",
     "fde->rep_size - 1U : fde->size", "fde->rep_size : fde->size"),
    ("register one too high", "row",
     "reg >= abi->num_regs", "reg > abi->num_regs"),
    ("words of a byte without a sign", "row",
     "return (__s8)load_u8(p);", "return load_u8(p);"),
    ("odd words that are left over", "row",
     "return flex->left ? LW_SFRAME_BAD_FLEX : 0;", "return 0;"),
    ("a window without room for the longest row", "row",
     "LW_SFRAME_MAX_ROW\t41U", "LW_SFRAME_MAX_ROW\t29U"),
    ("pointers without a bound", "row",
     "derefs > LW_RULE_DEREFS || ", ""),
    ("pointers without words", "row",
     " || flex.left < derefs + 1", ""),
    ("functions of our own type everywhere", "fde",
     "fde->type != LW_SFRAME_PATH || !place->paths", "fde->type != LW_SFRAME_PATH"),
    ("walk without a bound", "lookup",
     "if (i == LW_SFRAME_MAX_ROWS)", "if (0)"),
    ("rows that never end", "lookup",
     "\t\tat += head.len;", "\t\tat += head.len;\n\t\tif (at == sf->fre_len)\n"
     "\t\t\ti = 0, at = fde->rows;"),
    ("rows in any order", "lookup",
     "if (next.start < head.start)", "if (0)"),
    ("search one too far", "lookup",
     "__u32 n = bracket.num,", "__u32 n = bracket.num + 1,"),
    ("back over empty ones without a bound", "lookup",
     "steps < LW_SFRAME_MAX_EMPTY", "steps < 100000"),
    ("back over empty ones, out of the array", "lookup",
     "if (pos == sf->fde_off)", "if (0)"),
    ("failed read in the search", "lookup",
     "\t\terr = read_start(sf, mode, probe, &start);\n\t\tif (err)\n",
     "\t\tstart = 0;\n\t\terr = read_start(sf, mode, probe, &start);\n"
     "\t\tif (0)\n"),
    ("index that leaves the last one out", "lookup",
     "bracket.num = index->first[bucket + 1] - first + 1;",
     "bracket.num = index->first[bucket + 1] - first + (first == 0);"),
    ("rule written on failure", "lookup",
     "if (err)\n\t\treturn err;\n\tif (is_aarch64(sf) &&",
     "if (err)\n\t\trule->flags = 0;\n\tif (err)\n\t\treturn err;\n"
     "\tif (is_aarch64(sf) &&"),
    (".plt.got put right where it is not wrong", "lookup",
     "if (fde->mask)\n\t\tfix_plt_got", "if (1)\n\t\tfix_plt_got"),
]


def make_copy():
    shutil.rmtree(COPY, ignore_errors=True)
    for part in ("module", "selftests/fuzz", "selftests/vm",
                 "selftests/unit/oracle"):
        shutil.copytree(os.path.join(REPO, part), os.path.join(COPY, part))
    programs = os.path.join(REPO, "build/fuzz/programs")
    if os.path.isdir(programs):
        shutil.copytree(programs, os.path.join(COPY, "build/fuzz/programs"))


def plant(old, new):
    """(path, what was there) of the file that has it, or None."""
    hits = []
    for path in glob.glob(os.path.join(COPY, "module/sframe/*.[ch]")):
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
