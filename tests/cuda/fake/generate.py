"""Write the C++ files that put kernels into the fake driver's table.

``python generate.py CATALOGUE FOLDER``: a line of the catalogue is a header and an expression, as NVRTC gets them.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

Catalogue = list[tuple[str, str]]

PER_FILE = 40  # instances; fewer files read headers less often, more share the work better

FILE = """\
#include <iterator>

#include "{header}"
#include "kernel_table.h"

namespace crossdock::cuda {{
namespace {{

const fake::Kernel kernels[] = {{
{entries}
}};
fake::KernelList list{{kernels, std::size(kernels), nullptr}};
[[maybe_unused]] const bool added = (fake::add_kernels(list), true);

}}  // namespace
}}  // namespace crossdock::cuda
"""


def read(path: Path) -> Catalogue:
    """The catalogue of a file."""
    lines = (line.strip() for line in path.read_text().splitlines())
    return [(header, expression) for header, expression in (line.split(maxsplit=1) for line in lines if line)]


def of_the_core() -> Catalogue:
    """What the core itself would compile."""
    from crossdock.core import _core

    return _core._cuda_kernel_names()


def files(catalogue: Catalogue) -> dict[str, str]:
    """Names and contents; one header's instances stay together, so that a change of one builds little again."""
    written = {}
    for header, group in groupby(sorted(set(catalogue)), key=lambda entry: entry[0]):
        expressions = [expression for _, expression in group]
        for first in range(0, len(expressions), PER_FILE):
            chosen = expressions[first : first + PER_FILE]
            entries = '\n'.join(f'    fake::kernel<&{one}>("{one}"),' for one in chosen)
            name = f'{Path(header).stem}_{first // PER_FILE}.cpp'
            written[name] = FILE.format(header=header, entries=entries)
    return written or {'none.cpp': '// No kernels.\n'}


def write(catalogue: Catalogue, folder: Path) -> None:
    """Bring the folder up to date; a file that would be the same is left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = files(catalogue)
    for old in folder.glob('*.cpp'):
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == '__main__':
    write(read(Path(sys.argv[1])), Path(sys.argv[2]))
