"""Counts of a run's pages by outcome, host, kind, language and score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from scrapy_eatext.page.urls import host_of

# The columns that are counted, besides outcome and address.
COUNTED = ("algorithm", "page_type", "language", "score")
# The most hosts in the counts of a part, and in a report: those with the most pages.
_HOSTS, REPORTED = 50, 1000


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of pages by outcome, and of those with a text by host, kind and so on.

    Scores are counted by tenths: "0.8" has those from 0.8 to below 0.9.
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
        """Add the counts of another tally."""
        for name, others in counts.items():
            getattr(self, name).update(others)

    def as_json(self, hosts: int = _HOSTS) -> dict[str, dict[str, int]]:
        """The counts in descending order, with at most ``hosts`` hosts."""
        most = {"hosts": hosts}
        return {
            counter.name: {
                name: count
                for name, count in getattr(self, counter.name).most_common(
                    most.get(counter.name)
                )
                if count
            }
            for counter in fields(self)
        }
