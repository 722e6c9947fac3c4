"""Text for streams whose encoding lacks some characters: substitutes such as C for ♣ instead of an error."""

from __future__ import annotations

import codecs
import re
import sys
import unicodedata
from typing import TextIO

ERRORS = "german_whist_plain_text"
"""The name of this error handler of ``codecs``, once the module is imported."""

# Substitutes for characters that Unicode cannot decompose, as it can ½ and é.
_PLAIN = str.maketrans({**dict(zip("♣♦♥♠─▶·█×−–—µτ", "CDHS->|#x---ut", strict=True)), "±": "+-", "∞": "inf", "⁄": "/"})


def writable(text: str, stream: TextIO | None = None) -> str:
    """Return a text with only characters that a stream can write.

    Args:
        text: the text.
        stream: where it will be written; standard output by default. A stream without an encoding takes everything.
    """
    encoding = getattr(stream or sys.stdout, "encoding", None) or "utf-8"
    try:
        return text.encode(encoding, ERRORS).decode(encoding)
    except LookupError:  # an encoding that Python does not have
        return text.encode("ascii", ERRORS).decode("ascii")


def _plain_text(error: UnicodeError) -> tuple[str, int]:
    """Return ASCII for what cannot be encoded, and where to continue: an error handler for ``codecs``."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = unicodedata.normalize("NFKD", error.object[error.start : error.end].translate(_PLAIN)).translate(_PLAIN)
    plain = "".join(sign for sign in text if not unicodedata.combining(sign))
    end = error.end
    if plain.endswith("+-") and re.match(r" \d", error.object[end : end + 2]):
        end += 1  # ± 1.5 becomes +-1.5, which has the same width, so tables stay aligned
    return plain.encode("ascii", "replace").decode("ascii"), end


codecs.register_error(ERRORS, _plain_text)
