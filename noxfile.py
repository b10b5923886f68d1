"""One door to every check: ``nox -s NAME``, in the environment that has the project and its extra `dev`.

Sessions use the environment that nox runs in, for building the core once per environment would take minutes each.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nox

nox.options.default_venv_backend = 'none'
nox.options.sessions = ['check', 'test', 'core', 'bench', 'docs']
nox.options.error_on_missing_interpreters = True

#: pytest in a process for each CPU; the tests of a file stay together, and in their order.
PARALLEL = ['-n', 'auto', '--maxprocesses', '8', '--dist', 'loadfile', '--no-loadscope-reorder']

# The tools of this very environment, also where it is not activated.
os.environ['PATH'] = os.pathsep.join([str(Path(sys.executable).parent), os.environ['PATH']])


@nox.session
def check(session: nox.Session) -> None:
    """Style, types and the import rule."""
    session.run('ruff', 'check')
    session.run('ruff', 'format', '--check')
    session.run('mypy')
    session.run('lint-imports', '--no-cache')
    clang_format(session, '--dry-run', '-Werror')


@nox.session(name='format')
def format_(session: nox.Session) -> None:
    """Rewrite the sources in the style that `check` asks for."""
    session.run('ruff', 'check', '--fix')
    session.run('ruff', 'format')
    clang_format(session, '-i')


@nox.session
def test(session: nox.Session) -> None:
    """The Python tests on all CPUs; arguments after ``--`` go to pytest: ``-n 0`` for one process."""
    session.run('python', '-m', 'pytest', *PARALLEL, *session.posargs)


@nox.session
def libraries(session: nox.Session) -> None:
    """What names PyTorch, JAX, NVRTC or CUPTI, which the extra `dev` leaves out for their size: install them first."""
    named = tests_with('torch|jax|need_nvrtc|nvrtc.*is not installed|cupti-python')
    session.run('python', '-m', 'pytest', *PARALLEL, *named, 'tests/test_docs.py', *session.posargs)


@nox.session
def fuzz(session: nox.Session) -> None:
    """The core's functions with random arguments, and damaged files for ten minutes; others each time.

    Arguments after ``--`` go to pytest: ``tests/hostile/fuzz`` for files alone, ``-k NAME`` for some.
    """
    folders = [] if any(a.startswith('tests/') for a in session.posargs) else ['tests/core/fuzz', 'tests/hostile/fuzz']
    session.run('python', '-m', 'pytest', *folders, '--hypothesis-profile', 'fuzz', *session.posargs)


@nox.session
def crash(session: nox.Session) -> None:
    """Saves killed and interrupted at random moments, 200 times for each file format; arguments go to pytest."""
    session.run(
        'python', '-m', 'pytest', 'tests/serializers/faults', *session.posargs, env={'CROSSDOCK_CRASHES': '200'}
    )


@nox.session
def stubs(session: nox.Session) -> None:
    """Take the signatures of the compiled core as it is built now for the golden ones that a test compares with."""
    session.run('python', 'tests/core/golden/signatures.py', env={'PYTHONPATH': 'src'})


@nox.session
def core(session: nox.Session) -> None:
    """The C++ tests (they need GoogleTest, Debian's libgtest-dev)."""
    cpp_tests(session, 'tests')


@nox.session
@nox.parametrize('kind', ['address,undefined', 'thread'], ids=['address', 'thread'])
def sanitize(session: nox.Session, kind: str) -> None:
    """The C++ tests under sanitizers, in trees of their own."""
    # Some kernels randomise addresses more than gcc's thread sanitizer can bear.
    fixed = ['setarch', '-R'] if kind == 'thread' and shutil.which('setarch') else []
    cpp_tests(session, f'tests-{kind.split(",")[0]}', f'-DCROSSDOCK_SANITIZE={kind}', launcher=fixed)


@nox.session
def sanitize_python(session: nox.Session) -> None:
    """The Python tests of the core on an extension with the address and undefined sanitizers; gcc's.

    Arguments after ``--`` go to pytest.
    """
    tree = Path('build/tests-address')  # its objects serve both
    options = ['-DCROSSDOCK_PYTHON=ON', f'-DPython_EXECUTABLE={sys.executable}', '-U', 'CMAKE_MAKE_PROGRAM']
    options += ['-DCROSSDOCK_SANITIZE=address,undefined', '-DCROSSDOCK_TESTS=ON']
    session.run('cmake', '-S', '.', '-B', str(tree), '-G', 'Ninja', *options, silent=True)
    session.run('cmake', '--build', str(tree), '--target', '_core', silent=True)
    package = tree / 'package' / 'crossdock'
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree('src/crossdock', package, ignore=shutil.ignore_patterns('*.so', '__pycache__'))
    for built in (tree / 'core').glob('_core.*'):
        shutil.copy2(built, package / 'core')
    library = subprocess.run(['g++', '-print-file-name=libasan.so'], check=True, capture_output=True, text=True).stdout
    environment = {
        'PYTHONPATH': str(package.parent.resolve()),
        'LD_PRELOAD': library.strip(),
        'ASAN_OPTIONS': 'detect_leaks=0:allocator_may_return_null=1',  # the interpreter leaves much behind
        'UBSAN_OPTIONS': 'halt_on_error=1:print_stacktrace=1',
        'PYTHONMALLOC': 'malloc',
    }
    # A sanitizer's own address space is larger than any limit, and its signatures come with no stub.
    left_out = ['--ignore', 'tests/core/test_little_memory.py', '--ignore', 'tests/core/test_stubs.py']
    session.run('python', '-m', 'pytest', 'tests/core', *left_out, *session.posargs, env=environment)


@nox.session
def kernels(session: nox.Session) -> None:
    """Every CUDA kernel for the architectures that we name, by NVRTC (``pip install nvidia-cuda-nvrtc``); no GPU.

    Others can be named after ``--``, as ``sm_75,sm_100``.
    """
    architectures = ','.join(session.posargs) or 'sm_75,sm_80,sm_90,sm_100'
    session.run('python', '-m', 'crossdock', 'doctor', '--compile-kernels', architectures)


@nox.session
def cuda(session: nox.Session) -> None:
    """The CUDA back-end on a fake driver that runs the kernels on the CPU; it needs g++. Arguments go to pytest.

    Tests of the back-end itself, and the tests of all others with the fake GPUs in place of the simulated accelerator.
    """
    session.run('python', '-m', 'pytest', *PARALLEL, 'tests/cuda', *session.posargs)
    fake_gpus(session)


@nox.session
def fake_gpus(session: nox.Session) -> None:
    """The second half of `cuda`: other rooms' tests with the fake GPUs in place of the simulated accelerator."""
    session.run('python', 'tests/cuda/fake/build.py', env={'PYTHONPATH': 'src'})
    folder = Path('build/fake_cuda').resolve()
    environment = {
        'LD_LIBRARY_PATH': os.pathsep.join([str(folder / 'lib'), *filter(None, [os.environ.get('LD_LIBRARY_PATH')])]),
        'CROSSDOCK_CACHE_DIR': str(folder / 'cache'),
        'CROSSDOCK_TEST_ACCELERATOR': 'cuda',
        'FAKE_CUDA_DEVICES': '2',
    }
    session.run('python', '-m', 'pytest', *PARALLEL, *on_cuda('tests'), *session.posargs, env=environment)


def tests_with(pattern: str) -> list[str]:
    """The files of tests in which the pattern is found."""
    files = sorted(Path('tests').rglob('test_*.py'))
    return [str(path) for path in files if re.search(pattern, path.read_text())]


def on_cuda(tests: str) -> list[str]:
    """The tests that say on which accelerator they run, and those of the core that are given a device."""
    chosen = [f'{tests}/contract/test_core.py', f'{tests}/core', f'{tests}/exchange']
    for room in ('devices', 'serializers', 'transfer'):
        named = (
            path for path in sorted(Path(tests, room).glob('test_*.py')) if 'accelerator import' in path.read_text()
        )
        chosen += [*map(str, named)]
    # These start processes of their own, on sim, or need a machine that has no GPU.
    names = ('test_fork', 'test_interrupt', 'test_little_memory', 'test_sim', 'test_staging', 'test_stubs')
    return [*chosen, *(f'--ignore={tests}/core/{name}.py' for name in names), f'--ignore={tests}/core/fuzz']


@nox.session
def gpu(session: nox.Session) -> None:
    """All that needs a real GPU, with the package as it is installed; docs/gpu-results.md says more."""
    environment = {'PYTHON': sys.executable}
    session.run('bash', 'tests/gpu/run.sh', '--installed', *session.posargs, env=environment, external=True)


@nox.session
def build(session: nox.Session) -> None:
    """What a clean build and one after an edit cost, and the wheel's size, within bounds; for a quiet machine."""
    session.run('python', 'benchmarks/_build.py')


@nox.session
def bench(session: nox.Session) -> None:
    """Each benchmark once, so that it cannot rot; ``nox -s bench -- --full`` takes figures."""
    size = [] if '--full' in session.posargs else ['--smoke']
    for script in sorted(Path('benchmarks').glob('[!_]*.py')):
        session.run('python', str(script), *size)


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation as pages in docs/_build/html; a warning is an error."""
    session.run('sphinx-build', '-W', '--keep-going', '-E', '-q', '-b', 'html', 'docs', 'docs/_build/html')


@nox.session
def package(session: nox.Session) -> None:
    """What users install: a source archive, a wheel of this Python, and one of 3.12 built from the archive.

    Each wheel is tried in a fresh environment, the one of 3.12 (stable ABI) also on 3.13.
    """
    dist = Path('dist')
    shutil.rmtree(dist, ignore_errors=True)
    session.run('python', '-m', 'build', '--sdist', '--outdir', str(dist), silent=True)
    (archive,) = dist.glob('*.tar.gz')
    this = f'{sys.version_info.major}.{sys.version_info.minor}'
    try_wheel(session, wheel(session, sys.executable, Path('.'), dist / this), this)
    for later in ['3.12', '3.13']:
        if later == this:
            continue
        if (python := interpreter(later)) is None:
            session.warn(f'SKIPPED: no Python {later} here; its wheel is not tried')
            continue
        if not list(dist.glob('abi3/*.whl')):
            wheel(session, python, archive, dist / 'abi3')
        try_wheel(session, next(dist.glob('abi3/*.whl')), later)


def clang_format(session: nox.Session, *options: str) -> None:
    """Run clang-format over the C++ sources that git knows or would take."""
    listed = ['git', 'ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', 'core', 'tests/cuda']
    files = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.splitlines()
    sources = [file for file in files if file.endswith(('.h', '.cuh', '.cpp')) and Path(file).exists()]
    with tempfile.NamedTemporaryFile('w', suffix='.txt') as names:
        names.write('\n'.join(sources))
        names.flush()
        session.run('clang-format', *options, f'--files={names.name}')


def cpp_tests(session: nox.Session, tree: str, *options: str, launcher: list[str] | None = None) -> None:
    """Build the core without Python in ``build/TREE`` and run its tests."""
    path = f'build/{tree}'
    options = ('-DCROSSDOCK_PYTHON=OFF', '-DCROSSDOCK_TESTS=ON', *options)
    session.run('cmake', '-S', '.', '-B', path, '-G', 'Ninja', '-U', 'CMAKE_MAKE_PROGRAM', *options, silent=True)
    session.run('cmake', '--build', path, silent=True)
    command = [*(launcher or []), 'ctest', '--test-dir', f'{path}/core', '--output-on-failure', '--no-tests=error']
    session.run(*command, external=True)


def interpreter(version: str) -> str | None:
    """A working Python of that version: on the path, or among pyenv's."""
    found = [shutil.which(f'python{version}')]
    root = Path(os.environ.get('PYENV_ROOT', Path.home() / '.pyenv'))
    found += [str(path) for path in sorted(root.glob(f'versions/{version}.*/bin/python'))]
    for python in filter(None, found):
        # A version manager's stand-in exists for versions that it would refuse to run.
        if subprocess.run([python, '-c', 'import ensurepip'], capture_output=True).returncode == 0:
            return python
    return None


def wheel(session: nox.Session, python: str, source: Path, folder: Path) -> Path:
    """Build a wheel of the source with that interpreter."""
    # An archive is unpacked, and built, below the checkout: what is there is one tree for ccache.
    unpacked = Path('build/unpacked').resolve()
    unpacked.mkdir(parents=True, exist_ok=True)
    command = [python, '-m', 'pip', 'wheel', '-q', '--no-deps', '-w', str(folder), str(source)]
    session.run(*command, env={'TMPDIR': str(unpacked)}, external=True)
    (built,) = folder.glob('*.whl')
    return built


def try_wheel(session: nox.Session, built: Path, version: str) -> None:
    """Install the wheel alone in a fresh environment and use it from an empty folder."""
    trial = (
        'import sys, numpy, crossdock as xd; x = numpy.ones((2, 3)); y = xd.get_device("sim:0").send(x);'
        'assert (xd.to_numpy(y + y) == 2).all(); print("wheel of crossdock", xd.__version__, "works on", sys.version)'
    )
    with tempfile.TemporaryDirectory() as folder:
        session.run(interpreter(version) or sys.executable, '-m', 'venv', folder, external=True)
        python = f'{folder}/bin/python'
        session.run(python, '-m', 'pip', 'install', '-q', str(built.resolve()), external=True)
        with session.chdir(folder):
            session.run(python, '-c', trial, external=True)
            session.run(f'{folder}/bin/crossdock', 'devices', external=True)
