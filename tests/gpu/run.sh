#!/usr/bin/env bash
# All that needs a real GPU, in under six minutes and without a package index:
#   bash tests/gpu/run.sh [RESULTS] [--installed] [--only WORD,...]
# RESULTS (build/gpu-results, if none is named) gets results.json, table.txt and log.txt; the table is printed last.
# What is in tests/gpu/wheels (see prepare.sh) is installed in a folder that goes again; with --installed nothing is.
# The exit code is 0 if every part passed, 1 if not. The checkout may be read-only. PYTHON names another interpreter.
set -euo pipefail
exec "${PYTHON:-python3}" -B -u "$(dirname "${BASH_SOURCE[0]}")/run.py" "$@"
