"""Checksums in the metadata of a safetensors file: one CRC-32 of what the header says, one of each tensor's bytes.

They stand in one string of hexadecimal digits, eight for each: the header's first, then the tensors' by ascending name.
The header's is taken of its meaning, not of its bytes, so that a program may write the header anew in its own way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from .._checksum import crc32
from .._path import RESERVED
from ._tensor_header import Tensor

__all__ = ['KEY', 'encode_sums', 'decode_sums', 'sum_of_header']

KEY = RESERVED + '.crc32'

_DIGITS = re.compile('(?:[0-9a-f]{8})+')


def sum_of_header(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> int:
    """CRC-32 of names, types, shapes and all metadata but the checksums.

    It is that of the UTF-8 JSON ``[[[name, dtype, shape], ...], [[key, value], ...]]``, both lists sorted, no blanks.
    """
    rows = [(key, tensors[key].dtype, tensors[key].shape) for key in sorted(tensors)]
    text = json.dumps([rows, sorted(metadata.items())], ensure_ascii=False, separators=(',', ':'))
    return crc32(text.encode())


def encode_sums(of_header: int, sums: Mapping[str, int]) -> str:
    """The text for the metadata."""
    return f'{of_header:08x}' + ''.join(f'{sums[key]:08x}' for key in sorted(sums))


def decode_sums(text: str, keys: Iterable[str]) -> dict[str, int] | None:
    """The checksum of each key, the header's under ``''``; None if the text is not what `encode_sums` writes."""
    names = ['', *sorted(keys)]
    if len(text) != 8 * len(names) or not _DIGITS.fullmatch(text):
        return None
    return {name: int(text[8 * i : 8 * i + 8], 16) for i, name in enumerate(names)}
