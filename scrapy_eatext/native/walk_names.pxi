# Names of elements, attributes and roles, and their properties for the walk.

cdef enum:
    # The properties of an element's name, a bit each.
    BLOCK = 1 << 0
    SKIP = 1 << 1
    LENIENT_SKIP = 1 << 2
    CONTROL = 1 << 3
    SPACER = 1 << 4
    LIST = 1 << 5
    STRONG = 1 << 6
    LINK = 1 << 7
    BREAK = 1 << 8
    RULE = 1 << 9
    TABLE_ROW = 1 << 10
    IMAGE = 1 << 11
    BUTTON = 1 << 12
    DIALOG = 1 << 13
    TEMPLATE = 1 << 14
    SOURCE = 1 << 15
    HEAD = 1 << 16
    SPECIAL = 1 << 17
    # A role can make the element a heading.
    HEADED = 1 << 18
    # The properties of a role: it is that of a panel, or of a heading.
    PANEL_ROLE = 1 << 19
    HEADING_ROLE = 1 << 20
    EMBED = 1 << 21
    AMP_IMAGE = 1 << 22
    APART = 1 << 23
    SHOWN = 1 << 24

cdef enum:
    # The properties of an element's attributes, a bit each: the attribute exists ...
    HREF = 1 << 0
    LABELLED = 1 << 1
    OPEN = 1 << 2
    SHADOW = 1 << 3
    STYLE = 1 << 4
    HIDDEN = 1 << 5
    ID = 1 << 6
    ROLE = 1 << 7
    LEVEL = 1 << 8
    # ... the style hides the element; a script or a search shows it when hidden; it has
    # a role; the role is a panel's or a heading's
    HIDES = 1 << 9
    REVEALED = 1 << 10
    HAS_ROLE = 1 << 11
    PANEL = 1 << 12
    AS_HEADING = 1 << 13
    CONTROLS = 1 << 14
    # ... and from this bit on, another one of TOKEN_ATTRIBUTES exists.
    OTHERS = 1 << 15
    # The link leads to a place on the page.
    NEAR = 1 << 27
    # The highest bits have a heading's level.
    LEVEL_AT = 28
    # Attributes whose values are not read, and those whose values have no words.
    VALUELESS = LABELLED | OPEN | SHADOW
    WORDLESS = VALUELESS | HREF | STYLE | HIDDEN | LEVEL | CONTROLS

cdef enum:
    # The size of the table of names: a power of two, three times their number.
    SLOTS = 512


cdef struct Name:
    # The properties of a name as an element, an attribute and a role.
    const char* name
    # As an element: its number, its kind of block or -1, its level as a heading, the
    # style of text inside, and other properties.
    int32_t number
    int32_t kind
    int32_t level
    int32_t style
    uint32_t traits
    # As an attribute: its bit, or 0, and the hash of the prefix of its words.
    uint32_t bit
    uint32_t seed


cdef Name[SLOTS] NAMES
# The element of a button with a question, which shows the answer.
cdef Name QUESTION
cdef int DEFAULT_HEADING_LEVEL = int(elements.DEFAULT_HEADING_LEVEL)
cdef int QUESTION_NODES = elements.QUESTION_NODES
cdef int CITE = tags.TAG_ID["cite"]
cdef int PARAGRAPH = tags.PARAGRAPH
cdef int HEADING = tags.HEADING
cdef int ITEM = tags.ITEM
cdef int QUOTE = tags.QUOTE
cdef int CODE = tags.CODE
cdef int CELL = tags.CELL
_TRAITS = {
    BLOCK: tags.BLOCK,
    SKIP: tags.SKIP,
    LENIENT_SKIP: tags.LENIENT_SKIP,
    CONTROL: tags.CONTROLS,
    SPACER: tags.SPACERS,
    SHOWN: tags.SHOWN,
    LIST: tags.LISTS,
    STRONG: tags.STRONG,
    LINK: {"a"},
    APART: tags.APART,
    BREAK: {"br"},
    RULE: {"hr"},
    TABLE_ROW: {"tr"},
    IMAGE: {tags.IMG},
    SOURCE: {tags.SOURCE},
    EMBED: tags.EMBEDS,
    AMP_IMAGE: tags.AMP_IMAGES,
    BUTTON: {"button"},
    DIALOG: {"dialog"},
    TEMPLATE: {"template"},
    HEAD: {"head"},
    SPECIAL: tags.SPECIAL_TAGS,
    HEADED: elements.HEADED,
    PANEL_ROLE: elements.PANELS,
    HEADING_ROLE: elements.HEADING_ROLES,
}
cdef int TEX_STYLE = tags.TEX_TEXT, RAISED_STYLE = tags.RAISED
cdef enum:
    HINTS = 7
cdef const char* SPECIAL_HINTS[HINTS]
# Their bytes stay alive here.
_HINTS = [hint.encode() for hint in tags.SPECIAL_HINTS]
assert len(_HINTS) == HINTS
for _number in range(HINTS):
    SPECIAL_HINTS[_number] = _HINTS[_number]
_ATTRIBUTES = {
    "href": HREF,
    "aria-labelledby": LABELLED,
    "open": OPEN,
    "shadowrootmode": SHADOW,
    "style": STYLE,
    "hidden": HIDDEN,
    "id": ID,
    "role": ROLE,
    "aria-level": LEVEL,
    "aria-controls": CONTROLS,
}
for _number, _name in enumerate(specification.TOKEN_ATTRIBUTES):
    _ATTRIBUTES.setdefault(_name, OTHERS << _number)
assert max(_ATTRIBUTES.values()) < NEAR
# The bytes of the names stay alive here.
_NAMES = {
    name: name.encode()
    for name in (
        *tags.TAGS,
        *tags.STYLE_OF,
        *tags.AMP_IMAGES,
        *_ATTRIBUTES,
        *elements.PANELS,
        *elements.HEADING_ROLES,
    )
}


cdef inline uint32_t hash_name(const char* name) noexcept nogil:
    cdef uint32_t value = 0
    cdef int i
    # The beginning of a name is enough for the hash.
    for i in range(8):
        if not name[i]:
            break
        value = value * 31 + <uint8_t>name[i]
    return value ^ value >> 9


cdef inline Name* find_name(const char* name) noexcept nogil:
    """The entry of a name; that of an unknown name is empty."""
    cdef uint32_t slot = hash_name(name) % SLOTS
    while NAMES[slot].name != NULL and strcmp(NAMES[slot].name, name) != 0:
        slot = (slot + 1) % SLOTS
    return &NAMES[slot]


cdef enum:
    # A power of two.
    CACHED_NAMES = 512


cdef struct CachedName:
    const char* name
    const Name* found


cdef inline const Name* look_up(CachedName* cached, const char* name) noexcept nogil:
    """The entry of a name, cached by its address: a tree has one copy of each name."""
    cdef size_t place = <size_t>name
    cached += (place ^ place >> 9) & (CACHED_NAMES - 1)
    if cached.name != name:
        cached[0] = CachedName(name, find_name(name))
    return cached.found


cdef void fill_names() except *:
    cdef Name* entry
    cdef int i
    assert len(_NAMES) * 2 < SLOTS and _NAMES.keys() >= set().union(*_TRAITS.values())
    for i in range(SLOTS):
        NAMES[i].kind = -1
    for name, encoded in _NAMES.items():
        entry = find_name(encoded)
        entry.name = encoded
        entry.number = tags.TAG_ID.get(name, 0)
        entry.kind = tags.KIND_OF.get(name, -1)
        entry.level = int(name[1]) if entry.kind == HEADING else 0
        entry.style = tags.STYLE_OF.get(name, 0)
        entry.traits = sum(trait for trait in _TRAITS if name in _TRAITS[trait])
        entry.bit = _ATTRIBUTES.get(name, 0)
        prefix = specification.TOKEN_ATTRIBUTES.get(name, "")
        entry.seed = specification.fnv1a(prefix.encode())


fill_names()
QUESTION = find_name(b"button")[0]
QUESTION.traits = BLOCK


cdef const char* local_name(const tree.xmlNode* node) noexcept nogil:
    """An element's name without its namespace, as lxml understands the name."""
    cdef const char* name = <const char*>node.name
    cdef const char* brace = NULL
    if (node.ns != NULL and node.ns.href != NULL) or name[0] == b"{":
        brace = strrchr(name, b"}")
    return name if brace == NULL else brace + 1
