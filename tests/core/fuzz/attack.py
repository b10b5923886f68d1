"""Call everything with junk in this process: ``python -X faulthandler -m attack DEVICE EXAMPLES [NAME]``.

A call may give a value, or raise an exception of ours, of the builtin kinds that say what was wrong, or of the junk
itself; afterwards the rightful arguments are what they were.
"""

from __future__ import annotations

import contextlib
import faulthandler
import sys
import warnings
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import AsyncDeviceError, CrossdockError

from ...accelerator import FIRST, SECOND
from .draws import Draw, operands_of, replaced
from .junk import BASES, HUGE, METHODS, RUBBISH, Boom, core_arrays, liar, numbers, others
from .names import FUNCTIONS, ROWS

BUILTIN = (TypeError, ValueError, IndexError, OverflowError, NotImplementedError, MemoryError, BufferError)
BUILTIN += (AttributeError, ZeroDivisionError, RecursionError, Boom)
LEFT_OUT = {'set_num_threads', 'Array', 'Device', 'dtype'}
# They read all of an array, which takes its time where it is huge; and their result may be small.
# Of the classes; `_set_limit` would let go of what keeps this process small.
NOT_CALLED = {'__class__', '__init_subclass__', '__subclasshook__', '__new__', '__dir__', '__getstate__', '_set_limit'}
KEYWORDS = ('axis', 'axes', 'dtype', 'device', 'copy', 'keepdims', 'k', 'endpoint', 'shape', 'min', 'max', 'stream')
KEYWORDS += ('max_version', 'dl_device', 'n', 'indexing', 'ord')
# They read all of an array before they know that there is no room for a result: a huge one takes its time.
EAGER = {'all', 'any', 'argmax', 'argmin', 'count_nonzero', 'matmul', 'max', 'mean', 'min', 'nonzero', 'prod', 'std'}
EAGER |= {'searchsorted', 'sum', 'take', 'tensordot', 'unstack', 'var', 'vecdot'}
EAGER |= {'unique_all', 'unique_counts', 'unique_inverse', 'unique_values'}
NUMBERS, OTHERS = numbers(), others()


def junk(d: Draw, arrays: list[cx.Array]) -> Any:
    which = d.int(0, 4)
    if which == 0:
        return d.of(NUMBERS)
    if which == 1:
        return d.of(OTHERS)
    if which == 2:
        return d.of(arrays)
    if which == 3:
        try:
            return liar(d.of(BASES), d.of(METHODS), d.of(RUBBISH), d.bool())
        except Exception:  # not all lies can be told
            return None
    inner = junk(d, arrays)
    return d.of(
        [
            lambda: [inner],
            lambda: (inner, inner),
            lambda: [[inner], [1]],
            lambda: {inner: 1} if inner is None else {'a': inner},
        ]
    )()


def spoil(d: Draw, args: list[Any], kwargs: dict[str, Any], arrays: list[cx.Array]) -> tuple[list[Any], dict[str, Any]]:
    args, kwargs = list(args), dict(kwargs)
    for _ in range(d.int(1, 2)):
        how = d.int(0, 9)
        if how < 6 and args:
            args[d.int(0, len(args) - 1)] = junk(d, arrays)
        elif how < 8 and kwargs:
            kwargs[d.of(sorted(kwargs))] = junk(d, arrays)
        elif how == 8:
            kwargs[d.of(KEYWORDS)] = junk(d, arrays)
        else:
            args.insert(d.int(0, len(args)), junk(d, arrays))
    return args, kwargs


def tried(function: Any, args: Any, kwargs: Any) -> None:
    try:
        result = function(*args, **kwargs)
        for one in result if isinstance(result, (tuple, list)) and len(result) < 100 else [result]:
            if isinstance(one, cx.Array) and max(one.size, *one.shape, 0) < 1000 and one.ndim < 20:
                repr(one)
                one.tolist()
    except BaseException as error:
        ordinary = isinstance(error, (CrossdockError, *BUILTIN)) and not isinstance(error, SystemError)
        if not ordinary or 'bad_cast' in str(error) or 'nanobind' in str(error):
            raise
    finally:
        settle()


def settle() -> None:
    """An accelerator tells a failure at the next wait: of what failed here, not elsewhere."""
    for spec in (FIRST, SECOND):
        with contextlib.suppress(AsyncDeviceError):
            cx.device(spec).synchronize()


def function_attacked(name: str, device: str, examples: int) -> None:
    row = ROWS.get(name)
    eager = name in EAGER or name.startswith(('linalg.', 'fft.'))
    arrays = core_arrays(device)

    @settings(deadline=None, max_examples=examples, database=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def attack(data: st.DataObject) -> None:
        d = Draw(data)
        args, kwargs = row.arguments(d) if row else ([], {})
        made = [(operand, operand.core(device)) for operand in operands_of([args, kwargs])]
        by_id = {id(operand): array for operand, array in made}
        args, kwargs = replaced((args, kwargs), lambda operand: by_id[id(operand)])
        args, kwargs = spoil(d, args, kwargs, arrays[: -HUGE if eager else None])
        tried(FUNCTIONS[name], args, kwargs)
        untouched(made)

    attack()


def methods_attacked(device: str, examples: int) -> None:
    @settings(deadline=None, max_examples=examples, database=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def attack(data: st.DataObject) -> None:
        d = Draw(data)
        arrays = core_arrays(device)[:-HUGE]
        x = d.of([*arrays, cx.device(device), cx.bfloat16])
        name = d.of(sorted(set(dir(x)) - NOT_CALLED))
        args = [junk(d, arrays) for _ in range(d.int(0, 3))]
        kwargs = {d.of(KEYWORDS): junk(d, arrays)} if d.int(0, 3) == 0 else {}
        tried(lambda *a, **k: getattr(x, name)(*a, **k), args, kwargs)

    attack()


def untouched(made: list[tuple[Any, cx.Array]]) -> None:
    for operand, array in made:
        now = exchange.as_numpy(array.to_device('native:0'))
        np.testing.assert_array_equal(now, operand.numpy(), err_msg='an argument has changed')


def main(device: str, examples: int, names: list[str]) -> None:
    faulthandler.enable()
    warnings.simplefilter('ignore')
    sys.set_int_max_str_digits(640)  # printing a huge integer is an error, as in a process that must not be slowed down
    for spec in ('native:0', 'native:1', FIRST, SECOND):
        cx.device(spec)._set_limit(1 << 28)
    for name in names or ['methods', *sorted(FUNCTIONS.keys() - LEFT_OUT)]:
        faulthandler.dump_traceback_later(60 + examples, exit=True)
        print(name, flush=True)
        if name == 'methods':
            methods_attacked(device, 20 * examples)
        else:
            function_attacked(name, device, examples)
    faulthandler.cancel_dump_traceback_later()
    for spec in ('native:0', FIRST, SECOND):
        cx.device(spec).synchronize()
    print('end')
