"""``python -m german_whist``: the ``german-whist`` command."""

import sys

from german_whist.cli import main

sys.exit(main())
