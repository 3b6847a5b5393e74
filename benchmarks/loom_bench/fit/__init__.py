"""The constants of Loom's retention, fitted to labelled sessions and tested on others."""
