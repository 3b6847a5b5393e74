"""Functions that open files, create them and sync them to the disk: only plain files (no link, pipe
or device), which only their owner can read."""

from loom_paging.folders import flush, replace_file, sync_folder
from loom_paging.plain import (
    make_private_folder,
    make_private_folders,
    open_private_file,
    plain_descriptor,
)

__all__ = [
    "flush",
    "make_private_folder",
    "make_private_folders",
    "open_private_file",
    "plain_descriptor",
    "replace_file",
    "sync_folder",
]
