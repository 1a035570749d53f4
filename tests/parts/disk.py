"""A small disk in memory, which can be filled. Needs the right to mount."""

from __future__ import annotations

import subprocess
from pathlib import Path

_BLOCK = bytes(1 << 20)


def can_mount(folder: Path) -> bool:
    """Whether this process may mount a disk."""
    try:
        SmallDisk(folder / "try", 1).remove()
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


class SmallDisk:
    """A tmpfs of so many megabytes, in a folder that it makes."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        """Raises CalledProcessError or OSError where it may not be mounted."""
        folder.mkdir()
        self._folder = folder
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
        subprocess.run(command, check=True, capture_output=True, timeout=30)

    def fill(self) -> None:
        """Leave no room."""
        with (self._folder / "ballast").open("wb", buffering=0) as file:
            for block in (_BLOCK, _BLOCK[:4096]):
                try:
                    while file.write(block) == len(block):
                        pass
                except OSError:
                    continue

    def free(self) -> None:
        """Make room again."""
        (self._folder / "ballast").unlink()

    def remove(self) -> None:
        """Unmount it; what was on it is gone."""
        subprocess.run(["umount", "-l", str(self._folder)], check=True, capture_output=True, timeout=30)
