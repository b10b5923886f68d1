"""What crossdock can use, from which extra it comes, and what for. CuPy and CUDA's libraries have rows of their own."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ['OPTIONAL', 'Package', 'wanted']


class Package(NamedTuple):
    """A distribution of an extra.

    Attributes
    ----------
    name : str
        Normalised.
    oldest : str
        The oldest version that serves, as in setup.cfg.
    extra : str
        Ours that brings it.
    use : str
        What it is for.
    until : tuple of int
        The Python from which it is not needed; () if it always is.
    """

    name: str
    oldest: str
    extra: str
    use: str
    until: tuple[int, ...] = ()


OPTIONAL = (
    Package('torch', '2.7', 'torch', '@torch:cpu and @torch:cuda:N'),
    Package('array-api-compat', '1.10', 'torch', 'get_array_module of PyTorch tensors'),
    Package('jax', '0.5', 'jax', '@jax:N'),
    Package('cupti-python', '12.8', 'cupti', 'trace_transfers(ground_truth=True)'),
    Package('h5py', '3.11', 'hdf5', 'HDF5 files'),
    Package('numcodecs', '0.14', 'zarr', 'Zarr folders that are compressed by zstd or blosc'),
    Package('google-crc32c', '1.5', 'zarr', 'Zarr folders with checksums'),
    Package('zarr', '3', 'zarr', 'opening Zarr folders by Zarr itself; crossdock does without'),
    Package('backports-zstd', '1.0', 'zstd', "npz files with compression='zstd'", (3, 14)),
    Package('matplotlib', '3.8', 'plot', 'TransferLog.plot()'),
    Package('scikit-learn', '1.4', 'demo', 'crossdock demo'),
)


def wanted(python: tuple[int, ...]) -> tuple[Package, ...]:
    """Those that a version of Python has a use for."""
    return tuple(package for package in OPTIONAL if not package.until or python < package.until)
