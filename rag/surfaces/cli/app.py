"""The commands, each loaded only when it runs, and the one place where errors become exit codes.

Exit codes: 0 ok (no hits too), 1 refused, 2 error, 3 unhealthy (doctor), 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError, Group, Parameter

from rag import __version__
from rag.errors import RagError
from rag.errors.system_fault import system_fault
from rag.surfaces.cli.help_formatter import HelpFormatter
from rag.surfaces.cli.parser_fault import parser_fault
from rag.surfaces.cli.shown_default import shown_default
from rag.surfaces.cli.terminal import discard_output, print_error, writing

EXIT_INTERRUPTED = 130  # the shell's convention: 128 + SIGINT

COMMANDS = "rag.surfaces.cli.commands"
GROUPS: dict[str, dict[str, str]] = {
    "Start": {
        "quickstart": "Build a small base and look something up in it.",
        "init": "Write a rag.toml with every setting and its default.",
        "ingest": "Read a folder or file into the base; only what changed.",
    },
    "Ask": {
        "lookup": "Ask a question; get cited evidence and a verdict.",
        "search": "Rank chunks for a query; --explain shows every score.",
    },
    "Look inside": {
        "list": "List the documents in the base.",
        "fetch": "Read back a chunk, a document or some lines.",
        "inspect": "Show all that is stored of a document or chunk.",
        "schema": "Show what this base can do, or a JSON schema.",
    },
    "Look after": {
        "doctor": "Check settings, store, embedder and index.",
        "copy": "Copy the base into another store, embedding nothing again.",
        "delete": "Remove one document.",
        "reset": "Remove all documents, or those of one source.",
    },
    "Measure": {
        "eval": "Measure retrieval and verdicts on labelled questions; compare two reports.",
        "calibrate": "Fit an answerability profile and a fusion to your own base.",
    },
    "Serve": {
        "serve": "Serve the base over HTTP, with an inspector for the browser.",
        "mcp": "Serve the base to agents over the Model Context Protocol.",
        "watch": "Keep the base in line with a folder as its files change.",
    },
}
USAGES = {
    "eval": "rag eval [compare] QUESTIONS [OPTIONS]",
    "inspect": "rag inspect [document|chunk] NAME [OPTIONS]",
}


def build_app(command: str = "") -> App:
    """Return the command tree, for running ``command``; no other command is imported.

    A command that is run describes itself by its docstring; the others need their line only.
    """
    app = App(
        name="rag",
        help="The look-up tool an agent can trust: cited evidence from your own documents.",
        help_epilogue="Try it: rag quickstart. Each command explains itself: rag COMMAND --help.",
        version=__version__,
        version_flags=["--version", "-V"],
        help_format="plaintext",
        help_formatter=HelpFormatter(),
        suppress_keyboard_interrupt=False,
        default_parameter=Parameter(negative=(), show_default=shown_default),
        group_commands=Group("Commands", show=False),
        group_parameters=Group("Options", sort_key=0),
    )
    for place, (title, commands) in enumerate(GROUPS.items()):
        group = Group(title, sort_key=place)
        for order, (name, summary) in enumerate(commands.items()):
            app.command(
                f"{COMMANDS}.{name}:{name}_command",
                name=name,
                help=None if name == command else summary,
                group=group,
                sort_key=order,
                **({"usage": f"Usage: {USAGES[name]}"} if name in USAGES else {}),
            )
    return app


def run(argv: Sequence[str]) -> int:
    """Run one command line; print its error, if any; return the exit code."""
    as_json = "--json" in argv or "--bulk" in argv
    command = next((word for word in argv if not word.startswith("-")), "")
    try:
        code = build_app(command)(
            list(argv), exit_on_error=False, print_error=False, result_action="return_value"
        )
        with writing():
            sys.stdout.flush()  # here a full disk can still be told
    except RagError as error:
        print_error(error, as_json=as_json)
        return error.exit_code
    except CycloptsError as error:
        wrapped = parser_fault(error, command, argv, names=_names())
        print_error(wrapped, as_json=as_json)
        return wrapped.exit_code
    except KeyboardInterrupt:
        print("interrupted; what was written is kept", file=sys.stderr)  # noqa: T201  # the CLI's own voice
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # the reader went away (`rag list | head`): no error, and no second one at exit
        discard_output()
        return 0
    except OSError as error:
        fault = system_fault(error)
        print_error(fault, as_json=as_json)
        return fault.exit_code
    return code if isinstance(code, int) else 0


def _names() -> list[str]:
    return [name for commands in GROUPS.values() for name in commands]
