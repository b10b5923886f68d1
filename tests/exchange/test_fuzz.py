"""Arrays of any shape and layout on a walk through libraries: the values arrive, or the plan had said why not."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import crossdock as xd
from crossdock import errors

from ..accelerator import FIRST


def _works(spec):
    try:
        xd.get_device(spec).send(np.float32(0))
    except errors.DeviceUnavailableError:
        return False
    return True


SPECS = [spec for spec in ('@numpy', 'native:0', FIRST, '@torch:cpu', '@jax:0') if _works(spec)]
DTYPES = ('bool', 'int8', 'uint16', 'int32', 'float16', 'float32', 'complex64', 'bfloat16')


@st.composite
def views(draw):
    """A view of an array: sliced, reversed, transposed, broadcast, read-only."""
    import ml_dtypes

    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    dtype = draw(st.sampled_from(DTYPES))
    size = int(np.prod(shape))
    base = (np.arange(size) % 7 - 3).astype(getattr(ml_dtypes, dtype, dtype)).reshape(shape)
    if shape:
        base = np.asarray(base[draw(hnp.basic_indices(shape, allow_newaxis=True))])
        base = base.transpose(draw(st.permutations(range(base.ndim))))
    if draw(st.booleans()):
        base = np.broadcast_to(base, (draw(st.integers(0, 3)), *base.shape))
    if draw(st.booleans()):
        base = base.view()
        base.flags.writeable = False
    return base


@given(views(), st.lists(st.sampled_from(SPECS), min_size=1, max_size=4), st.sampled_from([None, True, False]))
@settings(max_examples=150, deadline=None)
def test_a_walk(view, walk, copy):
    want = view.tobytes()
    x = view
    for spec in walk:
        device = xd.get_device(spec)
        refused = None
        try:
            plan = xd.plan(x, device, copy=copy)
        except errors.CopyRequiredError as error:
            refused = error
        if refused is not None:
            assert copy is False and not refused.plan.zero_copy and refused.plan.refused
            plan, copy = refused.plan, None
        source = device.send(x, copy=copy)
        facts = device._backend.facts(source)
        assert (facts.shape, facts.dtype) == (view.shape, view.dtype)
        assert plan.zero_copy is (plan.route in ('alias', 'same object'))
        if plan.zero_copy:
            assert not plan.source.readonly or facts.readonly
            assert not view.size or np.may_share_memory(xd.to_numpy(source), xd.to_numpy(x)) or spec == FIRST
        elif not device._place.immutable:
            assert not facts.readonly
        x = source
        assert np.ascontiguousarray(xd.to_numpy(x)).tobytes() == want
