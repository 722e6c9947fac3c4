"""``python -m german_whist``."""

import sys

from german_whist.cli import main

sys.exit(main())
