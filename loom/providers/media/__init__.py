"""Images and documents: what they are, what they cost, how a request spells them. Pure."""
