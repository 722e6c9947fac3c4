"""Cache folder of compiled kernels and tablebases."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

CACHE_VARIABLE = "GERMAN_WHIST_CACHE"


def cache_folder() -> Path:
    """Return this folder: ``$GERMAN_WHIST_CACHE``, or the user's cache folder."""
    given = os.environ.get(CACHE_VARIABLE)
    return Path(given) if given else platformdirs.user_cache_path("german-whist", appauthor=False)
