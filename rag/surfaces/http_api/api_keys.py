"""Who asks, and what they may do."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from rag.errors import ForbiddenError, InvalidArgumentError, UnauthenticatedError
from rag.settings import ApiKeySettings
from rag.stores.filters import SearchFilter

KEY_PREFIX = "rag_"
KEY_BYTES = 32  # of randomness: a digest without salt is then as good as one with
READ, WRITE = "read", "write"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Whoever sent a request; ``tenant`` None means that all documents are theirs.

    ``name`` is None where no keys are set and everybody may do everything.
    """

    name: str | None
    scopes: frozenset[str]
    tenant: str | None = None

    def require(self, scope: str) -> None:
        """Raise ForbiddenError where the caller's key lacks a scope."""
        if scope not in self.scopes:
            raise ForbiddenError(
                f"the API key {self.name!r} may not {scope}",
                given=scope,
                allowed=", ".join(sorted(self.scopes)),
                hint=f"use a key whose scopes hold {scope!r}",
            )

    def narrowed(self, filters: SearchFilter) -> SearchFilter:
        """Return a filter that lets nothing of another tenant through.

        Raises:
            ForbiddenError: the filter asks for another tenant.
        """
        self._own(filters.tenant)
        return filters if self.tenant is None else replace(filters, tenant=self.tenant)

    def tenant_to_write(self, given: str | None) -> str:
        """Return the tenant that the caller's documents get; raises as :meth:`narrowed`."""
        self._own(given or None)
        return (given or "") if self.tenant is None else self.tenant

    def session(self, named: str | None) -> str | None:
        """Return under which name attempts are counted: no key shares a count with another."""
        if named is None or self.name is None:
            return named
        return hashlib.sha256(f"{self.name}\0{named}".encode("utf-8", "replace")).hexdigest()

    def _own(self, tenant: str | None) -> None:
        if self.tenant is not None and tenant is not None and tenant != self.tenant:
            raise ForbiddenError(
                f"the API key {self.name!r} is for one tenant, and this is another",
                given=tenant,
                allowed=self.tenant,
                hint="leave the tenant out; it is added",
            )


ANYBODY = Caller(name=None, scopes=frozenset({READ, WRITE}))


class ApiKeyRing:
    """The keys that a service knows, by digest; without any, everybody is let in."""

    def __init__(self, keys: Sequence[ApiKeySettings]) -> None:
        self._known = tuple(
            (
                key.sha256.encode(),
                Caller(name=key.name, scopes=frozenset(key.scopes), tenant=key.tenant),
            )
            for key in keys
        )

    @property
    def is_empty(self) -> bool:
        """Whether no key is set."""
        return not self._known

    def caller(self, key: str | None) -> Caller:
        """Return whose key this is; it takes as long for a wrong one as for a right one.

        Raises:
            UnauthenticatedError: no key, or one that is not known.
        """
        if self.is_empty:
            return ANYBODY
        found = None
        if key is not None:
            digest = digest_of(key).encode()
            for known, caller in self._known:
                if hmac.compare_digest(known, digest):
                    found = caller
        if found is None:
            raise UnauthenticatedError(
                "this service wants an API key" if key is None else "the API key is not known",
                allowed="the header Authorization: Bearer KEY",
                hint="ask whoever runs the service for a key",
            )
        return found


def digest_of(key: str) -> str:
    """Return what the settings hold of a key."""
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


def new_key_table(name: str, *, tenant: str | None = None, write: bool = False) -> str:
    """Return a fresh key, and the table that makes a service know it, as text for a person.

    Raises:
        InvalidArgumentError: the name or the tenant cannot be one.
    """
    key = KEY_PREFIX + secrets.token_urlsafe(KEY_BYTES)
    scopes = (READ, WRITE) if write else (READ,)
    try:
        checked = ApiKeySettings.model_validate(
            {"name": name, "sha256": digest_of(key), "scopes": scopes, "tenant": tenant}
        )
    except ValidationError as error:
        field = str(error.errors()[0]["loc"][0])
        raise InvalidArgumentError(
            f"{field!r} cannot be {name if field == 'name' else tenant!r:.80}",
            allowed="a name of 1 to 64 letters, digits, dots, dashes and underscores; "
            "a tenant of 1 to 200 characters",
        ) from None
    lines = [
        f"# The key, to be kept by whoever uses it; it cannot be shown again: {key}",
        "[[server.keys]]",
        f'name = "{checked.name}"',
        f'sha256 = "{checked.sha256}"',
        f"scopes = {json.dumps(checked.scopes)}",
    ]
    if checked.tenant is not None:
        lines.append(f"tenant = {json.dumps(checked.tenant, ensure_ascii=False)}")
    return "\n".join(lines)
