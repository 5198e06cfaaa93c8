"""Groups and numbers of HTML elements, for the walk and its compiled twin."""

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

# Elements that browsers lay out as blocks: text before and after them is never one
# word.
BLOCK = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl "
    "dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html "
    "legend li listing main menu nav ol p plaintext pre search section summary table "
    "tbody td tfoot th thead tr ul xmp".split()
)

# Elements whose content is not text of the page: code, resources, form controls, hidden
# elements, formulas in another notation, and ruby annotations.  Not bgsound and embed:
# the parser does not know that they are void, and puts the text behind into them.
SKIP = frozenset(
    "annotation annotation-xml applet area audio base basefont canvas col "
    "colgroup datalist frame frameset head iframe img input link map meta meter "
    "noembed noframes noscript object optgroup option param progress rp rt script "
    "select source style svg template textarea title track video".split()
)

# Skipped elements that are form controls.  The text of a button counts only inside a
# heading, where it opens and closes a section, and as a block if it is a question.
CONTROLS = frozenset("button datalist input meter progress select textarea".split())

# Skipped elements that take room on a line, so that they separate words.
SPACERS = CONTROLS | frozenset("audio canvas iframe img object svg video".split())

# A lenient walk also reads fallbacks for scripts, and elements that contain everything
# behind them if they have no end tag.
LENIENT_SKIP = SKIP - frozenset(
    "applet audio bgsound canvas embed map noscript object svg video".split()
)


def _by_tag(tags: dict[int, str]) -> dict[str, int]:
    """The number of each tag, from the tags of each number."""
    return {tag: number for number, names in tags.items() for tag in names.split()}


# The kind of the text in an element.
KIND_OF = _by_tag(
    {
        HEADING: "h1 h2 h3 h4 h5 h6",
        ITEM: "li",
        QUOTE: "blockquote",
        CODE: "listing plaintext pre xmp",
        CELL: "td th",
        CAPTION: "caption figcaption legend",
        TERM: "dt",
        DEFINITION: "dd",
    }
)

# Inline elements that features of the models use.
INLINE = frozenset(
    "a abbr b big br button cite code del em font i ins kbd label mark q s samp "
    "small span strong sub sup time tt u var".split()
)

# The styles of inline elements, as bits of a mark's style.
STRONG_TEXT, EM_TEXT, DEL_TEXT, SUP_TEXT, SUB_TEXT = (1 << n for n in range(5))
CODE_TEXT, TEX_TEXT, MARK_TEXT, QUOTE_TEXT = (1 << n for n in range(5, 9))
STYLE_OF = _by_tag(
    {
        STRONG_TEXT: "b strong",
        EM_TEXT: "em i cite var",
        DEL_TEXT: "del s strike",
        MARK_TEXT: "mark",
        QUOTE_TEXT: "q",
        SUP_TEXT: "sup",
        SUB_TEXT: "sub",
        CODE_TEXT: "code kbd samp tt",
    }
)
# The elements that the output has for styles, outermost first.
STYLE_ELEMENTS = {
    QUOTE_TEXT: "q",
    STRONG_TEXT: "strong",
    EM_TEXT: "em",
    MARK_TEXT: "mark",
    DEL_TEXT: "del",
    SUP_TEXT: "sup",
    SUB_TEXT: "sub",
    CODE_TEXT: "code",
}
# The styles of superscripts and subscripts.
RAISED = SUP_TEXT | SUB_TEXT
# Elements besides math whose text may be replaced, as they are formulas, icons or numbers
# of notes, and the words that their types, classes or sources then contain.
SPECIAL_TAGS = frozenset(("i", "img", "script", "span", "sup"))
SPECIAL_HINTS = (
    "math", "latex", "katex-html", "MathJax", "material-", "tex.cgi", "_note"
)  # fmt: skip
# Images, and the sources of pictures.  The parser does not know that a source is void,
# and puts the image behind into it.
IMG, SOURCE = "img", "source"
# Skipped elements across which browsers find no text: text, a box or a drawing is there.
SHOWN = SPACERS - {IMG} | {"rt"}
# The images of AMP, custom elements whose content is a fallback.
AMP_IMAGES = frozenset(("amp-anim", "amp-img"))
# Elements that show another page or file.
EMBEDS = frozenset("audio iframe object video".split())

# Elements without an end tag, and those whose content is text up to their end tag.
VOID = frozenset(
    "area base br col embed frame hr img input link meta param source track wbr".split()
)
RAW = frozenset(
    "iframe noembed noframes plaintext script style textarea title xmp".split()
)
LISTS = frozenset("dir menu ol ul".split())
STRONG = frozenset(("b", "strong"))
# Inline elements of which two that are adjacent are never one word.
APART = frozenset(("a", "time"))

# The numbers of tags in the tables of the walk.  0 is that of all unknown tags.
TAGS = ("", *sorted(BLOCK | SKIP | INLINE))
TAG_ID = {name: i for i, name in enumerate(TAGS)}
