"""All functions of the namespace and of its extensions, by dotted name, and the rows that call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import crossdock.core as cx

from .linear import LINEAR
from .table import TABLE

ROWS = TABLE | LINEAR


def public() -> dict[str, Callable[..., Any]]:
    found = {name: getattr(cx, name) for name in cx.__all__}
    for extension in ('linalg', 'fft'):
        module = getattr(cx, extension, None)
        found |= {f'{extension}.{name}': getattr(module, name) for name in getattr(module, '__all__', ())}
    return {name: thing for name, thing in found.items() if callable(thing) and not isinstance(thing, cx.dtype)}


FUNCTIONS = public()
