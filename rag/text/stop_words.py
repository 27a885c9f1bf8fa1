"""Words of a question that say nothing about its topic; dropped from queries, never from texts."""

from __future__ import annotations

# Function words of English: articles, pronouns, prepositions, auxiliaries, question words.
# Lower case, as typed. Not here because they are topics too: us, it's parts in capitals, may.
_ENGLISH = """
a about after again all also am an and any are as at be because been before being between both
but by can could did do does doing don't doesn't didn't for from further had has have having he
her here hers him his how i i'm i've if in into is isn't it its itself just me might more most
must my no nor not of on once only or other our ours out over own same shall she should so some
such than that the their theirs them themselves then there these they this those through to too
under until up upon very was wasn't we were what when where which while who whom whose why will
with won't would you your yours can't aren't
"""
ENGLISH_STOP_WORDS = frozenset(_ENGLISH.split())
