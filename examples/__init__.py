"""Scripts to run and copy (docs/examples.md), and Loom in frameworks that have no adapter of their
own (docs/hosts.md): a module each."""
