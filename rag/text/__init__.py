"""Words, scripts, snippets and token counts: the one analyser that every store shares."""

from rag.text.analyzer import Analyzer
from rag.text.estimating_token_counter import EstimatingTokenCounter
from rag.text.make_token_counter import make_token_counter
from rag.text.normalise import clean_text
from rag.text.scripts import Script, script_shares
from rag.text.snippet import Snippet, make_snippet
from rag.text.term_encoding import encode_term, encode_terms
from rag.text.token_counter import TokenCounter
from rag.text.tokens import Token

__all__ = [
    "Analyzer",
    "EstimatingTokenCounter",
    "Script",
    "Snippet",
    "Token",
    "TokenCounter",
    "clean_text",
    "encode_term",
    "encode_terms",
    "make_snippet",
    "make_token_counter",
    "script_shares",
]
