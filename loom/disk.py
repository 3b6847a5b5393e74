"""How files are opened and made, wherever that is: as plain files, and for their owner alone."""

from loom_paging.plain import plain_descriptor
from loom_paging.private import private_file, private_folder, private_folders

__all__ = ["plain_descriptor", "private_file", "private_folder", "private_folders"]
