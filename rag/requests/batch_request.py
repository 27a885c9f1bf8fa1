"""What a caller may ask of a batch of look-ups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import Field, PlainValidator, WithJsonSchema

from rag.errors import InvalidArgumentError
from rag.requests.lookup_request import (
    AttemptNumber,
    ContextBudget,
    EvidenceCount,
    LookupRequest,
    QualityFloor,
    SeenChunks,
    Session,
    parse_request,
)
from rag.requests.request import Request, fields_of, parse_as, without_nulls
from rag.requests.request_fields import Deadline, Filters, Mode
from rag.stores.filters import SearchFilter

MAX_BATCH = 50  # questions; a larger batch leaves no useful share of a budget to each
HITS_OF_A_BATCH = 50  # of all questions together, where k is not given: a budget holds few more
OF_THE_BATCH = frozenset({"queries", "budget_tokens"})

Question = LookupRequest | str | Mapping[str, Any]


def checked_questions(given: object) -> tuple[Question, ...]:
    """Return the questions of a batch as they are; InvalidArgumentError where it is no list."""
    allowed = f"a list of 1 to {MAX_BATCH} questions"
    if isinstance(given, str | bytes) or not isinstance(given, Sequence):
        raise InvalidArgumentError(
            f"'queries' must be {allowed}; got {type(given).__name__}", given=given, allowed=allowed
        )
    if not 1 <= len(given) <= MAX_BATCH:
        raise InvalidArgumentError(
            f"'queries' must be {allowed}; got {len(given)}", given=len(given), allowed=allowed
        )
    return tuple(given)


def _questions_schema() -> dict[str, Any]:
    one = LookupRequest.model_json_schema()
    fields = {name: field for name, field in one["properties"].items() if name != "budget_tokens"}
    question = {
        "type": "object",
        "properties": fields,
        "required": ["query"],
        "additionalProperties": False,
    }
    return {
        "type": "array",
        "items": {"anyOf": [fields["query"], question]},
        "minItems": 1,
        "maxItems": MAX_BATCH,
        "description": "The questions, as text or with options of their own.",
    }


Questions = Annotated[
    tuple[Any, ...], PlainValidator(checked_questions), WithJsonSchema(_questions_schema())
]


class BatchRequest(Request):
    """Several look-ups within one budget; an option holds for each that does not set it itself.

    Questions are read one by one later, since one that is at fault costs the others nothing.
    """

    called: ClassVar[str] = "a batch"

    queries: Questions
    k: EvidenceCount = None
    mode: Mode = None
    filters: Filters = Field(default_factory=SearchFilter)
    budget_tokens: ContextBudget = None
    min_quality: QualityFloor = None
    session_id: Session = None
    attempt: AttemptNumber = None
    seen_chunk_ids: SeenChunks = ()
    deadline_s: Deadline = None

    def part(self, query: Question, *, default_k: int) -> LookupRequest:
        """Return one question under the options of all; its own go first.

        ``default_k`` is the k of a batch of one. Of a larger one that names no k, the questions
        share 50 hits.

        Raises:
            InvalidArgumentError: a field is at fault, or the question has a budget of its own.
        """
        shared = {name: getattr(self, name) for name in self.model_fields_set - OF_THE_BATCH}
        shared.setdefault("k", min(default_k, max(1, HITS_OF_A_BATCH // len(self.queries))))
        own = without_nulls(fields_of(query, LookupRequest), LookupRequest)
        request = parse_request({**shared, **own})
        if request.budget_tokens is not None:
            raise InvalidArgumentError(
                "a question of a batch has no budget of its own",
                given=request.budget_tokens,
                allowed="budget_tokens of the whole batch",
            )
        return request


def parse_batch(
    given: BatchRequest | Sequence[Question], options: Mapping[str, Any] | None = None
) -> BatchRequest:
    """Return the batch that a list of questions or a request describes, with options over it.

    Raises:
        InvalidArgumentError: the list or an option is at fault.
        InvalidFilterError: the filter of all is.
    """
    if isinstance(given, BatchRequest):
        return parse_as(BatchRequest, given, options)
    return parse_as(BatchRequest, {**(options or {}), "queries": given})
