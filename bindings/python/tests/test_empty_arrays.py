"""The arrays for answers, separate or in one block of memory."""

import itertools

import numpy as np
import pytest
from hitscan import _arrays

DTYPES = (np.float64, np.float32, (np.float32, 2), np.bool_)
ROW = 8 + 4 + 8 + 1


# The first three numbers are too small for a block, and the last is too large.
@pytest.mark.parametrize(
    "n", [0, 1, 1000, -(-_arrays._MIN_BLOCK // ROW), 500_001, _arrays._MAX_BLOCK // ROW + 1]
)
def test_arrays_have_their_shapes_and_share_no_byte(n):
    arrays = _arrays.empty_arrays("the answers", n, *DTYPES)
    assert [(array.shape, array.dtype) for array in arrays] == [
        ((n,), np.float64),
        ((n,), np.float32),
        ((n, 2), np.float32),
        ((n,), np.bool_),
    ]
    for array in arrays:
        assert array.flags.c_contiguous and array.flags.aligned and array.flags.writeable
    spans = sorted((array.ctypes.data, array.ctypes.data + array.nbytes) for array in arrays)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))


def test_arrays_of_some_megabytes_are_one_block():
    first, second = _arrays.empty_arrays("the answers", 1 << 20, np.float32, np.float32)
    assert first.base is second.base
    assert first.ctypes.data % (1 << 21) == 0
    block_size = first.base.nbytes
    assert second.ctypes.data + second.nbytes <= first.base.ctypes.data + block_size


def test_arrays_that_do_not_fit_are_an_error():
    with pytest.raises(MemoryError, match="the answers of all rays"):
        _arrays.empty_arrays("the answers of all rays", 1 << 50, np.float64)
