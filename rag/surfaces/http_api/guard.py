"""Turns away what comes by way of a stranger's web page."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from rag.errors import ForbiddenError
from rag.surfaces.http_api.http_errors import HostNotAllowedError
from rag.surfaces.listening import LOOPBACK_NAME, is_loopback

SAME_ORIGIN = frozenset({"", "same-origin", "none"})  # none: typed in, or opened from a bookmark


class RequestGuard:
    """Knows the names that a service goes by.

    A page on another site can make a visitor's browser send requests here, and by rebinding its
    own domain name to this machine's address it could even read the answers (DNS rebinding).
    Such requests carry a foreign name in ``Host``, or a foreign ``Origin``. An IP address in
    ``Host`` is nobody's domain name and is let through.

    Args:
        host: The address that the service listens on.
        further: Other names that it goes by.
    """

    def __init__(self, host: str, further: Iterable[str] = ()) -> None:
        own = {host.lower(), *(name.lower() for name in further)}
        if not is_loopback(host):
            own.add(socket.gethostname().lower())
        self._names = {LOOPBACK_NAME} | own

    def check(self, method: str, headers: Headers) -> None:
        """Raise where a request is not meant for this service.

        A link on another site may lead here, since its page does not see where it led.

        Raises:
            HostNotAllowedError: the Host header names somebody else.
            ForbiddenError: a page of another site sent it.
        """
        given = headers.get("host", "")
        if not self._knows(given):
            raise HostNotAllowedError(
                f"this service does not go by the name {given!r:.100}",
                given=given,
                allowed=", ".join(sorted(self._names)) + ", or an IP address",
                hint="add the name to server.allowed_hosts",
            )
        origin = headers.get("origin")
        foreign = origin is not None and _place(origin) != given.lower()
        followed_a_link = method == "GET" and headers.get("sec-fetch-mode") == "navigate"
        elsewhere = headers.get("sec-fetch-site", "") not in SAME_ORIGIN
        if foreign or (elsewhere and not followed_a_link):
            raise ForbiddenError(
                "a page of another site sent this request",
                given=origin,
                allowed="requests of this service's own pages, and of programs",
            )

    def _knows(self, given: str) -> bool:
        try:
            name = urlsplit(f"//{given}").hostname or ""
        except ValueError:
            return False
        return name in self._names or _is_address(name)


def _place(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
