"""Builds the extension with CMake; the metadata is in setup.cfg."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import nanobind
from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext

ABI3 = sys.version_info >= (3, 12) and not sysconfig.get_config_var('Py_GIL_DISABLED')
# This interpreter's own cmake and ninja, also where its environment is not activated.
os.environ['PATH'] = os.pathsep.join([sysconfig.get_path('scripts'), os.environ['PATH']])
# Otherwise a file that was rebuilt within the same second is not copied.
os.environ['CMAKE_INSTALL_ALWAYS'] = '1'


class CleanBuild(build):
    """Ships nothing that an earlier build left behind."""

    def run(self) -> None:
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class CMakeBuild(build_ext):
    """Configures, builds and installs the CMake project beside the Python files."""

    def run(self) -> None:
        tree = Path('build', sys.implementation.cache_tag)  # kept, so the next build is incremental
        prefix = 'src' if self.editable_mode or self.inplace else self.build_lib
        # An isolated build's tools move every time: name them instead of trusting the cache.
        configure = ['cmake', '-S', '.', '-B', tree, '-G', 'Ninja', '-U', 'CMAKE_MAKE_PROGRAM', '-U', '_Python_*']
        configure += [f'-DPython_EXECUTABLE={sys.executable}', f'-Dnanobind_DIR={self.nanobind(tree).absolute()}']
        subprocess.check_call(configure)
        subprocess.check_call(['cmake', '--build', tree])
        subprocess.check_call(['cmake', '--install', tree, '--component', 'python', '--prefix', prefix])

    @staticmethod
    def nanobind(tree: Path) -> Path:
        """A copy's CMake files: an isolated build's own go with it, and what includes them would be compiled again."""
        original, copy = Path(nanobind.cmake_dir()), tree / f'nanobind-{nanobind.__version__}'
        if not copy.exists():
            unfinished = tree / 'nanobind-unfinished'
            shutil.copytree(original.parent, unfinished, dirs_exist_ok=True)
            unfinished.rename(copy)
        return copy / original.name


setup(
    ext_modules=[Extension('crossdock.core._core', sources=[], py_limited_api=ABI3)],
    cmdclass={'build': CleanBuild, 'build_ext': CMakeBuild},
    options={'bdist_wheel': {'py_limited_api': 'cp312'}} if ABI3 else {},
)
