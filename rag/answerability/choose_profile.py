"""Which profile holds for a base: its own, the shipped one, the one a setting names, or none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rag.answerability.profile import AnswerabilityProfile, read_profile, shipped_profile
from rag.embedding.protocol import EmbedderIdentity
from rag.errors import ConfigError
from rag.platform.at_path import at_path
from rag.stores.records import Manifest

AUTO, NONE = "auto", "none"
REMEDY = "run rag calibrate again, or set answerability.profile to none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileChoice:
    """The profile that holds, if any, and what is to be said of one that does not."""

    profile: AnswerabilityProfile | None
    warnings: tuple[str, ...] = ()


def choose_profile(
    setting: str, own: Path | None, *, analyzer: str, embedder: EmbedderIdentity | None
) -> ProfileChoice:
    """Return the profile for a base built with these.

    ``setting`` is ``auto``, ``none`` or a path; ``own`` is where a profile of the base itself
    would be. A base's own profile that does not hold is passed over with a warning, and the
    shipped one serves if it holds.

    Raises:
        ConfigError: the setting names a file that is no profile, or one of another analyser or
            embedder.
    """
    if setting == NONE:
        return ProfileChoice(profile=None)
    if setting != AUTO:
        named = read_profile(Path(setting))
        refusal = named.refusal(analyzer=analyzer, embedder=embedder)
        if refusal is not None:
            raise ConfigError(
                f"the answerability profile {named.name} cannot be used: {refusal}",
                given=setting,
                allowed="a profile of the base's own analyser and embedder",
                hint=REMEDY,
            )
        return ProfileChoice(profile=named)
    warnings: tuple[str, ...] = ()
    if own is not None and at_path(own).is_file:
        try:
            mine = read_profile(own)
        except ConfigError as error:
            warnings = (
                f"the base's own answerability profile is ignored: {error.message}; {REMEDY}",
            )
        else:
            refusal = mine.refusal(analyzer=analyzer, embedder=embedder)
            if refusal is None:
                return ProfileChoice(profile=mine)
            warnings = (_ignored(mine, refusal),)
    shipped = shipped_profile()
    holds = shipped.refusal(analyzer=analyzer, embedder=embedder) is None
    return ProfileChoice(profile=shipped if holds else None, warnings=warnings)


def index_name(manifest: Manifest) -> str:
    """Name an index for life: one that is made anew, or migrated, is another."""
    return f"{manifest.schema_version}@{manifest.created_at}"


def expiry(profile: AnswerabilityProfile | None, manifest: Manifest) -> str | None:
    """Say why a profile of one index does not hold for this one; None where it does."""
    if profile is None or profile.index is None or profile.index == index_name(manifest):
        return None
    return _ignored(profile, "it is for another index than this")


def _ignored(profile: AnswerabilityProfile, why: str) -> str:
    return f"the base's own answerability profile {profile.name} is ignored: {why}; {REMEDY}"
