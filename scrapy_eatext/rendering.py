"""One algorithm's verdict on one page, as MainText."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy_eatext.algorithms.base import Verdict
from scrapy_eatext.output.judged import JudgedPage
from scrapy_eatext.output.text import render_text
from scrapy_eatext.page.values import bounded
from scrapy_eatext.result import MainText
from scrapy_eatext.rules import apply_rules

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Algorithm
    from scrapy_eatext.output.forms import Forms
    from scrapy_eatext.page import Page


def run(
    algorithm: Algorithm[Any], page: Page, *, rules: tuple[str, str] = ("", "")
) -> MainText:
    """An algorithm's result for a page, with a site's selectors to keep and to remove."""
    verdict: Any = algorithm.judge(page)
    if not isinstance(verdict, Verdict):
        kind = type(verdict).__name__
        raise TypeError(f"{algorithm.name} has no Verdict on the page, but a {kind}")
    if any(rules):
        verdict = apply_rules(page, verdict, *rules)
    return render(verdict, page, algorithm.name, algorithm.version)


def render(verdict: Verdict, page: Page, name: str, version: str) -> MainText:
    """A verdict as MainText.  Raises ValueError for a verdict that lacks units."""
    count = len(verdict.units)
    for judged_units in (verdict.kept, verdict.scores, verdict.reasons):
        if len(judged_units) != count:
            message = f"{name} has a verdict on {len(judged_units)} of {count} units"
            raise ValueError(message)
    judged = JudgedPage(page, verdict)
    text = verdict.text
    if text is None:
        text = render_text(verdict, judged.shown)
    judged.text = text
    score = verdict.score
    if score is None or math.isnan(score):  # the algorithm has none
        score = 1.0 if text else 0.0
    language = bounded("language", verdict.language or "") or page.language
    if text and not language:
        # Few pages declare none.
        from scrapy_eatext.algorithms.language import text_language

        language = text_language(text)
    result = MainText(
        text=text,
        algorithm=name,
        version=version,
        score=min(1.0, max(0.0, float(score))),
        page_type=bounded("page_type", verdict.page_type or ""),
        language=language,
        origin=_origin(page, verdict),
        template=verdict.template,
    )
    result.attach(judged)
    return result


def with_outputs(result: MainText, forms: Forms) -> MainText:
    """A result of render() whose outputs have certain forms, its text included."""
    judged = result.source
    if not isinstance(judged, JudgedPage) or not result.text:
        return result
    judged.forms = forms
    if not forms.title or not judged.headline.text:
        return result
    headline, text = judged.headline.text, judged.text_below(result.text)
    whole = judged.text = f"{headline}\n\n{text}" if text else headline
    entitled = replace(result, text=whole)
    return entitled.backed({**result.computed, "headline": headline}, judged)


def _origin(page: Page, verdict: Verdict) -> str:
    """Where a text is from: hidden text is read only of pages that show none."""
    # is_lenient is False for a page without a walk, so page.blocks starts none here.
    has_hidden = page.is_lenient and verdict.units is page.blocks
    if has_hidden and verdict.origin == "page":
        return page.blocks.origin(verdict.kept)
    return verdict.origin
