"""Tests that need Node."""

from __future__ import annotations

import os
import shutil

import pytest

REQUIRED = os.environ.get("GERMAN_WHIST_BROWSER") == "required"

needs_node = pytest.mark.skipif(not (REQUIRED or shutil.which("node")), reason="node is not installed")
