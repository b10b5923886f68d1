"""The header of a safetensors file, read by a grammar of its own: no more JSON than the format has.

Nothing nests in it beyond the three levels that are known, and nothing is built from it before it fits the grammar, so
that a header of many megabytes costs no more than what it says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from .._path import fault_of_path, shown
from .._unreadable import Unsupported
from ._tensor_types import Storage, TypeFault, size_of

__all__ = ['MAX_NBYTES', 'ALIGNMENT', 'Tensor', 'Header', 'HeaderError', 'read_header', 'write_header', 'check_layout']

MAX_NBYTES = 100_000_000
ALIGNMENT = 8

_METADATA = '__metadata__'
_MAX_AXES = 65  # one more than NumPy has, which text needs
_BLANK = re.compile(r'[ \t\n\r]*')
_FIELD = re.compile(
    r"""[ \t\n\r]* "(?P<name>dtype|shape|data_offsets)" [ \t\n\r]* : [ \t\n\r]*
    (?: "(?P<text>[^"\\]*)" | \[ (?P<list>[^\[\]{}"]*) \] )
    [ \t\n\r]* (?P<end>[,}])""",
    re.VERBOSE,
)
_SIZE = re.compile('0|[1-9][0-9]{0,19}')


class HeaderError(ValueError):
    """A header that is not one; the text is the reason, `key` the tensor that it is about, if any."""

    def __init__(self, reason: str, key: str | None = None) -> None:
        super().__init__(reason)
        self.key = key


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor: its type and shape as the file has them, and where its data lies behind the header."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Header:
    """What a header says, in its order."""

    tensors: dict[str, Tensor] = field(default_factory=dict)
    metadata: dict[str, str] = field(default_factory=dict)


def write_header(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> bytes:
    """The length and the header, padded so that the data begins at a multiple of 8 bytes.

    Raises
    ------
    ValueError
        It would be larger than any reader accepts.
    """
    content: dict[str, object] = {_METADATA: dict(metadata)} if metadata else {}
    for key, t in tensors.items():
        content[key] = {'dtype': t.dtype, 'shape': t.shape, 'data_offsets': (t.begin, t.end)}
    body = json.dumps(content, ensure_ascii=False, separators=(',', ':')).encode()
    body += b' ' * (-len(body) % ALIGNMENT)
    if len(body) > MAX_NBYTES:
        raise ValueError(f'the keys and metadata take {len(body)} bytes; safetensors files have at most {MAX_NBYTES}')
    return len(body).to_bytes(8, 'little') + body


def read_header(data: bytes) -> Header:
    """Read what follows the length.

    Raises
    ------
    HeaderError
        It is not a header; names the key where there is one.
    """
    if not data.startswith(b'{'):
        raise HeaderError(f'its header does not begin with a brace, but with {data[:8]!r}')
    try:
        scan = _Scan(data.decode('utf-8'))
    except UnicodeDecodeError as error:
        raise HeaderError('its header is not UTF-8') from error
    header = Header()
    seen: set[str] = set()

    def member(key: str) -> None:
        if key in seen:
            raise HeaderError('appears twice', key)
        seen.add(key)
        if key == _METADATA:
            scan.pairs(lambda name: _put(header.metadata, name, scan.string()))
        else:
            why = fault_of_path(key)
            if why:
                raise HeaderError(f'is no key: {why}', key)
            header.tensors[key] = _tensor(scan, key)

    scan.pairs(member)
    scan.finish()
    return header


def check_layout(tensors: Mapping[str, Tensor], nbytes: int) -> None:
    """Compare sizes and places of all tensors with each other and with the `nbytes` bytes after the header.

    The size of a tensor whose type is not known is believed.

    Raises
    ------
    HeaderError
        A size that is not that of the shape, an overlap, a hole, data outside the file or bytes that belong to nobody.
    """
    for key, t in tensors.items():
        if t.begin > t.end:
            raise HeaderError(f'its data_offsets are reversed: [{t.begin}, {t.end}]', key)
        try:
            size = size_of(Storage(t.dtype, t.shape))
        except Unsupported:
            continue
        except TypeFault as error:
            raise HeaderError(str(error), key) from error
        if size != t.end - t.begin:
            given = f'its data_offsets give {t.end - t.begin}'
            raise HeaderError(f'{t.dtype} of shape {_listed(t.shape)} takes {size} bytes; {given}', key)
    at, before = 0, ''
    for key, t in sorted(tensors.items(), key=lambda row: (row[1].begin, row[1].end)):
        if t.begin < at:
            raise HeaderError(f'overlaps {shown(before)}', key)
        if t.begin > at:
            raise HeaderError(f'{t.begin - at} bytes before it belong to nobody', key)
        if t.end > nbytes:
            raise HeaderError(f'says that its data ends at byte {t.end}; {nbytes} bytes are in the file', key)
        at, before = t.end, key
    if at < nbytes:
        raise HeaderError(f'{nbytes - at} bytes after the data belong to nobody')


class _Scan:
    """A position in the text of a header."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._decode = json.JSONDecoder().raw_decode

    def pairs(self, member: Callable[[str], None]) -> None:
        """Read an object; `member` is called at the value of each key and reads it."""
        self.need('{')
        if self.take('}'):
            return
        while True:
            key = self.string()
            self.need(':')
            member(key)
            if self.take('}'):
                return
            self.need(',')

    def skip(self) -> None:
        """Step over blanks."""
        match = _BLANK.match(self.text, self.at)
        assert match is not None
        self.at = match.end()

    def take(self, char: str) -> bool:
        """Step over blanks, and over `char` if it comes next."""
        self.skip()
        if not self.text.startswith(char, self.at):
            return False
        self.at += 1
        return True

    def need(self, char: str, key: str | None = None) -> None:
        """Step over `char`, which has to come next; `key` is the tensor, if it is one's."""
        if not self.take(char):
            raise HeaderError(f'its header has {self.ahead()} where {char!r} should be', key)

    def string(self) -> str:
        """Read a string."""
        if not self.take('"'):
            raise HeaderError(f'its header has {self.ahead()} where a string should be')
        try:
            value, self.at = self._decode(self.text, self.at - 1)
            if not value.isascii():
                value.encode()
        except json.JSONDecodeError as error:
            raise HeaderError(f'its header has no proper string at {self.ahead()}: {error.msg}') from error
        except UnicodeEncodeError as error:
            raise HeaderError(f'its header has a string that is not Unicode text: {shown(value)}') from error
        return str(value)

    def finish(self) -> None:
        """Nothing but blanks may follow."""
        self.skip()
        if self.at < len(self.text):
            raise HeaderError(f'its header goes on after its end: {self.ahead()}')

    def ahead(self) -> str:
        """What comes next, for messages."""
        return repr(self.text[self.at : self.at + 40]) if self.at < len(self.text) else 'its end'


def _put(metadata: dict[str, str], name: str, value: str) -> None:
    if name in metadata:
        raise HeaderError(f'its metadata has {shown(name)} twice', _METADATA)
    metadata[name] = value


def _tensor(scan: _Scan, key: str) -> Tensor:
    scan.need('{', key)
    found: dict[str, str] = {}
    while True:
        match = _FIELD.match(scan.text, scan.at)
        if match is None:
            raise HeaderError(f'its header has {scan.ahead()} where dtype, shape or data_offsets should be', key)
        name = match['name']
        if name in found:
            raise HeaderError(f'its header has {name} twice', key)
        value = match['text' if name == 'dtype' else 'list']
        if value is None:
            raise HeaderError(f'its header has no proper {name}: {scan.ahead()}', key)
        found[name] = value
        scan.at = match.end()
        if match['end'] == '}':
            break
    if len(found) != 3:
        raise HeaderError(f'its header lacks {sorted({"dtype", "shape", "data_offsets"} - set(found))}', key)
    offsets = _sizes(found['data_offsets'], 'data_offsets', key)
    if len(offsets) != 2:
        raise HeaderError(f'its data_offsets are not two: {list(offsets[:8])}', key)
    return Tensor(found['dtype'], _sizes(found['shape'], 'shape', key), *offsets)


def _sizes(text: str, what: str, key: str) -> tuple[int, ...]:
    if text.count(',') >= _MAX_AXES:
        raise HeaderError(f'its {what} has {text.count(",") + 1} numbers; at most {_MAX_AXES - 1} are accepted', key)
    parts = [part.strip(' \t\n\r') for part in text.split(',')]
    if parts == ['']:
        return ()
    if not all(map(_SIZE.fullmatch, parts)):
        raise HeaderError(f'its {what} is not a list of sizes: {text[:60]!r}', key)
    return tuple(map(int, parts))


def _listed(shape: Iterable[int]) -> str:
    text = str(list(shape))
    return text if len(text) <= 80 else f'{text[:70]}...]'
