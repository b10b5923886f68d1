"""``--hypothesis-profile fuzz`` (or ``nox -s fuzz``) runs for minutes, and differently each time."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile('fuzz', deadline=None)
