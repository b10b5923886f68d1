"""``--hypothesis-profile fuzz`` (or ``nox -s fuzz``) runs long and differently each time."""

from hypothesis import settings

settings.register_profile('fuzz', deadline=None)
