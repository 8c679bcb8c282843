#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""turn_recording.py FROM TO: a perf.data file as a machine of the other byte order writes it.

By the comments of linux/perf_event.h and tools/perf/Documentation/perf.data-file-format.txt,
and with nothing of the tool's reader, which is tested with what comes out.  Raw data of
tracepoints are turned by their formats, copies of stacks word by word.  What is not known here
is an error, so that nothing is left unturned unseen.
"""
import itertools
import re
import struct
import subprocess
import sys

MAGIC = 0x32454c4946524550
(MMAP, LOST, COMM, EXIT, THROTTLE, UNTHROTTLE, FORK, READ, SAMPLE, MMAP2, AUX, ITRACE_START,
 LOST_SAMPLES, SWITCH, SWITCH_CPU_WIDE, NAMESPACES, KSYMBOL, BPF_EVENT, CGROUP, TEXT_POKE,
 AUX_OUTPUT_HW_ID, CALLCHAIN_DEFERRED) = range(1, 23)
(ATTR, EVENT_TYPE, TRACING, BUILD_ID, FINISHED_ROUND, ID_INDEX, AUXTRACE_INFO, AUXTRACE,
 AUXTRACE_ERROR, THREAD_MAP, CPU_MAP, STAT_CONFIG, STAT, STAT_ROUND, UPDATE, TIME_CONV,
 FEATURE, COMPRESSED, FINISHED_INIT, COMPRESSED2) = range(64, 84)
# Numbers of a record behind its header; text or bytes follow, or nothing.
FIXED = {
    MMAP: 'IIQQQ', LOST: 'QQ', COMM: 'II', EXIT: 'IIIIQ', THROTTLE: 'QQQ', UNTHROTTLE: 'QQQ',
    FORK: 'IIIIQ', AUX: 'QQQ', ITRACE_START: 'II', LOST_SAMPLES: 'Q', SWITCH: '',
    SWITCH_CPU_WIDE: 'II', KSYMBOL: 'QIHH', BPF_EVENT: 'HHI', CGROUP: 'Q', TEXT_POKE: 'QHH',
    AUX_OUTPUT_HW_ID: 'Q', AUXTRACE: 'QQQIIII', FINISHED_ROUND: '', FINISHED_INIT: '',
    BUILD_ID: 'i', TRACING: 'I', STAT_ROUND: 'QQ', TIME_CONV: 'QQQQQBB6x',
}
MISC_BUILD_ID = 1 << 14
TRACEPOINT = 2
ATTR_FIELDS = 'II QQQQ F II QQQQ Ii Q IHH II QQQ'.replace(' ', '')
SIZES = {'Q': 8, 'I': 4, 'i': 4, 'H': 2, 'F': 8}
FLAG_WIDTHS = [1] * 15 + [2] + [1] * 47
BRANCH_WIDTHS = [1, 1, 1, 1, 16, 4, 2, 4, 3, 31]
IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM, CPU, PERIOD = (
    1 << n for n in (16, 0, 1, 2, 3, 6, 9, 7, 8))
# Features by number.
TEXTS, NRCPUS, CMDLINE, EVENT_DESC, SAMPLE_TIME = (3, 4, 5, 6, 8, 9), 7, 11, 12, 21
# Of these the reader has no use.
IGNORED = {10, *range(13, 21), *range(22, 256)}


class Turner:
    """Takes fields from the front of bytes, and puts them in the other order."""

    def __init__(self, data, big):
        self.data, self.at, self.out = data, 0, bytearray()
        self.big = big
        self.orders = ('>', '<') if big else ('<', '>')

    @property
    def left(self):
        return len(self.data) - self.at

    def take(self, size):
        if size > self.left:
            raise ValueError(f'{size} bytes, of which {self.left} are there')
        self.at += size
        return self.data[self.at - size:self.at]

    def turn(self, fields):
        source, target = (order + fields for order in self.orders)
        values = struct.unpack(source, self.take(struct.calcsize(source)))
        self.out += struct.pack(target, *values)
        return values

    def one(self, field='Q'):
        return self.turn(field)[0]

    def keep(self, size=None):
        data = self.take(self.left if size is None else size)
        self.out += data
        return data

    def bits(self, widths):
        """A word of bit fields, the first of which is lowest where the lowest byte is first."""
        text = f'{struct.unpack(self.orders[0] + "Q", self.take(8))[0]:064b}'
        if self.big:
            ends = [0] + list(itertools.accumulate(widths))
            fields = [text[a:b] for a, b in zip(ends, ends[1:])]
            text = ''.join(reversed(fields))
        else:
            ends = [64 - at for at in [0] + list(itertools.accumulate(widths))]
            text = ''.join(text[b:a] for a, b in zip(ends, ends[1:]))
        self.out += struct.pack(self.orders[1] + 'Q', int(text, 2))

    def text(self):
        return self.keep(self.one('I'))

    def inner(self, data):
        return Turner(data, self.big)


class Format:
    """Of a tracepoint: where its hits have numbers, and of how many bytes these are."""

    def __init__(self, text):
        self.id = int(re.search(r'^ID: (\d+)$', text, re.M)[1])
        self.numbers = []
        for field, offset, size in re.findall(
                r'field:([^;]+);\s*offset:(\d+);\s*size:(\d+);', text):
            offset, size = int(offset), int(size)
            many = re.search(r'\[(\d*)\]$', field)
            if '__data_loc' in field or '__rel_loc' in field:
                if ' char' not in field:
                    raise ValueError(field)
                many = None
            elif many and re.search(r'\b(char|u8|__u8|uint8_t)\b', field):
                continue
            one = size // int(many[1]) if many else size
            self.numbers += [(at, one) for at in range(offset, offset + size, one)]

    def turn(self, data):
        out = bytearray(data)
        for at, size in self.numbers:
            out[at:at + size] = reversed(data[at:at + size])
        return out


def bits(number):
    return bin(number).count('1')


class Attr:
    """The attributes of an event: what says how its records look."""

    def __init__(self, data, order):
        def at(offset, field='Q'):
            size = struct.calcsize(field)
            return struct.unpack(order + field, data[offset:offset + size])[0] \
                if offset + size <= len(data) else 0

        self.type, self.config = at(0, 'I'), at(8)
        self.sample_type, self.read_format, flags = at(24), at(32), at(40)
        self.id_all = bool(flags >> (18 if order == '<' else 63 - 18) & 1)
        self.branches, self.regs_user, self.regs_intr = at(72), at(80), at(96)


def turn_attr(turner, size):
    """Return: the attributes."""
    data = turner.take(size)
    inner = turner.inner(data)
    for field in ATTR_FIELDS:
        if inner.left < SIZES[field]:
            break
        if field == 'F':
            inner.bits(FLAG_WIDTHS)
        else:
            inner.turn(field)
    if inner.left:
        raise ValueError(f'attributes of {size} bytes')
    turner.out += inner.out
    return Attr(data, turner.orders[0])


def turn_read(turner, attr):
    """struct read_format"""
    form = attr.read_format
    each, times = 1 + bits(form & 0x14), bits(form & 3)
    if form & 8:
        turner.turn(f'{times + each * turner.one()}Q')
    else:
        turner.turn(f'{times + each}Q')


def turn_branches(turner, attr):
    number = turner.one()
    if attr.branches & 1 << 17:
        turner.one()
    for _ in range(number):
        turner.turn('QQ')
        turner.bits(BRANCH_WIDTHS)
    if attr.branches & 1 << 19:
        turner.turn(f'{number}Q')


def turn_regs(turner, mask):
    if turner.one():
        turner.turn(f'{bits(mask)}Q')


def turn_stack(turner):
    """Words are at multiples of 8, as the stack pointer is."""
    size = turner.one()
    if size:
        turner.turn(f'{size // 8}Q')
        turner.keep(size % 8)
        turner.one()


def turn_raw(turner, attr, formats):
    size = turner.one('I')
    data = turner.take(size)
    if attr.type == TRACEPOINT and attr.config in formats:
        data = formats[attr.config].turn(data)
    turner.out += data


def turn_sample(turner, attr, formats):
    """struct { } of PERF_RECORD_SAMPLE"""
    def word():
        turner.one()

    def pair():
        turner.turn('II')

    for bit, turn in (
            (IDENTIFIER, word), (IP, word), (TID, pair), (TIME, word), (ADDR, word), (ID, word),
            (STREAM, word), (CPU, pair), (PERIOD, word),
            (1 << 4, lambda: turn_read(turner, attr)),
            (1 << 5, lambda: turner.turn(f'{turner.one()}Q')),
            (1 << 10, lambda: turn_raw(turner, attr, formats)),
            (1 << 11, lambda: turn_branches(turner, attr)),
            (1 << 12, lambda: turn_regs(turner, attr.regs_user)),
            (1 << 13, lambda: turn_stack(turner)),
            (1 << 14, word), (1 << 24, word), (1 << 15, word), (1 << 17, word),
            (1 << 18, lambda: turn_regs(turner, attr.regs_intr)),
            (1 << 19, word), (1 << 21, word), (1 << 22, word), (1 << 23, word),
            (1 << 20, lambda: turner.keep(turner.one()))):
        if attr.sample_type & bit:
            turn()


def turn_trailer(turner, attr):
    """struct sample_id"""
    for bit, fields in ((TID, 'II'), (TIME, 'Q'), (ID, 'Q'), (STREAM, 'Q'), (CPU, 'II'),
                        (IDENTIFIER, 'Q')):
        if attr.sample_type & bit:
            turner.turn(fields)


class Recording:
    """A file, whose events are known as far as it was turned."""

    def __init__(self, data):
        if len(data) < 16 or struct.unpack('<Q', data[:8])[0] != MAGIC != \
                struct.unpack('>Q', data[:8])[0]:
            raise ValueError('no perf.data file')
        self.data = data
        self.big = struct.unpack('>Q', data[:8])[0] == MAGIC
        self.attrs, self.ids = [], {}
        self.packed = b''
        self.formats = {}

    def turner(self, data):
        return Turner(data, self.big)

    def number(self, field, data, at):
        size = struct.calcsize('<' + field)
        return struct.unpack('<>'[self.big] + field, data[at:at + size])[0]

    def attr_of(self, kind, body):
        """The first event says where IDs are."""
        first = self.attrs[0]
        if kind == SAMPLE:
            if first.sample_type & IDENTIFIER:
                at = 0
            elif first.sample_type & ID:
                at = 8 * bits(first.sample_type & (IP | TID | TIME | ADDR))
            else:
                return first
        elif not first.id_all:
            return first
        elif first.sample_type & IDENTIFIER:
            at = len(body) - 8
        elif first.sample_type & ID:
            at = len(body) - 8 - 8 * bits(first.sample_type & (STREAM | CPU))
        else:
            return first
        return self.ids.get(self.number('Q', body, at), first)

    def trailer_size(self, attr):
        if not attr.id_all:
            return 0
        return 8 * bits(attr.sample_type & (TID | TIME | ID | STREAM | CPU | IDENTIFIER))

    def turn_body(self, kind, misc, body):
        """Of a record that the kernel writes, or that looks so."""
        turner = self.turner(body)
        attr = self.attr_of(kind, body)
        if kind == SAMPLE:
            turn_sample(turner, attr, self.formats)
            turner.keep()
            return turner.out
        size = len(body) - self.trailer_size(attr)
        own = turner.inner(body[:size])
        if kind == MMAP2:
            own.turn('IIQQQ')
            if misc & MISC_BUILD_ID:
                own.keep(24)
            else:
                own.turn('IIQQ')
            own.turn('II')
        elif kind == READ:
            own.turn('II')
            turn_read(own, attr)
        elif kind == NAMESPACES:
            own.turn('II')
            own.turn(f'{2 * own.one()}Q')
        elif kind == CALLCHAIN_DEFERRED:
            own.one()
            own.turn(f'{own.one()}Q')
        else:
            own.turn(FIXED[kind])
        own.keep()
        trailer = turner.inner(body[size:])
        if size < len(body):
            turn_trailer(trailer, attr)
        return own.out + trailer.out

    def turn_attr_record(self, turner):
        attr = turn_attr(turner, self.number('I', turner.data, 4))
        self.attrs.append(attr)
        while turner.left:
            self.ids.setdefault(turner.one(), attr)

    def turn_file_record(self, kind, body):
        """Of a record that only files have."""
        turner = self.turner(body)
        if kind == ATTR:
            self.turn_attr_record(turner)
        elif kind == UPDATE:
            if turner.turn('QQ')[0] != 2:
                turner.turn(f'{turner.left // 8}Q')
        elif kind == FEATURE:
            number = turner.one()
            turner.out += self.turn_feature(number, turner.take(turner.left))
        elif kind == ID_INDEX:
            turner.turn(f'{turner.left // 8}Q')
        elif kind == THREAD_MAP:
            for _ in range(turner.one()):
                turner.one()
                turner.keep(16)
        elif kind != CPU_MAP and kind <= COMPRESSED2:
            # those, and later ones, the reader passes over
            turner.turn(FIXED[kind])
        turner.keep()
        return turner.out

    def turn_records(self, data):
        at, out = 0, bytearray()
        while at < len(data):
            head = self.turner(data[at:at + 8])
            kind, misc, size = head.turn('IHH')
            body = data[at + 8:at + size]
            at += size
            if kind in (COMPRESSED, COMPRESSED2):
                self.packed += body if kind == COMPRESSED else \
                    body[8:8 + self.number('Q', body, 0)]
                continue
            new = self.turn_body(kind, misc, body) if kind < 64 else \
                self.turn_file_record(kind, body)
            out += head.out + new
            if kind == TRACING:
                more = (self.number('I', body, 0) + 7) // 8 * 8
                out += self.turn_formats(data[at:at + more])
                at += more
        return out

    def turn_formats(self, data):
        """TRACING_DATA, as tools/perf/util/trace-event-info.c writes it."""
        turner = self.turner(data)

        def text():
            end = turner.data.index(b'\0', turner.at) + 1
            turner.keep(end - turner.at)

        def file():
            return turner.keep(turner.one())

        turner.keep(10)
        text()
        turner.out.append(1 - turner.take(1)[0])
        turner.keep(1)
        turner.one('I')
        for _ in range(2):
            text()
            file()
        for _ in range(turner.one('I')):
            file()
        for _ in range(turner.one('I')):
            text()
            for _ in range(turner.one('I')):
                form = Format(file().decode())
                self.formats[form.id] = form
        turner.text()
        turner.text()
        if turner.left >= 8:
            file()
        turner.keep()
        return turner.out

    def turn_packed(self):
        """The stream is unpacked, turned, and packed again, in records as large as they can be."""
        # perf does not end the stream: an empty block that says that it is the last one
        plain = subprocess.run(['zstd', '-dcq'], input=self.packed + b'\1\0\0', check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        packed = subprocess.run(['zstd', '-cq'], input=bytes(self.turn_records(plain)), check=True,
                                stdout=subprocess.PIPE).stdout
        out = bytearray()
        for at in range(0, len(packed), 60000):
            piece = packed[at:at + 60000]
            out += struct.pack('<>'[not self.big] + 'IHH', COMPRESSED, 0, 8 + len(piece)) + piece
        return out

    def turn_data(self, data):
        out = self.turn_records(data)
        return out + self.turn_packed() if self.packed else out

    def turn_feature(self, number, data):
        turner = self.turner(data)
        if number in TEXTS:
            turner.text()
        elif number == NRCPUS:
            turner.turn('II')
        elif number == CMDLINE:
            for _ in range(turner.one('I')):
                turner.text()
        elif number == EVENT_DESC:
            count, size = turner.turn('II')
            for _ in range(count):
                turn_attr(turner, size)
                ids = turner.one('I')
                turner.text()
                turner.turn(f'{ids}Q')
        elif number == SAMPLE_TIME:
            turner.turn('QQ')
        elif number == 2:
            while turner.left:
                size = turner.turn('IHH')[2]
                turner.turn('i')
                turner.keep(size - 12)
        elif number == 1:
            return self.turn_formats(data)
        elif number not in IGNORED:
            raise ValueError(f'feature {number}')
        turner.keep()
        return turner.out

    def turn_header(self):
        """Return: its fields, and where attributes, IDs, data and features are."""
        turner = self.turner(self.data[:104])
        fields = turner.turn('13Q')
        return turner.out, fields

    def find_formats(self, end, bitmap):
        """They stand behind what they are needed for.  Their table begins with the lowest number."""
        if bitmap[0] & 2:
            offset, size = (self.number('Q', self.data, end + at) for at in (0, 8))
            self.turn_formats(self.data[offset:offset + size])

    def turn_in_place(self, out, at, size, turn):
        turner = self.turner(self.data[at:at + size])
        turn(turner)
        out[at:at + size] = turner.out

    def turn_attrs(self, out, at, size, entry):
        for one in range(at, at + size, entry):
            turner = self.turner(self.data[one:one + entry])
            attr = turn_attr(turner, entry - 16)
            offset, ids = turner.turn('QQ')
            self.attrs.append(attr)
            out[one:one + entry] = turner.out
            self.turn_in_place(out, offset, ids, lambda turner: turner.turn(f'{turner.left // 8}Q'))
            for i in range(offset, offset + ids, 8):
                self.ids.setdefault(self.number('Q', self.data, i), attr)

    def turn_features(self, end, bitmap):
        """Return: table and sections, which stand behind the data as they did, and where they end."""
        numbers = [i for i in range(256) if bitmap[i // 64] >> i % 64 & 1]
        table, sections = self.turner(self.data[end:end + 16 * len(numbers)]), {}
        last = end + 16 * len(numbers)
        for number in numbers:
            offset, size = table.turn('QQ')
            sections[offset] = self.turn_feature(number, self.data[offset:offset + size])
            last = max(last, offset + size)
        out = bytearray(self.data[end:last])
        out[:len(table.out)] = table.out
        for offset, data in sections.items():
            out[offset - end:offset - end + len(data)] = data
        return out, last

    def turn_parts(self, data):
        """Ours, each in front of its size and what it is."""
        out = bytearray(data)
        end = len(data)
        while end >= 16 and data[end - 8:end - 3] in (b'LWKNA', b'LWUNA'):
            out[end - 16:end - 8] = reversed(data[end - 16:end - 8])
            end -= 16 + self.number('Q', data, end - 16)
        return out

    def move_features(self, tail, bitmap, by):
        """Their table says where they are in the file."""
        order = '<>'[not self.big] + 'QQ'
        for i in range(sum(bits(word) for word in bitmap)):
            offset, size = struct.unpack(order, tail[16 * i:16 * i + 16])
            tail[16 * i:16 * i + 16] = struct.pack(order, offset + by, size)

    def turn(self):
        if self.number('Q', self.data, 8) == 16:
            turner = self.turner(self.data[:16])
            turner.turn('QQ')
            return bytes(turner.out + self.turn_data(self.data[16:]))
        header, fields = self.turn_header()
        begin, size = fields[5], fields[6]
        out = bytearray(self.data[:begin])
        out[:len(header)] = header
        self.turn_attrs(out, fields[3], fields[4], fields[2])
        self.find_formats(begin + size, fields[9:13])
        records = self.turn_data(self.data[begin:begin + size])
        tail, last = self.turn_features(begin + size, fields[9:13])
        self.move_features(tail, fields[9:13], len(records) - size)
        out[48:56] = struct.pack('<>'[not self.big] + 'Q', len(records))
        return bytes(out + records + tail + self.turn_parts(self.data[last:]))


def main():
    with open(sys.argv[1], 'rb') as file:
        recording = Recording(file.read())
    with open(sys.argv[2], 'wb') as file:
        file.write(recording.turn())


if __name__ == '__main__':
    main()
