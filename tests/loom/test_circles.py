"""Modules lead one way, also by what they import for its types alone."""

from graphlib import TopologicalSorter

import grimp


def test_no_module_leads_back_to_itself() -> None:
    """Each can be read after all it names: no circle of two modules or more."""
    graph = grimp.build_graph("loom", "loom_partitions", "loom_paging", cache_dir=None)
    assert "loom.live" in graph.find_modules_directly_imported_by("loom")  # there it is for types
    named = {one: graph.find_modules_directly_imported_by(one) for one in graph.modules}
    TopologicalSorter(named).prepare()
