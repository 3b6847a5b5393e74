"""Digests: one bounded block that stands for a run of folded entries.

`entry_facts` takes the facts of entries, `current_facts` merges facts that belong together into
what holds now, `fact_groups` says which facts stand in which order, `fact_lines` how they are
written, and `digest_body` chooses the lines that fit."""
