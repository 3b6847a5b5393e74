"""How files are opened, made and brought to the disk, wherever that is: plain ones alone, and for
their owner alone."""

from loom_paging.folders import flush, put_file, sync_folder
from loom_paging.plain import plain_descriptor, private_file, private_folder, private_folders

__all__ = [
    "flush",
    "plain_descriptor",
    "private_file",
    "private_folder",
    "private_folders",
    "put_file",
    "sync_folder",
]
