"""The way from a crawl's result back to its response, for missing attributes."""

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

# The pages that were joined to a response's, for as long as the response lives.
continuations: WeakKeyDictionary[TextResponse, list[TextResponse]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Reextraction:
    """Extracts a response once more, with the pages that were joined to it.

    It is parsed anew, as the spider may have changed its tree.  The result does not keep
    the response in memory.
    """

    response: ReferenceType[TextResponse]
    choice: Choice
    limits: Limits
    kind: str
    at_hand = False

    def compute(self, names: Iterable[str]) -> Mapping[str, Any]:
        """All of COMPUTED, as one more extraction gives them all."""
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
        more = continuations.get(response, ())
        of_more = self.choice.of_continuation
        jobs = [job, *(self._job(page, of_more) for page in more)]
        return joined([extract_page(job).result for job in jobs]).computed

    def _job(self, page: TextResponse, choice: Choice) -> Job:
        job = Job(text_of(page), page.url, choice, limits=self.limits, fields=COMPUTED)
        return job.bounded()

    def chunks(self, form: Mapping[str, Any]) -> tuple[Chunk, ...]:
        """Chunks of another form, by one more extraction."""
        changed = self.choice.chunks.changed(form)
        way = replace(self, choice=replace(self.choice, chunks=changed))
        found: tuple[Chunk, ...] = way.compute(("chunks",))["chunks"]
        return found


def attached(request: Request, response: Response) -> MainText | None:
    """The result that the downloader middleware attached to this very response.

    A response that replaces another one has the same request, whose meta still has the
    result of the response before.  That result is not returned.
    """
    result = request.meta.get(RESULT)
    if not isinstance(result, MainText):
        return None
    source = result.source
    if isinstance(source, Reextraction) and source.response() is not response:
        return None
    return result
