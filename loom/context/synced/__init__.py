"""`Context.sync`: a host's own list of messages taken in, whole, each time a request is wanted.

    read      the list, message by message, what was read before not again     (reading.py)
    compare   its messages with those known, by a hash of what each says       (keys.py, plan.py)
    take      undo what the host took back, renew where it compacted, add the rest  (taking.py)

What is known stands in the journal beside the entries it became (`records.Synced`), in the same
commit: so a list that is given again, by whichever process, adds nothing.
"""
