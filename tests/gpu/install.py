"""Puts the wheels beside this file into a folder, or builds the package there where its wheel does not fit."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PIP = [sys.executable, '-m', 'pip', '--disable-pip-version-check', '-q']
OFFLINE = ['--no-index', '--no-deps', '--no-cache-dir']
ADVICE = 'run tests/gpu/prepare.sh where there is a package index, and bring tests/gpu/wheels'
SOURCES = ('core', 'src', 'setup.py', 'setup.cfg', 'pyproject.toml', 'CMakeLists.txt', 'README.md', 'LICENSE')


def newest(folder: Path) -> list[Path]:
    """One wheel of each package, for two would stop pip."""
    found: dict[str, Path] = {}
    for wheel in sorted(folder.glob('*.whl'), key=lambda wheel: wheel.stat().st_mtime):
        found[wheel.name.split('-')[0]] = wheel
    return list(found.values())


def works(site: Path) -> bool:
    """Whether the package's compiled part can be imported from there."""
    code = f'import sys; sys.path.insert(0, {str(site)!r}); import crossdock.core, crossdock.devices'
    done = subprocess.run([sys.executable, '-B', '-c', code], capture_output=True, text=True, cwd='/')
    print(done.stderr or 'the package can be imported')
    return done.returncode == 0


def build(scratch: Path) -> Path:
    """A wheel of the checkout, which may be read-only, by what is installed here."""
    source = scratch / 'source'
    source.mkdir(parents=True)
    for name in SOURCES:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, source / name, ignore=shutil.ignore_patterns('__pycache__', '*.so', '*.egg-info'))
        else:
            shutil.copy(path, source)
    subprocess.run([*PIP, 'wheel', *OFFLINE, '--no-build-isolation', '-w', str(scratch), str(source)], check=True)
    return next(scratch.glob('*.whl'))


def install(site: Path, wheels: list[Path]) -> None:
    """Put them there."""
    target = ['--no-compile', '--upgrade', '--target', str(site)]
    subprocess.run([*PIP, 'install', *OFFLINE, *target, *map(str, wheels)], check=True)


def main(site: Path, scratch: Path) -> int:
    """The exit code; what happened is printed."""
    wheels = newest(HERE / 'wheels')
    print('\n'.join(wheel.name for wheel in wheels) or f'no wheels; {ADVICE}')
    site.mkdir()
    if wheels:
        install(site, wheels)
    if works(site):
        return 0
    print('the package cannot be used as it is; building it here')
    try:
        install(site, [build(scratch)])
    except subprocess.CalledProcessError as error:
        print(f'{error}; {ADVICE}')
        return 1
    return 0 if works(site) else 1


if __name__ == '__main__':
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
