"""Functions that create, open and sync files. They work only on plain files, not on links, pipes or
devices. New files can be read only by their owner."""

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
