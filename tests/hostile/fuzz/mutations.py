"""Ways to damage the bytes of a file, each told by a few small numbers, so that hypothesis can make them smaller."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from hypothesis import strategies as st

__all__ = ['EDITS', 'edited']

Edit = tuple[str, float, float, int]

# Sizes and offsets that readers trip over.
NUMBERS = [0, 1, 2, 3, 7, 8, 63, 64, 255, 256, 65535, 65536]
NUMBERS += [2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1, 2**32, 2**53, 2**62 + 1, 2**63 - 1, 2**63, 2**64 - 1]
TOKENS = [b'true', b'false', b'null', b'NaN', b'-1', b'1e400', b'0.5', b'[', b']', b'{', b'}', b'"', b',', b'\\u0000']
TOKENS += [b'[' * 3000, b'"\\ud800"', b'../', b'\x00', b'\xff', b'|O', b'<U4000000000', b'F64', b'BF16', b'bfloat16']
TOKENS += [
    b'int4',
    b'bool',
    b'\xef\xbb\xbf',
    b"'shape'",
    b'"shape"',
    b'"data_offsets"',
    b'__crossdock__',
    b'N.',
    b'(1,)',
]
WORD = re.compile(rb'[A-Za-z_][A-Za-z_0-9]{2,}')
DIGITS = re.compile(rb'\d+')


def flip(data: bytearray, at: int, other: int, n: int) -> None:
    if data:
        data[at] ^= 1 << n % 8


def put_byte(data: bytearray, at: int, other: int, n: int) -> None:
    if data:
        data[at] = n % 256


def put_number(data: bytearray, at: int, other: int, n: int) -> None:
    form, bits = [('<H', 16), ('<I', 32), ('<Q', 64), ('>I', 32)][n % 4]
    raw = struct.pack(form, NUMBERS[n // 4 % len(NUMBERS)] % 2**bits)
    data[at : at + len(raw)] = raw[: len(data) - at]


def add_to_number(data: bytearray, at: int, other: int, n: int) -> None:
    width = [2, 4, 8][n % 3]
    if at + width <= len(data):
        value = int.from_bytes(data[at : at + width], 'little') + n // 3 % 33 - 16
        data[at : at + width] = (value % 256**width).to_bytes(width, 'little')


def cut(data: bytearray, at: int, other: int, n: int) -> None:
    del data[at:]


def remove(data: bytearray, at: int, other: int, n: int) -> None:
    del data[at : at + 1 + n % 64]


def insert(data: bytearray, at: int, other: int, n: int) -> None:
    data[at:at] = bytes([n % 256]) * (1 + n % 37)


def repeat(data: bytearray, at: int, other: int, n: int) -> None:
    """A range once more, elsewhere."""
    data[other:other] = data[at : at + 1 + n % 200]


def swap(data: bytearray, at: int, other: int, n: int) -> None:
    """Two ranges that change places."""
    size = 1 + n % 50
    low, high = sorted((at, other))
    if low + size <= high:
        data[low : low + size], data[high : high + size] = data[high : high + size], data[low : low + size]


def put_token(data: bytearray, at: int, other: int, n: int) -> None:
    """A word of the text in the file that becomes another one."""
    words = list(WORD.finditer(data))
    if words:
        word = words[at * len(words) // max(1, len(data))]
        data[word.start() : word.end()] = TOKENS[n % len(TOKENS)]


def insert_token(data: bytearray, at: int, other: int, n: int) -> None:
    data[at:at] = TOKENS[n % len(TOKENS)]


def put_digits(data: bytearray, at: int, other: int, n: int) -> None:
    """A number written in digits that becomes another one, of the same length where that is asked for."""
    runs = list(DIGITS.finditer(data))
    if runs:
        run = runs[at * len(runs) // max(1, len(data))]
        text = str(NUMBERS[n % len(NUMBERS)]).encode()
        data[run.start() : run.end()] = text[-len(run[0]) :].rjust(len(run[0]), b'0') if n % 2 else text


KINDS: dict[str, Callable[[bytearray, int, int, int], None]] = {
    f.__name__: f
    for f in (
        *(flip, put_byte, put_number, add_to_number, cut, remove),
        *(insert, repeat, swap, put_token, insert_token, put_digits),
    )
}

_place = st.floats(0, 1, exclude_max=True, width=32)
EDITS = st.lists(st.tuples(st.sampled_from(list(KINDS)), _place, _place, st.integers(0, 2**16)), min_size=1, max_size=5)


def edited(data: bytes, edits: list[Edit]) -> bytes:
    """The bytes after the edits, one after the other."""
    out = bytearray(data)
    for kind, at, other, n in edits:
        KINDS[kind](out, int(at * len(out)), int(other * len(out)), n)
    return bytes(out)
