"""Plans are pure: facts in, a route and the reasons against the cheaper ones out. No library takes part here."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdock.errors import CopyRequiredError, DtypeError, GraphError
from crossdock.transfer import ArrayFacts, PlaceFacts, plan

HOST = PlaceFacts('@here', '', 'here', 'host')
OTHER_HOST = PlaceFacts('@other', '', 'other', 'host', keeps_readonly=False, negative_strides=False, odd_strides=False)
SECOND_HOST = PlaceFacts('@here:1', '1', 'here', 'host')
FAR = PlaceFacts('far:0', '0', 'far', 'far:0', dtypes=frozenset({'float32', 'int8', 'complex64'}))
FAR_TWIN = PlaceFacts('@twin:0', '0', 'twin', 'far:0')


def facts(place=HOST, shape=(3, 4), dtype='float32', strides=None, **more):
    dtype = np.dtype(dtype)
    return ArrayFacts(place, shape, dtype, strides or np.empty(shape, dtype).strides, **more)


@pytest.mark.parametrize(
    ('source', 'target', 'options', 'route'),
    [
        (facts(), HOST, {}, 'same object'),
        (facts(readonly=True), HOST, {}, 'same object'),
        (facts(graph=True), HOST, {}, 'same object'),
        (facts(foreign=True), HOST, {}, 'alias'),
        (facts(), SECOND_HOST, {}, 'alias'),
        (facts(), OTHER_HOST, {}, 'alias'),
        (facts(FAR), FAR_TWIN, {}, 'alias'),
        (facts(), HOST, {'copy': True}, 'device copy'),
        (facts(), HOST, {'dtype': np.dtype('int8')}, 'device copy'),
        (facts(readonly=True), OTHER_HOST, {}, 'device copy'),
        (facts(strides=(-16, 4)), OTHER_HOST, {}, 'device copy'),
        (facts(strides=(17, 5)), OTHER_HOST, {}, 'device copy'),
        (facts(shape=(1, 3), strides=(-17, 4)), OTHER_HOST, {}, 'alias'),
        (facts(shape=(0, 3), strides=(-17, 5)), OTHER_HOST, {}, 'alias'),
        (facts(), FAR, {}, 'copy'),
        (facts(FAR), HOST, {}, 'copy'),
    ],
)
def test_the_cheapest_route(source, target, options, route):
    made = plan(source, target, **options)
    assert made.route == route
    assert made.zero_copy == (route in ('same object', 'alias'))
    cheaper = ['same object', 'alias', 'device copy', 'peer copy', 'direct', 'copy']
    assert [refused for refused, _ in made.refused] == cheaper[: cheaper.index(route)]
    assert all(reason for _, reason in made.refused)


def test_bytes():
    made = plan(facts(), FAR)
    assert (made.nbytes_moved, made.nbytes_allocated) == (48, 48)
    narrowed = plan(facts(dtype='float64'), FAR, dtype=np.dtype('int8'))
    assert (narrowed.nbytes_moved, narrowed.nbytes_allocated) == (12, 12)
    widened = plan(facts(dtype='int8'), FAR, dtype=np.dtype('float32'))
    assert (widened.nbytes_moved, widened.nbytes_allocated) == (12, 48)
    assert plan(facts(), SECOND_HOST).nbytes_moved == plan(facts(), SECOND_HOST).nbytes_allocated == 0


def test_a_needed_copy_that_is_forbidden_carries_its_plan():
    # pytorch/pytorch#194267: a ValueError; the standard's word is BufferError
    with pytest.raises(BufferError) as caught:
        plan(facts(), FAR, copy=False)
    assert isinstance(caught.value, CopyRequiredError)
    assert caught.value.plan == plan(facts(), FAR)
    assert "cannot reach the memory 'host'" in str(caught.value)


def test_refusals():
    with pytest.raises(DtypeError, match=r'far:0 has no data type float64; it has complex64, float32, int8'):
        plan(facts(dtype='float64'), FAR)
    with pytest.raises(DtypeError, match='imaginary'):
        plan(facts(dtype='complex64'), FAR, dtype=np.dtype('float32'))
    assert plan(facts(dtype='complex64'), HOST, dtype=np.dtype('complex128')).route == 'device copy'
    for target in (OTHER_HOST, FAR, SECOND_HOST):
        with pytest.raises(GraphError, match='detach'):
            plan(facts(graph=True), target)


def test_prints():
    text = str(plan(facts(readonly=True), FAR, dtype=np.dtype('int8')))
    assert text.splitlines() == [
        'copy: @here -> far:0',
        '  array      shape=(3, 4), dtype=float32 -> int8, read-only',
        '  moved      12 bytes',
        '  allocated  12 bytes',
        "  no same object: far:0 cannot reach the memory 'host', only 'far:0'",
        "  no alias: far:0 cannot reach the memory 'host', only 'far:0'",
        "  no device copy: the memories 'host' and 'far:0' differ",
        '  no peer copy: @here and far:0 are no accelerators of one kind',
        '  no direct: nobody knows how far:0 reads pinned memory',
    ]


@settings(deadline=None)
@given(
    st.sampled_from([HOST, OTHER_HOST, SECOND_HOST, FAR, FAR_TWIN]),
    st.sampled_from([HOST, OTHER_HOST, SECOND_HOST, FAR, FAR_TWIN]),
    st.lists(st.tuples(st.integers(0, 3), st.integers(-9, 9)), max_size=3),
    st.booleans(),
    st.sampled_from([None, True]),
)
def test_a_view_never_loses_anything(source, target, axes, readonly, copy):
    made = plan(
        facts(source, tuple(a for a, _ in axes), strides=tuple(s for _, s in axes), readonly=readonly),
        target,
        copy=copy,
    )
    if made.zero_copy:
        assert source.physical == target.physical
        assert not copy
        if made.route == 'alias':
            assert target.keeps_readonly or not readonly
    else:
        assert made.nbytes_moved == made.source.nbytes
