"""Computes missing attributes of a result by extracting its response again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from weakref import ReferenceType, WeakKeyDictionary

from scrapy_eatext.crawl.ownrequests import RESULT
from scrapy_eatext.execution.cascade import GIVEN_UP, Job, Limits, extract_page
from scrapy_eatext.page.decode import text_of
from scrapy_eatext.result import COMPUTED, MainText, joined

if TYPE_CHECKING:
    from scrapy.http import Request, Response, TextResponse

    from scrapy_eatext.execution.choice import Choice
    from scrapy_eatext.result import Chunk

# The continuations that were joined to each response.
continuations: WeakKeyDictionary[TextResponse, list[TextResponse]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Reextraction:
    """Extracts a response again, with its continuations.

    It is parsed again, as the spider may have changed its tree.  The reference is weak,
    so a result does not keep its response in memory.
    """

    response: ReferenceType[TextResponse]
    choice: Choice
    limits: Limits
    kind: str
    at_hand = False

    def compute(self, names: Iterable[str]) -> Mapping[str, Any]:
        """All of COMPUTED, as one extraction gives them all."""
        response = self.response()
        if response is None:
            raise LookupError(
                f"{', '.join(names)} cannot be computed, as the response is gone or "
                "another has replaced it: name what you need in EATEXT_AHEAD to have "
                "it computed with the text, or ask main_text(response)"
            )
        job = self._job(response, self.choice)
        if self.kind in GIVEN_UP and not job.give_up:
            job = replace(job, give_up=self.kind)
        choice = self.choice.of_continuation
        pages = continuations.get(response, ())
        jobs = [job, *(self._job(page, choice) for page in pages)]
        return joined([extract_page(job).result for job in jobs]).computed

    def _job(self, page: TextResponse, choice: Choice) -> Job:
        job = Job(text_of(page), page.url, choice, limits=self.limits, fields=COMPUTED)
        return job.bounded()

    def chunks(self, form: Mapping[str, Any]) -> tuple[Chunk, ...]:
        """Chunks of another form, by another extraction."""
        changed = self.choice.chunks.changed(form)
        source = replace(self, choice=replace(self.choice, chunks=changed))
        chunks: tuple[Chunk, ...] = source.compute(("chunks",))["chunks"]
        return chunks


def attached(request: Request, response: Response) -> MainText | None:
    """The result that the downloader middleware attached to a response, or None.

    A response that replaced another one has the same request, whose meta still has the
    other's result, which is not returned.
    """
    result = request.meta.get(RESULT)
    if not isinstance(result, MainText):
        return None
    source = result.source
    if isinstance(source, Reextraction) and source.response() is not response:
        return None
    return result
