"""Files of templates of sites, in JSON that people can read and edit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from scrapy_eatext.sites.evidence import Lessons, Place, Site, Template

VERSION = 1
_FORMAT = "scrapy-eatext site"
_MAX_BYTES = 1 << 25
_MAX_COUNT = 1 << 40
_SIGN = 1 << 31
# The exceptions that a damaged file causes.
_DAMAGE = (KeyError, TypeError, ValueError, AttributeError, OverflowError)


class SiteFileError(ValueError):
    """A site file that is damaged, missing, misnamed, or of another version."""


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A site's file.

    ``texts`` are the beginnings of the texts whose hashes are in ``site.dropped``, for
    people.  ``before`` and ``after`` are word F1 on the labelled pages without and with
    the site's evidence, in leave-one-out cross-validation; ``helps`` is the conclusion.
    """

    host: str
    site: Site
    texts: tuple[str, ...]
    pages: int
    before: float = 0.0
    after: float = 0.0
    helps: bool = True

    @property
    def name(self) -> str:
        return f"{self.host}.json"

    @property
    def summary(self) -> str:
        """A line for people."""
        pages = f"{self.pages} page{'s' * (self.pages != 1)}"
        verdict = "helps" if self.helps else "does not help enough"
        scores = f"F1 {self.before:.3f} -> {self.after:.3f}"
        return f"{self.host}: {pages}, {scores}, {verdict}"

    def as_json(self) -> str:
        """The file's text, which is deterministic."""
        data = {
            "format": _FORMAT,
            "version": VERSION,
            "host": self.host,
            "pages": self.pages,
            "before": round(self.before, 4),
            "after": round(self.after, 4),
            "strength": self.site.strength,
            "place": ["main", "comments", "rest", "pages"],
            "templates": [
                {
                    "pages": template.pages,
                    "places": {
                        path: list(astuple(template.places[path]))
                        for path in sorted(template.places)
                    },
                }
                for template in self.site.templates
            ],
            "dropped": [
                f"{number % (1 << 32):08x} {text}"
                for number, text in zip(self.site.dropped, self.texts, strict=True)
            ],
        }
        return json.dumps(data, ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def read(cls, file: Path) -> SiteFile:
        """Read a file.  Raises SiteFileError, whose message names the file."""
        try:
            if file.stat().st_size > _MAX_BYTES:
                raise SiteFileError(f"{file} is larger than any site file")
            data = json.loads(file.read_bytes())
        except (ValueError, RecursionError) as error:
            raise SiteFileError(f"{file} is not JSON: {error}") from error
        except OSError as error:
            raise SiteFileError(f"{file}: {error.strerror or error}") from error
        if not isinstance(data, dict) or data.get("format") != _FORMAT:
            raise SiteFileError(f"{file} is not a site file")
        if data.get("version") != VERSION:
            raise SiteFileError(
                f"{file} has version {data.get('version')!r}; this release reads "
                f"version {VERSION}"
            )
        try:
            return _from(data)
        except _DAMAGE as error:
            raise SiteFileError(f"{file} is damaged: {error!r}") from error


def _from(data: Mapping[str, Any]) -> SiteFile:
    dropped, texts = [], []
    for line in data["dropped"]:
        number, _, text = line.partition(" ")
        if len(number) != 8:
            raise ValueError(f"{line[:40]!r} does not begin with a hash")
        dropped.append((int(number, 16) ^ _SIGN) - _SIGN)
        texts.append(text)
    templates = []
    for template in data["templates"]:
        places = {
            _string(path): Place(*map(_count, counts))
            for path, counts in template["places"].items()
        }
        templates.append(Template(_count(template["pages"]), places))
    return SiteFile(
        host=_string(data["host"]),
        site=Site(tuple(templates), tuple(dropped), _count(data["strength"])),
        texts=tuple(texts),
        pages=_count(data["pages"]),
        before=float(data["before"]),
        after=float(data["after"]),
    )


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value <= _MAX_COUNT:
        raise ValueError(f"{value!r} is not a count")
    return value


def _string(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{value!r} is not a text")
    value.encode()  # raises for a lone surrogate, which JSON can contain
    return value


def load_lessons(folder: str | Path) -> Lessons:
    """The lessons of a folder's site files.  Raises SiteFileError, also for no folder."""
    folder = Path(folder)
    if not folder.is_dir():
        raise SiteFileError(f"{folder} is not a folder")
    sites = {}
    for file in sorted(folder.glob("*.json")):
        site_file = SiteFile.read(file)
        if site_file.name != file.name:
            message = f"{file} is for the host {site_file.host!r}, not for its name's"
            raise SiteFileError(message)
        sites[site_file.host] = site_file.site
    return Lessons(sites)
