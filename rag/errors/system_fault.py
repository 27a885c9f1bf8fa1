"""What the operating system refused, as one of our errors: the last boundary of a surface."""

from __future__ import annotations

from rag.errors import RagError, UnreadableFileError


def system_fault(error: OSError) -> RagError:
    """Return the error for one of the system's that no room has turned into words of its own.

    Every room maps what it expects; this is for the rest, so that a path which nobody thought of
    is told as a fault of that path.
    """
    reason = error.strerror or str(error) or type(error).__name__
    if error.filename is None:
        return RagError(
            f"the operating system refused: {reason}",
            given=reason,
            allowed="what this process may read and write",
            hint="check the room on the disk, the network and the limits of this process",
        )
    return UnreadableFileError(
        f"{_path(error.filename)!r:.200} cannot be used: {reason}",
        given=_path(error.filename),
        allowed="a path that this process may read and write",
        hint="check the path, its permissions and the room on its disk",
    )


def _path(name: object) -> str:
    return name.decode("utf-8", "backslashreplace") if isinstance(name, bytes) else str(name)
