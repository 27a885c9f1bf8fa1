"""Every error that leaves this package, with its stable code.

    RagError                            exit 2
    ├── InvalidInputError               the caller's input is at fault; nothing was changed
    │   ├── EmptyQueryError             empty_query
    │   ├── QueryTooLongError           query_too_long
    │   ├── InvalidArgumentError        invalid_argument
    │   ├── InvalidFilterError          invalid_filter
    │   ├── InvalidCursorError          invalid_cursor
    │   └── StaleCursorError            stale_cursor
    ├── ConfigError                     config_invalid
    ├── NotFoundError                   not_found
    │   ├── PathNotFoundError           path_not_found
    │   ├── DocumentNotFoundError       document_not_found
    │   └── ChunkNotFoundError          chunk_not_found
    ├── UnreadableFileError             unreadable_file
    ├── MissingExtraError               missing_extra
    ├── EmbeddingError                  embedding_failed
    │   ├── EmbedderUnavailableError    embedder_unavailable
    │   ├── EmbeddingDimensionError     embedding_dimension
    │   └── InvalidVectorError          invalid_vector
    ├── StoreError                      store_failed
    │   ├── StoreUnreachableError       store_unreachable
    │   ├── StoreTooOldError            store_too_old
    │   ├── StoreTimeoutError           store_timeout
    │   ├── StoreLockedError            store_locked
    │   ├── StoreNotInitialisedError    store_not_initialised
    │   ├── StoreDamagedError           store_damaged
    │   ├── IndexIdentityMismatchError  index_identity_mismatch
    │   └── ScoreDirectionError         score_direction
    ├── RetrievalError                  retrieval_failed
    │   └── DeadlineExceededError       deadline_exceeded
    ├── OverloadedError                 overloaded
    └── RefusedError                    refused, exit 1
        ├── ReadonlyError               readonly
        ├── ConfirmationRequiredError   confirmation_required
        ├── UnauthenticatedError        unauthenticated
        └── ForbiddenError              forbidden

A message names what was given and what is allowed; ``hint`` says what to do next. Where
whoever raises an error knows nothing more particular, its class says the usual.
Foreign exceptions are mapped to these at one boundary per engine, never inside the chain.
"""

from __future__ import annotations

from rag.errors.rag_error import RagError as RagError


class InvalidInputError(RagError):
    """The caller's input is at fault; correct it and call again."""

    code = "invalid_input"
    usual_allowed = "an input as the message describes it"
    usual_hint = "correct what the message names and call again"


class EmptyQueryError(InvalidInputError):
    """The query is empty or only white space; nothing was asked of any store."""

    code = "empty_query"


class QueryTooLongError(InvalidInputError):
    """The query has more characters than allowed; shorten it."""

    code = "query_too_long"


class InvalidArgumentError(InvalidInputError):
    """An argument such as ``k``, ``mode`` or a budget is out of its range."""

    code = "invalid_argument"


class InvalidFilterError(InvalidInputError):
    """A filter key is unknown or its value has the wrong type."""

    code = "invalid_filter"


class InvalidCursorError(InvalidInputError):
    """The cursor is not one of ours, or belongs to another query; start again without it."""

    code = "invalid_cursor"
    usual_allowed = "a next_cursor of the same query, mode and filters"
    usual_hint = "start again without the cursor"


class StaleCursorError(InvalidInputError):
    """The index changed since the cursor was made; start again without it."""

    code = "stale_cursor"
    usual_allowed = "a next_cursor of the index as it is now"
    usual_hint = "start again without the cursor"


class ConfigError(RagError):
    """A setting is missing, unknown or of the wrong type; the message names it."""

    code = "config_invalid"
    usual_allowed = "a setting as docs/settings.md describes it"
    usual_hint = "correct it in rag.toml, in the environment, or as an option"


class NotFoundError(RagError):
    """Something the caller named does not exist."""

    code = "not_found"
    usual_allowed = "something that is there"
    usual_hint = "see what there is: list the documents"


class PathNotFoundError(NotFoundError):
    """The file or folder to read does not exist."""

    code = "path_not_found"
    usual_allowed = "the path of something that exists"
    usual_hint = "check the path; a relative one starts at the current folder"


class DocumentNotFoundError(NotFoundError):
    """No document with this id or path is in the store."""

    code = "document_not_found"


class ChunkNotFoundError(NotFoundError):
    """No chunk with this id is in the store."""

    code = "chunk_not_found"


class UnreadableFileError(RagError):
    """A file named by the caller cannot be read as its kind; the message says why."""

    code = "unreadable_file"
    usual_allowed = "a file that can be read as its kind"
    usual_hint = "open it with its own program to see whether it is whole"


class MissingExtraError(RagError):
    """An optional package is needed; the hint has the command that installs it."""

    code = "missing_extra"


class EmbeddingError(RagError):
    """The embedder failed on this input."""

    code = "embedding_failed"
    usual_allowed = "texts that the embedder takes"
    usual_hint = "try again; if it fails again choose another embedder"


class EmbedderUnavailableError(EmbeddingError):
    """The model's files are missing or altered, or its server does not answer."""

    code = "embedder_unavailable"


class EmbeddingDimensionError(EmbeddingError):
    """A vector has another length than the embedder declared."""

    code = "embedding_dimension"


class InvalidVectorError(EmbeddingError):
    """A vector is zero or holds NaN or infinity."""

    code = "invalid_vector"


class StoreError(RagError):
    """The store failed; what was written before is kept."""

    code = "store_failed"
    usual_allowed = "a store that can be opened, read and written"
    usual_hint = "look with: rag doctor"


class StoreUnreachableError(StoreError):
    """No server answers at the store's URI."""

    code = "store_unreachable"


class StoreTooOldError(StoreError):
    """The server at the store's URI is of a version that cannot do what a store needs."""

    code = "store_too_old"


class StoreTimeoutError(StoreError):
    """The store did not answer in time."""

    code = "store_timeout"
    usual_allowed = "a store that answers in time"
    usual_hint = "try again, or raise store.timeout_s"


class StoreLockedError(StoreError):
    """Another process holds the store; nothing needs to be deleted or moved."""

    code = "store_locked"
    usual_allowed = "one writer at a time; of Milvus Lite one process"
    usual_hint = "wait for the other process and try again"


class StoreNotInitialisedError(StoreError):
    """There is no index at this URI yet; ingest something first."""

    code = "store_not_initialised"
    usual_allowed = "the path of a base that something was ingested into"
    usual_hint = "ingest something first: rag ingest FOLDER"


class StoreDamagedError(StoreError):
    """What lies at the URI is not a store of ours, or is damaged; nothing was changed."""

    code = "store_damaged"
    usual_allowed = "a store that this program made, whole"
    usual_hint = "run: rag doctor --repair"


class IndexIdentityMismatchError(StoreError):
    """The index was built by another embedder, analyser or schema than the one now in use."""

    code = "index_identity_mismatch"


class ScoreDirectionError(StoreError):
    """The engine's scores do not have the sign or range that this store turns into ours."""

    code = "score_direction"


class RetrievalError(RagError):
    """Every channel that was asked failed."""

    code = "retrieval_failed"
    usual_allowed = "a store of which a channel answers"
    usual_hint = "look with: rag doctor"


class DeadlineExceededError(RetrievalError):
    """No channel answered before the deadline."""

    code = "deadline_exceeded"
    usual_allowed = "a longer deadline"
    usual_hint = "raise deadline_s, or try again"


class OverloadedError(RagError):
    """A service has as much work as it takes; try again a little later."""

    code = "overloaded"
    usual_allowed = "fewer calls at once"
    usual_hint = "try again a little later"


class RefusedError(RagError):
    """The call was understood and refused on purpose."""

    code = "refused"
    exit_code = 1
    usual_allowed = "what the message does not refuse"
    usual_hint = "ask whoever runs this base"


class ReadonlyError(RefusedError):
    """A write was asked for while the base is read-only."""

    code = "readonly"
    usual_allowed = "whatever writes nothing"
    usual_hint = "open the base without --readonly"


class ConfirmationRequiredError(RefusedError):
    """A destructive call needs an explicit confirmation."""

    code = "confirmation_required"
    usual_allowed = "a confirmation"
    usual_hint = "confirm that it is meant"


class UnauthenticatedError(RefusedError):
    """A service wants an API key, and none that it knows was given."""

    code = "unauthenticated"
    usual_allowed = "an API key that the service knows"
    usual_hint = "send a key: Authorization: Bearer KEY"


class ForbiddenError(RefusedError):
    """Who asks is known, and may not do this; or a page of another site asked."""

    code = "forbidden"
    usual_allowed = "what the scopes of the key allow"
    usual_hint = "ask whoever runs the service for a key that may"
