"""Whether a URL names a server, and one that could be asked."""

from __future__ import annotations

from urllib.parse import urlsplit


def is_server(uri: str) -> bool:
    """Whether a store URI names a server rather than a path."""
    return uri.startswith(("http://", "https://"))


def address_fault(url: str) -> str | None:
    """Return what is wrong with the address of a server, in words; None where nothing is.

    Looked at alone: whether a server answers there is not asked.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        return str(error)
    if not parts.hostname:
        return "it names no host"
    if port == 0:
        return "no server listens at port 0"
    if "[" in url.partition("//")[2].partition("/")[0] and ":" not in parts.hostname:
        return "what stands in brackets is no IPv6 address"
    if not url.isprintable() or any(char.isspace() for char in url):
        return "it has white space or control characters"
    return None
