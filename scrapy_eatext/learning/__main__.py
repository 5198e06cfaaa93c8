"""``python -m scrapy_eatext.learning train`` and ``evaluate``."""

from __future__ import annotations

from scrapy_eatext.learning.cli import main

raise SystemExit(main())
