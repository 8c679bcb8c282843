# SPDX-License-Identifier: GPL-2.0
"""
Where the functions of an ELF file of x86-64 or aarch64 are, by its .eh_frame, and where they call
and jump to.
"""
import array
import bisect
import re
import struct
import subprocess
import tempfile

PT_LOAD, PT_GNU_EH_FRAME, PF_X = 1, 0x6474e550, 1
# Of code that no FDE describes so many bytes are looked at, up to the padding behind it.
UNKNOWN = 4096
# jmp and jcc of 32 bits.
FAR_JUMP = re.compile(rb'(?:\xe9|\x0f[\x80-\x8f])(?=....)', re.S)
JUMP = re.compile(r'\s*[0-9a-f]+:\t(?:bnd |notrack )?(j\w+) +(\*?)(?:0x)?([0-9a-f]+)?')


def open_elf(path):
    """The file, of a machine that is known here, or ValueError."""
    data = open(path, 'rb').read()
    for kind in ElfX86, ElfAarch64:
        if data[:6] == b'\x7fELF\x02\x01' and data[18:20] == kind.MACHINE:
            return kind(data)
    raise ValueError('no ELF file of x86-64 or aarch64')


class Elf:
    """A file, by the addresses that it is linked for."""

    def __init__(self, data):
        self.data = data
        self.segments = []
        # Where the parts of functions start that have an FDE, and these, from hdr on.
        self.starts, self.entries, self.hdr = [], [], 0
        self.jumps_of = {}
        self.plts = self.read_plts()
        hdr = None
        phoff, = struct.unpack_from('<Q', self.data, 32)
        size, count = struct.unpack_from('<HH', self.data, 54)
        for i in range(count):
            kind, flags, off, vaddr, _, filesz = struct.unpack_from('<IIQQQQ', self.data,
                                                                    phoff + i * size)
            if kind == PT_LOAD:
                self.segments.append((off, vaddr, filesz, flags & PF_X))
            elif kind == PT_GNU_EH_FRAME:
                hdr = vaddr
        if hdr is not None:
            self.read_eh_frame_hdr(hdr)

    def read_plts(self):
        shoff, = struct.unpack_from('<Q', self.data, 40)
        size, count, names = struct.unpack_from('<HHH', self.data, 58)
        sections = [struct.unpack_from('<IIQQQQ', self.data, shoff + i * size)
                    for i in range(count)] if shoff else []
        plts = []
        for name, _, _, addr, _, length in sections:
            at = sections[names][4] + name
            if re.match(rb'\.i?plt', self.data[at:at + 16]):
                plts.append((addr, addr + length))
        return plts

    def read_eh_frame_hdr(self, hdr):
        """Its sorted table, of the form that linkers write."""
        at = self.to_offset(hdr)
        version, frame, counts, table = self.data[at:at + 4]
        if (version, counts, table) != (1, 0x03, 0x3b) or frame & 0x0f not in (0x03, 0x0b):
            return
        count, = struct.unpack_from('<I', self.data, at + 8)
        rows = array.array('i', self.data[at + 12:at + 12 + 8 * count])
        self.starts, self.entries, self.hdr = rows[::2], rows[1::2], hdr

    def to_offset(self, vaddr):
        for off, start, size, _ in self.segments:
            if start <= vaddr < start + size:
                return vaddr - start + off
        raise ValueError(f'{vaddr:x} is not in the file')

    def to_vaddr(self, offset):
        for off, start, size, executable in self.segments:
            if executable and off <= offset < off + size:
                return offset - off + start
        return None

    def is_code(self, vaddr):
        return any(start <= vaddr < start + size and executable
                   for _, start, size, executable in self.segments)

    def before(self, vaddr, count):
        offset = self.to_offset(vaddr - 1) + 1
        return self.data[max(0, offset - count):offset]

    def pc_range(self, entry):
        """How long the code is that an FDE describes."""
        at = self.to_offset(entry)
        distance, = struct.unpack_from('<I', self.data, at + 4)
        if self.pc_encoding(at + 4 - distance) & 0x0f in (0x03, 0x0b):
            return struct.unpack_from('<I', self.data, at + 12)[0]
        return struct.unpack_from('<Q', self.data, at + 16)[0]

    def pc_encoding(self, cie):
        """How its FDEs have addresses: most often 32 bits from where they are."""
        end = self.data.index(b'\0', cie + 9)
        letters = self.data[cie + 9:end].decode()
        at = end + 1
        # alignment of code and data, the register of the return address, length of the rest
        for _ in range(4 if letters.startswith('z') else 0):
            while self.data[at] & 0x80:
                at += 1
            at += 1
        for letter in letters[1:]:
            if letter == 'R':
                return self.data[at]
            if letter == 'P':
                at += 5 if self.data[at] & 0x0f in (0x03, 0x0b) else 9
            elif letter == 'L':
                at += 1
        return 0

    def described(self, vaddr):
        """The part of a function with an FDE that is at the address or before it."""
        i = bisect.bisect_right(self.starts, vaddr - self.hdr) - 1
        if i < 0:
            return 0, 0
        start = self.hdr + self.starts[i]
        return start, start + self.pc_range(self.hdr + self.entries[i])

    def function(self, vaddr):
        """The part of a function that the address is in; what is between parts is one."""
        for start, end in self.plts:
            if start <= vaddr < end:
                return start, end
        start, end = self.described(vaddr)
        i = bisect.bisect_right(self.starts, vaddr - self.hdr)
        behind = self.hdr + self.starts[i] if i < len(self.starts) else vaddr + UNKNOWN
        # The FDE of glibc's clone3() ends at its system call, and not the function.
        if self.is_code(end) and self.data.startswith(self.SYSCALL, self.to_offset(end)):
            end = behind
        if vaddr < end:
            return start, end
        return max(end, vaddr - UNKNOWN), behind

    def is_start(self, vaddr):
        i = bisect.bisect_left(self.starts, vaddr - self.hdr)
        return i < len(self.starts) and self.starts[i] == vaddr - self.hdr

    def is_plt(self, vaddr):
        return any(start <= vaddr < end for start, end in self.plts)

    def code(self, vaddr):
        """The code of the function there, and where it starts: where nothing tells, from there
        to the padding behind."""
        start, end = self.described(vaddr)
        if vaddr < end:
            offset = self.to_offset(start)
            return start, self.data[offset:offset + end - start]
        offset = self.to_offset(vaddr)
        code = self.data[offset:offset + min(UNKNOWN, self.function(vaddr)[1] - vaddr)]
        padding = code.find(self.PADDING)
        return vaddr, code if padding < 0 else code[:padding]

    def jumps(self, vaddr):
        """Targets of all direct jumps out of the function, and whether it has indirect ones."""
        if vaddr not in self.jumps_of:
            self.jumps_of[vaddr] = self.read_jumps(vaddr)
        return self.jumps_of[vaddr]


def calls_indirectly(code):
    """Does code end with a call through a register or memory (ff /2)?"""
    for length in range(2, 8):
        if len(code) < length or code[-length] != 0xff:
            continue
        modrm = code[1 - length]
        mod, reg, rm = modrm >> 6, modrm >> 3 & 7, modrm & 7
        if reg != 2:
            continue
        want = 2
        if mod != 3 and rm == 4:
            want += 1
            if mod == 0 and length > 2 and code[2 - length] & 7 == 5:
                want += 4
        if mod == 1:
            want += 1
        elif mod == 2 or (mod == 0 and rm == 5):
            want += 4
        if want == length:
            return True
    return False


class ElfX86(Elf):
    """Its instructions are of any length: what a disassembler has not found is a guess."""
    MACHINE = b'\x3e\0'
    SYSCALL = b'\x0f\x05'
    PADDING = b'\xcc\xcc'

    def call_before(self, vaddr):
        """The target of a direct call that ends there, if it is one, and whether it may be an
        indirect one."""
        code = self.before(vaddr, 7)
        target = None
        if len(code) >= 5 and code[-5] == 0xe8:
            target = vaddr + struct.unpack('<i', code[-4:])[0]
        return target, calls_indirectly(code)

    def far_jumps(self, vaddr):
        """
        Targets out of the function of what may be direct jumps of 32 bits: bytes that are none
        have one where a function starts, or in a given one, once in a million times.
        """
        start, code = self.code(vaddr)
        targets = set()
        for jump in FAR_JUMP.finditer(code):
            at = jump.end() + 4
            target = start + at + struct.unpack_from('<i', code, at - 4)[0]
            if not start <= target < start + len(code):
                targets.add(target)
        return targets

    def read_jumps(self, vaddr):
        """By a disassembler."""
        start, code = self.code(vaddr)
        targets, indirect = set(), False
        # What seemed to be a jump may lead to padding.
        if not code:
            return targets, indirect
        with tempfile.NamedTemporaryFile() as file:
            file.write(code)
            file.flush()
            said = subprocess.run(
                ['objdump', '-D', '-b', 'binary', '-m', 'i386:x86-64', '--no-show-raw-insn',
                 f'--adjust-vma={start:#x}', file.name],
                check=True, capture_output=True, text=True).stdout
        for line in said.splitlines():
            jump = JUMP.match(line)
            if jump and jump[2]:
                indirect = True
            elif jump and jump[3] and not start <= int(jump[3], 16) < start + len(code):
                targets.add(int(jump[3], 16))
        return targets, indirect


def signed(word, low, count):
    """A field of an instruction, in bytes: it counts instructions."""
    value = word >> low & (1 << count) - 1
    return (value - (value >> count - 1 << count)) * 4


class ElfAarch64(Elf):
    """Encodings are those of the Arm Architecture Reference Manual, C4.1.66 and C4.1.67."""
    MACHINE = b'\xb7\0'
    # svc #0
    SYSCALL = b'\x01\0\0\xd4'
    # No instruction.
    PADDING = bytes(4)

    def call_before(self, vaddr):
        """As of x86-64; here it is known."""
        code = self.before(vaddr, 4)
        if vaddr % 4 or len(code) < 4:
            return None, False
        word, = struct.unpack('<I', code)
        # bl
        if word >> 26 == 0x25:
            return vaddr - 4 + signed(word, 0, 26), False
        # blr, or blraa and the like, which authenticate what they call
        return None, word & 0xfffffc1f == 0xd63f0000 or word & 0xfefff800 == 0xd63f0800

    def far_jumps(self, vaddr):
        return self.jumps(vaddr)[0]

    def read_jumps(self, vaddr):
        start, code = self.code(vaddr)
        targets, indirect = set(), False
        for i, word in enumerate(array.array('I', code[:len(code) // 4 * 4])):
            if word >> 26 == 0x05:
                # b
                distance = signed(word, 0, 26)
            elif word >> 24 == 0x54 or word & 0x7e000000 == 0x34000000:
                # b.cond, cbz, cbnz
                distance = signed(word, 5, 19)
            elif word & 0x7e000000 == 0x36000000:
                # tbz, tbnz
                distance = signed(word, 5, 14)
            else:
                # br, braa and the like
                indirect |= word & 0xfffffc1f == 0xd61f0000 or word & 0xfefff800 == 0xd61f0800
                continue
            target = start + 4 * i + distance
            if not start <= target < start + len(code):
                targets.add(target)
        return targets, indirect
