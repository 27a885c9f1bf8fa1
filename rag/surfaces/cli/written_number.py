"""Options that are numbers, read as they are written."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from cyclopts import CoercionError, Token

WHOLE = re.compile(r"-?[0-9]{1,20}")


def whole_number(_kind: object, tokens: Sequence[Token]) -> int:
    """Return a whole number; the parser's own reading would round 2.5 and take 0x10.

    Raises:
        CoercionError: it is none.
    """
    (token,) = tokens
    if not WHOLE.fullmatch(token.value):
        raise CoercionError(token=token, target_type=int)
    return int(token.value)


def any_number(_kind: object, tokens: Sequence[Token]) -> float:
    """Return a finite number, a whole one as such, so that an error repeats it as it was given.

    Raises:
        CoercionError: it is none.
    """
    (token,) = tokens
    if WHOLE.fullmatch(token.value):
        return int(token.value)
    try:
        number = float(token.value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise CoercionError(token=token, target_type=float)
    return number
