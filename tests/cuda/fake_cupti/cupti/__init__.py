"""Stands for the module of the package cupti-python, in tests on the fake driver; see cupti.py."""
