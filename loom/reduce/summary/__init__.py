"""A model's summary of a tool's output, held against the output before it is believed.

    Ask (fenced data) → the host's model → judge_answer (length, grounding) → Summarized

Pure but for running the host's callable: no disk, no network of its own. The public functions are
in `loom.summarize`."""
