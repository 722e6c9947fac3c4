"""Small bots in plain Python, written to a file."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

READY = "print(json.dumps({'type': 'ready', 'protocol': 1}), flush=True)"
FIRST = "message['view']['legal'][0]"


def bot(tmp_path: Path, answer: str, hello: str = READY, limit: str = "") -> str:
    """The specification of a bot that runs a statement for each request, whose reply goes to ``say``."""
    path = tmp_path / "a bot.py"
    path.write_text(
        "import json, os, sys, time\n"
        "def say(action, id=None):\n"
        "    print(json.dumps({'id': message['id'] if id is None else id, 'action': action}), flush=True)\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'hello':\n"
        f"        {hello}\n"
        "        continue\n"
        f"    {answer}\n",
        encoding="utf-8",
    )
    return f"process:{limit}{shlex.join([sys.executable, '-S', str(path)])}"  # -S: starts in half the time
