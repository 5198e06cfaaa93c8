"""HTML's elements as the walk treats them, in Python and compiled alike."""

from __future__ import annotations

# Kinds of blocks; a block's number is the index here.
KINDS = (
    "paragraph",
    "heading",
    "list item",
    "quote",
    "code",
    "table cell",
    "caption",
    "term",
    "definition",
)
PARAGRAPH, HEADING, ITEM, QUOTE, CODE, CELL, CAPTION, TERM, DEFINITION = range(
    len(KINDS)
)

# Elements that a browser lays out as blocks: text on their two sides is never
# one word.
BLOCK = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl "
    "dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html "
    "legend li listing main menu nav ol p plaintext pre search section summary table "
    "tbody td tfoot th thead tr ul xmp".split()
)

# Elements whose content is no text of the page: code, resources, form
# controls, what browsers hide, formulas said again in another language, and the
# readings beside ruby characters.  Not bgsound and embed: these have no end tag, which
# the parser does not know, so it puts into them what stands behind them.
SKIP = frozenset(
    "annotation annotation-xml applet area audio base basefont canvas col "
    "colgroup datalist frame frameset head iframe img input link map meta meter "
    "noembed noframes noscript object optgroup option param progress rp rt script "
    "select source style svg template textarea title track video".split()
)

# Skipped elements that stand for a control of a form.  Of a button the text
# counts only inside a heading, where it opens and closes what follows, and as a block
# where it is a question.
CONTROLS = frozenset("button datalist input meter progress select textarea".split())

# Skipped elements that take room on a line: words beside them stand apart.
SPACERS = CONTROLS | frozenset("audio canvas iframe img object svg video".split())

# What a lenient walk reads all the same: what stands in for a script that did
# not run, and elements that swallow the page behind them when left open, as the parser
# leaves bgsound and embed, which have no end tag.
LENIENT_SKIP = SKIP - frozenset(
    "applet audio bgsound canvas embed map noscript object svg video".split()
)

# Elements that say what kind of text is in them.
KIND_OF = {
    "h1": HEADING,
    "h2": HEADING,
    "h3": HEADING,
    "h4": HEADING,
    "h5": HEADING,
    "h6": HEADING,
    "li": ITEM,
    "blockquote": QUOTE,
    "listing": CODE,
    "plaintext": CODE,
    "pre": CODE,
    "xmp": CODE,
    "td": CELL,
    "th": CELL,
    "caption": CAPTION,
    "figcaption": CAPTION,
    "legend": CAPTION,
    "dt": TERM,
    "dd": DEFINITION,
}

# Inline elements that the models look at.
INLINE = frozenset(
    "a abbr b big br button cite code del em font i ins kbd label mark q s samp "
    "small span strong sub sup time tt u var".split()
)

# What elements in a line make of the text inside, as bits: a mark's style.
(
    STRONG_TEXT,
    EM_TEXT,
    DEL_TEXT,
    SUP_TEXT,
    SUB_TEXT,
    CODE_TEXT,
    TEX_TEXT,
    MARK_TEXT,
    QUOTE_TEXT,
) = (1 << n for n in range(9))
STYLE_OF = {
    "b": STRONG_TEXT,
    "strong": STRONG_TEXT,
    "em": EM_TEXT,
    "i": EM_TEXT,
    "cite": EM_TEXT,
    "var": EM_TEXT,
    "del": DEL_TEXT,
    "s": DEL_TEXT,
    "strike": DEL_TEXT,
    "mark": MARK_TEXT,
    "q": QUOTE_TEXT,
    "sup": SUP_TEXT,
    "sub": SUB_TEXT,
    "code": CODE_TEXT,
    "kbd": CODE_TEXT,
    "samp": CODE_TEXT,
    "tt": CODE_TEXT,
}
# The styles of text that stands above or below its line.
RAISED = SUP_TEXT | SUB_TEXT
# Elements beside math that another text may stand for, as formulas and icons, and what
# their types, classes or sources then have in them.
SPECIAL_TAGS = frozenset(("i", "img", "script", "span"))
SPECIAL_HINTS = ("math", "latex", "katex-html", "MathJax", "material-", "tex.cgi")
# Images, and the sources of pictures, of which the parser does not know that they are
# empty: it takes the image behind one for a part of it.
IMG, SOURCE = "img", "source"
# Elements that show another page or file.
EMBEDS = frozenset("audio iframe object video".split())

LISTS = frozenset("dir menu ol ul".split())
STRONG = frozenset(("b", "strong"))

# A tag's number, for the tables of the walk: 0 is any tag that is not known.
TAGS = ("", *sorted(BLOCK | SKIP | INLINE))
TAG_ID = {name: i for i, name in enumerate(TAGS)}
