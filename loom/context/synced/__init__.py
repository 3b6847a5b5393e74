"""`Context.sync`: a host's own list of messages taken in, whole, each time a request is wanted.

    read      the list, message by message, without what was read before   (host_messages.py)
    compare   its messages with the known ones, by a hash of what each says
              (message_keys.py, list_plan.py)
    take      undo what the host took back, renew where it compacted, add the rest
              (sync.py, list_compaction.py, list_taker.py)

What is known of a list stands in the journal beside the entries its messages became
(`records.Synced`), in the same commit: so a list that is given again, by whichever process, adds
nothing."""
