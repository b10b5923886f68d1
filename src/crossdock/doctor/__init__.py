"""What is installed and found on this machine, what clashes, what to install: facts first, then judgement."""

from crossdock.doctor._checks import examine
from crossdock.doctor._facts import Facts, gather
from crossdock.doctor._findings import Finding, State
from crossdock.doctor._kernels import Failure, Result, compile_all, parse_architectures

__all__ = [
    'Facts',
    'Failure',
    'Finding',
    'Result',
    'State',
    'compile_all',
    'examine',
    'gather',
    'parse_architectures',
]
