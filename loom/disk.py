"""How files are opened, made and brought to the disk, wherever that is: plain ones alone, and for
their owner alone."""

from loom_paging.folders import sync_folder
from loom_paging.plain import plain_descriptor
from loom_paging.private import private_file, private_folder, private_folders
from loom_paging.syncs import flush

__all__ = [
    "flush",
    "plain_descriptor",
    "private_file",
    "private_folder",
    "private_folders",
    "sync_folder",
]
