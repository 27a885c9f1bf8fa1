"""What the parser of the command line refuses, as one of our errors."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from cyclopts import CoercionError, CycloptsError, UnknownCommandError, UnknownOptionError

from rag.errors import InvalidArgumentError
from rag.errors.did_you_mean import nearest

END_OF_OPTIONS = "--"


def parser_fault(
    error: CycloptsError, command: str, argv: Sequence[str], *, names: Sequence[str]
) -> InvalidArgumentError:
    """Return the fault; ``names`` are the commands that there are.

    What is no number where a request takes one is told in the request's own words.
    """
    named = next((word for word in argv if word in names), None)
    if named is not None and argv[0].startswith("-"):
        behind = [named, *argv[: argv.index(named)], *argv[argv.index(named) + 1 :]]
        return InvalidArgumentError(
            f"the option {argv[0]!r:.80} stands before the command",
            given=" ".join(argv),
            allowed="rag COMMAND [OPTIONS]",
            hint=f"write: rag {shlex.join(behind)}",
        )
    if isinstance(error, UnknownCommandError) or command not in names:
        near = nearest(command, names)
        fault = f"unknown command {command!r:.80}" if command else "the command is missing"
        return InvalidArgumentError(
            f"{fault}; expected one of: {', '.join(names)}",
            given=" ".join(argv),
            allowed=", ".join(names),
            hint=f"did you mean: rag {near}" if near else "see: rag --help",
        )
    behind = list(argv[argv.index(END_OF_OPTIONS) + 1 :]) if END_OF_OPTIONS in argv else []
    late = next((word for word in behind[1:] if word.startswith("-")), None)
    if late is not None:
        before = argv[: argv.index(END_OF_OPTIONS)]
        line = shlex.join([*before, *behind[1:], END_OF_OPTIONS, behind[0]])
        return InvalidArgumentError(
            f"{late!r:.80} stands behind --, where nothing is an option",
            given=" ".join(argv),
            allowed="rag COMMAND [OPTIONS] -- QUERY",
            hint=f"write: rag {line}",
        )
    if isinstance(error, CoercionError):
        told = _told_by_its_request(error, command)
        if told is not None:
            return told
    return InvalidArgumentError(
        str(error).strip() or "the command line cannot be read",
        given=" ".join(argv),
        allowed=_options(error) or f"rag {command} as its help shows it",
        hint=f"see: rag {command} --help",
    )


def _options(error: CycloptsError) -> str | None:
    """Return the options of the command, where one was given that it does not have."""
    if not isinstance(error, UnknownOptionError):
        return None
    names = [one.names[0] for one in error.argument_collection if one.parse and one.names]
    return ", ".join(sorted(name for name in names if name.startswith("--"))) or None


def _told_by_its_request(error: CoercionError, command: str) -> InvalidArgumentError | None:
    from rag.requests.fetch_request import FetchRequest
    from rag.requests.list_request import ListRequest
    from rag.requests.request import Request
    from rag.requests.request_fault import wrong_value
    from rag.tool import LookupRequest, SearchRequest

    requests: dict[str, type[Request]] = {
        "fetch": FetchRequest,
        "list": ListRequest,
        "lookup": LookupRequest,
        "search": SearchRequest,
    }
    model, argument, token = requests.get(command), error.argument, error.token
    if model is None or argument is None or token is None:
        return None
    name = argument.field_info.name
    return wrong_value(name, token.value, model) if name in model.model_fields else None
