"""`python -m tests.parts [NAME...]`: fetch what the real tests need, or the parts of those names; exit code 1 when a part cannot be had."""

import sys

from tests.parts.fetch import main

sys.exit(main(sys.argv[1:]))
