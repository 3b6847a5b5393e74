"""Functions that open files, create them and sync them to the disk: plain files alone (no link,
pipe or device), readable by their owner alone."""

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
