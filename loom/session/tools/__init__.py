"""Tools as they are declared, and the tools Loom answers itself."""
