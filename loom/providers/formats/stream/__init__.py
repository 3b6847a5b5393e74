"""Collectors, one for each format. A collector joins the chunks of a stream into a reply."""
