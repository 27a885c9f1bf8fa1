"""Words of a question that say nothing about its topic; dropped from queries, never from texts."""

from __future__ import annotations

# Function words of English: articles, pronouns, prepositions, auxiliaries, question words.
# Lower case, as typed; what an apostrophe leaves behind (don't: don, t) is listed too.
ENGLISH_STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are as at be because been before being between both
    but by can could did do does doing don for from further had has have having he her here hers
    him his how i if in into is it its itself just ll may me might more most must my no nor not of
    on once only or other our ours out over own re s same shall she should so some such t than
    that the their theirs them themselves then there these they this those through to too under
    until up upon us ve very was we were what when where which while who whom whose why will with
    would you your yours
    """.split()
)
