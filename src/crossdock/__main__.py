"""Lets ``python -m crossdock`` be the ``crossdock`` command."""

import sys

from crossdock.cli import main

if __name__ == '__main__':
    sys.exit(main())
