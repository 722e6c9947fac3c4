"""Files of match parts with other contents and a right checksum."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any


def sealed(content: Any) -> Any:
    """Give the contents of a file, if it can have one, the checksum of its parts."""
    if isinstance(content, dict) and "parts" in content:
        text = json.dumps(content["parts"], separators=(",", ":"))
        content["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    return content


def change_part(path: Path, **fields: Any) -> Path:
    """Change fields of the first part in a file."""
    content = json.loads(path.read_text())
    content["parts"][0].update(fields)
    path.write_text(json.dumps(sealed(content)))
    return path
