"""What came of a run's pages, counted by what is known of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from scrapy_eatext.page.urls import host_of

# What it takes to count a page, beside its outcome and its address.
COUNTED = ("algorithm", "page_type", "language", "score")
# The hosts of a part, and of a report: those with the most pages.
_HOSTS, REPORTED = 50, 1000


@dataclass(frozen=True, slots=True)
class Tally:
    """Pages by outcome, and those with a text by host, kind, language and score.

    Scores are counted in tenths; "0.8" are those from 0.8 to below 0.9.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    hosts: Counter[str] = field(default_factory=Counter)
    page_types: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    scores: Counter[str] = field(default_factory=Counter)

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a row."""
        self.outcomes[row["outcome"]] += 1
        if row["algorithm"]:
            self.hosts[host_of(row["url"])] += 1
            self.page_types[row["page_type"]] += 1
            self.languages[row["language"]] += 1
            self.scores[f"{min(9, int(10 * row['score'])) / 10}"] += 1

    def merge(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        """Count what another one had counted."""
        for name, some in counts.items():
            getattr(self, name).update(some)

    def as_json(self, hosts: int = _HOSTS) -> dict[str, dict[str, int]]:
        """The counts, each with the most frequent first, of so many hosts."""
        most = {"hosts": hosts}
        return {
            one.name: {
                name: count
                for name, count in getattr(self, one.name).most_common(
                    most.get(one.name)
                )
                if count
            }
            for one in fields(self)
        }
