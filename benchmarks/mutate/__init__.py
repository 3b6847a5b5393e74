"""Mutation testing of the core: does a test fail when one small thing in the source is wrong?

A mutation replaces one expression or statement. It is applied in a copy of the tree, where the
tests of its room run; the tree itself is never written. A mutation no test notices is either a test
that is missing or an equivalent: the program does the same with it. Equivalents known by name stand
in `equivalents.py`, each with its reason.
"""
