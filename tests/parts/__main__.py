"""`python -m tests.parts`: fetch what the real tests need; exit code 1 when a part cannot be had."""

import sys

from tests.parts.fetch import main

sys.exit(main())
