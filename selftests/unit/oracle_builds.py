# SPDX-License-Identifier: GPL-2.0
"""What is built, and how: Debian sources and the programs of oracle/."""
import re
from collections import namedtuple

# dir: below the root's /usr/src/latewind, None: oracle/; a word of files that
# begins with "-" takes that one out again
Source = namedtuple("Source", "dir files flags")
Build = namedtuple("Build", "name source compiler flags")

LUA = "-DLUA_USE_POSIX -lm"
BZ = "blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c"
SOURCES = {
    "bzip2": Source("bzip2", f"{BZ} bzip2.c", "-D_FILE_OFFSET_BITS=64"),
    "libbz2": Source("bzip2", BZ, "-D_FILE_OFFSET_BITS=64"),
    "minigzip": Source("zlib", "*.c test/minigzip.c", "-I. -DHAVE_UNISTD_H"),
    "libz": Source("zlib", "*.c", "-DHAVE_UNISTD_H"),
    "lz4": Source("lz4", "programs/*.c lib/*.c",
                  "-Ilib -DXXH_NAMESPACE=LZ4_ -DLZ4_STATIC_LINKING_ONLY"),
    "liblz4": Source("lz4", "lib/*.c", "-DXXH_NAMESPACE=LZ4_"),
    "lua": Source("lua5.4", "src/*.c -src/luac.c", LUA),
    "liblua": Source("lua5.4", "src/*.c -src/lua.c -src/luac.c", LUA),
    "libdeflate": Source("libdeflate", "lib/*.c lib/*/*.c", "-I."),
    "tinyxml2": Source("tinyxml2", "tinyxml2.cpp xmltest.cpp", ""),
    "libtinyxml2": Source("tinyxml2", "tinyxml2.cpp", ""),
    "libpugixml": Source("pugixml", "src/pugixml.cpp", ""),
}
for name in ("frames.c -lm", "huge.c", "classes.cc", "cfi.S", "drap.c", "split.c",
             "forms-amd64.S", "start-amd64.S", "forms-aarch64.S",
             "forms-s390x.S", "fpr-s390x.c"):
    file, _, more = name.partition(" ")
    SOURCES[file] = Source(None, file, more)

PIE, SHARED, STATIC = "", "-fPIC -shared", "-static"


def builds(*table):
    def short(flags):
        return re.sub(r"-Wl,|[ ,=]|-mbranch-protection=", "", flags)

    return [Build(f"{source.partition('.')[0]}{short(flags)}"
                  f"{'-clang' if 'clang' in compiler else ''}",
                  source, compiler, flags)
            for compiler, sources, all_flags in table
            for source in sources.split() for flags in all_flags]


AMD64 = builds(
    ("gcc", "bzip2 minigzip lz4 lua", ["-O0", "-O2", "-Os", "-O2 -static"]),
    ("gcc", "libbz2 libz liblz4 liblua libdeflate",
     ["-O0 -fPIC -shared", "-O2 -fPIC -shared", "-Os -fPIC -shared"]),
    ("gcc", "lua", ["-O3 -march=x86-64-v3 -fno-plt"]),
    # CFA is in a register or a slot in each function
    ("gcc", "minigzip", [
        "-O2 -mstackrealign -mincoming-stack-boundary=3 -mforce-drap"]),
    ("g++", "tinyxml2", ["-O0", "-O2", "-O2 -static"]),
    ("g++", "libtinyxml2", ["-Os -fPIC -shared"]),
    ("g++", "libpugixml",
     ["-O0 -fPIC -shared", "-O2 -fPIC -shared", "-Os -fPIC -shared"]),
    ("gcc", "frames.c", [
        "-O0", "-O1", "-O2", "-O3", "-Os", "-O0 -static", "-O2 -static-pie",
        "-O0 -shared -fPIC", "-O2 -shared -fPIC", "-O2 -fno-pie -no-pie",
        "-O2 -fno-omit-frame-pointer", "-O2 -fno-plt", "-O2 -Wl,-z,now",
        "-O2 -fcf-protection=full -Wl,-z,ibtplt",
        # not with --gc-sections: ld 2.44 collects .sframe too
        "-O2 -ffunction-sections -Wl,--sort-section=name",
        "-O2 -fstack-protector-all -fstack-clash-protection"]),
    ("gcc", "huge.c", ["-O0", "-O2"]),
    ("gcc", "drap.c", ["-O0", "-O2", "-Os", "-O2 -mforce-drap -mstackrealign",
                       "-O2 -mavx2 -fno-omit-frame-pointer"]),
    ("gcc", "split.c", ["-O2", "-O2 -fPIC -shared", "-Os"]),
    ("g++", "classes.cc", ["-O0", "-O2", "-Os -fPIC -shared"]),
    ("gcc", "cfi.S forms-amd64.S", [""]),
    ("gcc", "start-amd64.S", ["-nostdlib -static", "-nostdlib -static-pie"]),
)
CLANG = builds(
    ("clang -fno-integrated-as", "lua frames.c", ["-O2"]),
    ("clang++ -fno-integrated-as", "tinyxml2", ["-Os"]),
)
BTI = "-mbranch-protection=standard"
KEY_B = "-mbranch-protection=pac-ret+b-key"
AARCH64 = builds(
    ("aarch64-linux-gnu-gcc", "lua",
     ["-O2 " + BTI, "-O0 -static " + KEY_B, "-Os"]),
    ("aarch64-linux-gnu-gcc", "bzip2 minigzip", ["-O2 " + BTI]),
    ("aarch64-linux-gnu-gcc", "liblz4 libz", ["-Os -fPIC -shared " + KEY_B]),
    ("aarch64-linux-gnu-gcc", "frames.c",
     ["-O0", "-O2 " + BTI, "-Os " + KEY_B, "-O2 -fomit-frame-pointer"]),
    ("aarch64-linux-gnu-gcc", "huge.c", ["-O0 " + BTI]),
    ("aarch64-linux-gnu-gcc", "forms-aarch64.S", [""]),
)
S390X = builds(
    ("s390x-linux-gnu-gcc", "lua", ["-O2", "-O0 -static", "-Os"]),
    ("s390x-linux-gnu-gcc", "bzip2 minigzip", ["-O2"]),
    ("s390x-linux-gnu-gcc", "liblz4 libz", ["-Os -fPIC -shared"]),
    ("s390x-linux-gnu-gcc", "frames.c", ["-O0", "-O2", "-O2 -mbackchain"]),
    ("s390x-linux-gnu-gcc", "fpr-s390x.c", ["-O2 -march=z13"]),
    ("s390x-linux-gnu-gcc", "huge.c", ["-O0"]),
    ("s390x-linux-gnu-gcc", "forms-s390x.S", [""]),
)
