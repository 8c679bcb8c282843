# SPDX-License-Identifier: GPL-2.0
"""One build: made, read by the reader and by readelf, and compared."""
import contextlib
import glob
import hashlib
import os
import pickle
import re
import subprocess
import tempfile
import time
import zlib
from collections import Counter, namedtuple

import oracle_builds
import oracle_compare
import oracle_dwarf
import oracle_sframe
from oracle_elf import Elf, Map, Section

SKIPPED = re.compile(r"Warning: (?:skipping SFrame FDE|no SFrame FDE emitted);"
                     r" (.*)")
PREFIX = {"amd64": "", "aarch64": "aarch64-linux-gnu-",
          "s390x": "s390x-linux-gnu-"}
RESULTS = 3             # of each build
# Programs that were built before: to compile them is nearly all of the work.
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or
                     os.path.expanduser("~/.cache"), "latewind/oracle")
# Of one program, in seconds: many times what the slowest takes, so that one that
# hangs has a name.
LIMIT = 300

# tool, sanitized: both are sframe_dump
Suite = namedtuple("Suite", "version root tmp tool sanitized")
Result = namedtuple("Result", "lines bad stats")


def in_root(root, *cmd, cwd="/"):
    """(status, stdout, stderr) of a command in the root."""
    run = subprocess.run(
        ["chroot", root, "env", "-C", cwd, *cmd], text=True,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"},
        capture_output=True, timeout=LIMIT)
    return run.returncode, run.stdout, run.stderr


def must(status_out_err):
    status, out, err = status_out_err
    if status:
        raise ValueError(f"failed: {err.strip()}")
    return out, err


def source_files(suite, source):
    """The files of a source, from its directory; None: the root lacks it."""
    if source.dir is None:
        return "oracle", source.files.split()
    top = f"{suite.root}/usr/src/latewind/{source.dir}"
    if not os.path.isdir(top):
        return None
    files = []
    for word in source.files.split():
        found = sorted(glob.glob(word.lstrip("-"), root_dir=top))
        if word[0] == "-":
            files = [f for f in files if f not in found]
        else:
            files += found
    return f"/usr/src/latewind/{source.dir}", files


def build_key(suite, build):
    """The root has compilers and Debian's sources; ours are hashed."""
    source = oracle_builds.SOURCES[build.source]
    cwd, files = source_files(suite, source)
    key = hashlib.sha256(repr((os.path.basename(suite.root), cwd, files,
                               source.flags, build.compiler,
                               build.flags)).encode())
    for file in files if cwd == "oracle" else ():
        with open(f"{suite.tmp}/oracle/{file}", "rb") as f:
            key.update(f.read())
    return key.hexdigest()[:24]


def take_kept(suite, build, name):
    """The messages of the compiler; None: it was not built before."""
    try:
        with open(f"{CACHE}/{build_key(suite, build)}", "rb") as f:
            err, program, ld_map = pickle.loads(zlib.decompress(f.read()))
    except FileNotFoundError:
        return None
    for path, data in (name, program), (f"{name}.map", ld_map):
        with open(f"{suite.tmp}/{path}", "wb") as f:
            f.write(data)
    os.utime(f"{CACHE}/{build_key(suite, build)}")
    return err


def keep(suite, build, name, err):
    """Whoever is interrupted leaves a file that is never read."""
    data = [err]
    for path in name, f"{name}.map":
        with open(f"{suite.tmp}/{path}", "rb") as f:
            data.append(f.read())
    os.makedirs(CACHE, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=CACHE, prefix="tmp.",
                                     delete=False) as f:
        f.write(zlib.compress(pickle.dumps(data), 1))
    os.rename(f.name, f"{CACHE}/{build_key(suite, build)}")


def forget_old(days=60):
    """What nobody has used for long, and what was not finished."""
    for entry in os.scandir(CACHE) if os.path.isdir(CACHE) else ():
        # Others do the same at the same time.
        with contextlib.suppress(FileNotFoundError):
            age = time.time() - entry.stat().st_mtime
            if age > (1 if entry.name.startswith("tmp.") else days) * 86400:
                os.unlink(entry.path)


def program_of(suite, build, name):
    """Makes the program; the messages of its compiler."""
    err = take_kept(suite, build, name)
    if err is None:
        err = compile_build(suite, build, name)
        keep(suite, build, name, err)
    return err


def compile_build(suite, build, name):
    """The messages of the compiler."""
    source = oracle_builds.SOURCES[build.source]
    cwd, files = source_files(suite, source)
    out = f"/tmp/{os.path.basename(suite.tmp)}"
    if cwd == "oracle":
        cwd = f"{out}/oracle"
    flags = f"-Wa,--gsframe {build.flags} -Wl,-Map={out}/{name}.map"
    before, libs = [f for f in source.flags.split() if f[:2] != "-l"], \
        [f for f in source.flags.split() if f[:2] == "-l"]
    _, err = must(in_root(
        suite.root, *build.compiler.split(), *flags.split(), *before,
        "-o", f"{out}/{name}", *files, *libs, cwd=cwd))
    return err


def dump(tool, mode, section, *numbers):
    with tempfile.NamedTemporaryFile() as f:
        f.write(section)
        f.flush()
        run = subprocess.run([tool, mode, f.name, *map(str, numbers)],
                             text=True, capture_output=True, timeout=LIMIT)
    if run.returncode:
        raise ValueError(f"sframe_dump {mode}: {run.stderr.strip()}")
    return run.stdout.splitlines()


def differences(ours, theirs, names="reader readelf"):
    one, other = names.split()
    if ours == theirs:
        return []
    a, b = Counter(ours), Counter(theirs)
    bad = ([f"only the {one}: {x}" for x in sorted(a - b)] +
           [f"only {other}: {x}" for x in sorted(b - a)])
    return bad or [f"{one} and {other}: another order"]


class Check:
    """One build: three results."""

    def __init__(self, suite, abi, build, name):
        self.suite, self.abi, self.build, self.name = suite, abi, build, name
        self.path = f"/tmp/{os.path.basename(suite.tmp)}/{name}"
        self.lines, self.bad, self.stats = [], 0, Counter()

    def result(self, what, problems):
        self.lines += [f"# {p}" for p in problems[:10]]
        if len(problems) > 10:
            self.lines.append(f"# ... and {len(problems) - 10} more")
        self.bad += bool(problems)
        self.lines.append(f"{'not ' if problems else ''}ok {self.name}: {what}")

    def readelf(self, *options):
        return must(in_root(self.suite.root, PREFIX[self.abi] + "readelf",
                            *options, self.path))[0]

    def run(self):
        self.skipped = Counter(SKIPPED.findall(
            program_of(self.suite, self.build, self.name)))
        self.elf = Elf(os.path.join(self.suite.tmp, self.name))
        if self.elf.abi != self.abi:
            raise ValueError(f"is for {self.elf.abi}")
        self.text, = self.elf.text
        self.addr, data = self.elf.sframe()
        self.section = Section(data, self.elf.order)
        version, self.funcs = oracle_sframe.parse(self.abi,
                                                  self.readelf("--sframe"))
        if version != self.suite.version:
            raise ValueError(f"is SFrame version {version}")
        self.rows()
        self.runs()
        self.eh_frame()
        self.stats["builds"] += 1
        os.unlink(os.path.join(self.suite.tmp, self.name))
        os.unlink(os.path.join(self.suite.tmp, self.name + ".map"))

    def rows(self):
        want, wrong = oracle_sframe.dump_lines(self.funcs, self.section)
        got = dump(self.suite.sanitized, "rows", self.section.data, self.addr,
                   *self.text)
        rows = sum(len(f.rows) for f in self.funcs)
        problems = differences(got[1:], want)
        if not rows:
            problems.append("nothing was compared")
        note = f", {wrong} of them put right" if wrong else ""
        self.result(f"{len(self.funcs)} functions, {rows} rows as readelf"
                    f"{note}", problems)
        self.stats.update(functions=len(self.funcs), rows=rows)
        self.forms(wrong)

    def forms(self, wrong):
        """Counts what of the format was met."""
        self.stats["form plt_got"] += wrong
        for i, f in enumerate(self.funcs):
            rules = [rule for _, rule in f.rows]
            self.stats.update({
                "form mask": bool(f.mask), "form flex": f.flex,
                "form signal": f.signal, "form key_b": f.key_b,
                "form empty": not f.size,
                "form pac": sum("pac" in r for r in rules),
                "form outermost": sum(r == "outermost" for r in rules),
                "form ra_alone": sum(" (c" in r and " u" in r for r in rules
                                     if self.abi == "aarch64"),
                f"form width_{self.section.rep_and_width(i)[1]}": 1})

    def find(self, data, entry=0):
        # with sanitizers it takes a few times as long
        small = self.text[1] - self.text[0] < 1 << 16
        lines = dump(self.suite.sanitized if small else self.suite.tool, "find",
                     data, self.addr, *self.text, entry)
        words = (line.split(" ", 2) for line in lines)
        return [(int(lo, 16), int(hi, 16), rule) for lo, hi, rule in words]

    def runs(self):
        entry = self.elf.entry
        self.ours = self.find(self.section.data, entry)
        want = oracle_sframe.runs(self.funcs, self.section, entry)
        problems = differences(self.ours, want)
        problems += differences(
            self.find(self.section.other_encoding()),
            oracle_sframe.runs(self.funcs, self.section, 0),
            "other-encoding readelf")
        size = sum(hi - lo for lo, hi, _ in want)
        self.result(f"look-ups of {size} bytes of code, both encodings of "
                    "starts, as these rows", problems)
        self.stats["bytes"] += size

    def has_function(self, fde):
        return any(f.start == fde.start and f.size for f in self.funcs)

    def eh_frame(self):
        fdes = oracle_dwarf.parse(self.abi,
                                  self.readelf("--debug-dump=frames"))
        interp = oracle_dwarf.parse_interp(
            self.readelf("--debug-dump=frames-interp"))
        bad = oracle_dwarf.interp_differences(self.abi, fdes, interp)
        with open(os.path.join(self.suite.tmp, self.name + ".map")) as f:
            self.map = Map(f.read())
        same, diffs = oracle_compare.sweep(
            self.ours, oracle_dwarf.runs(self.abi, fdes))
        classes, unexplained = oracle_compare.classify(self, diffs)
        bad += unexplained
        if not same:
            bad.append("nothing was compared")
        note = ""
        self.stats["same"] += same
        for name, found in sorted(classes.items()):
            size = sum(d.hi - d.lo for d in found)
            functions = len({d.fde.start for d in found})
            note += f"; {name}: {size} ({functions} functions)"
            self.stats[f"class {name} bytes"] += size
            self.stats[f"class {name} functions"] += functions
        skipped = {d.fde.start for d in classes.get("function skipped", [])}
        if len(skipped) != self.skipped.total():
            bad.append(f"{len(skipped)} functions without rows, gas skipped "
                       f"{self.skipped.total()}: {dict(self.skipped)}")
        self.result(f"{same} bytes of code as .eh_frame{note}", bad)


def run_check(args):
    check = Check(*args)
    try:
        check.run()
    except (ValueError, KeyError, IndexError, TypeError, AttributeError,
            OSError, subprocess.TimeoutExpired) as e:
        text = f"{type(e).__name__}: {e}".splitlines()
        while len([x for x in check.lines if x[0] != "#"]) < RESULTS:
            check.result("could not be built or read", text)
    return Result(check.lines, check.bad, check.stats)
