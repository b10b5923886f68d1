#!/usr/bin/env bash
# What run.sh installs on a machine that has a GPU and no package index, put into tests/gpu/wheels:
#   bash tests/gpu/prepare.sh [TEST_FILE...]
# The package as a wheel for CPython 3.12 and later on x86-64 Linux, and the packages it needs that such machines seldom
# have. Test files that are named are copied to tests/gpu/more, and run there too. PYTHON312 names the interpreter.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
missing=(optree typing-extensions scipy-openblas32 array-api-strict array-api-compat)
missing+=(cupti-python nvidia-cuda-cupti cuda-bindings cuda-pathfinder pyelftools)

interpreter() {  # one that builds for the stable ABI, which is as old as 3.12
  local python
  for python in "${PYTHON312:-}" python3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.12.*/bin/python python3; do
    [ -n "$python" ] || continue
    # A version manager's stand-in exists for versions that it would refuse to run.
    if "$python" -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  echo 'prepare.sh needs Python 3.12 or later; name it by PYTHON312=/path/to/python3.12' >&2
  return 1
}

python=$(interpreter)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/venv"
pip=("$work/venv/bin/pip" --disable-pip-version-check -q)
"${pip[@]}" wheel --no-deps -w "$work/wheels" "$root"
platforms=()
for glibc in 28 27 25 24 17 5; do platforms+=(--platform "manylinux_2_${glibc}_x86_64"); done
platforms+=(--platform manylinux2014_x86_64 --platform manylinux1_x86_64)
"${pip[@]}" download --no-deps --only-binary=:all: --python-version 3.12 --implementation cp "${platforms[@]}" \
  -d "$work/wheels" "${missing[@]}"
git -C "$root" log -1 --format=%h > "$work/wheels/commit" || true
rm -rf "$here/wheels"
mv "$work/wheels" "$here/wheels"
rm -rf "$here/more"
if [ $# -gt 0 ]; then
  mkdir "$here/more"
  cp "$@" "$here/more"
fi
du -sh "$here/wheels"
ls "$here/wheels"
