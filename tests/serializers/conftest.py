import pytest

from crossdock.serializers import save_npz


@pytest.fixture
def file(tmp_path):
    """A function that saves a tree and returns the path."""

    def write(tree, **options):
        path = tmp_path / 'x.npz'
        save_npz(path, tree, **options)
        return path

    return write
