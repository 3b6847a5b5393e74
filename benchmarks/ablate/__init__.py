"""Ablation: what each judge loses without a mechanism of the window.

`mechanisms` is the table of them, each with how it is switched off; `command` measures one session
at a time, compares with and without, and bounds the noise by resampling sessions.
"""
