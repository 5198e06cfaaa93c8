# Attributes of elements, and nodes as lxml sees them.

cdef size_t MAX_TOKENS = specification.MAX_TOKENS
cdef int MIN_TOKEN = specification.MIN_TOKEN
cdef int MAX_TOKEN = specification.MAX_TOKEN
cdef size_t MAX_VALUE = specification.MAX_VALUE
cdef uint32_t EDITING = specification.fnv1a(specification.EDITING.encode())


cdef inline bint is_plain(const tree.xmlAttr* attribute) noexcept nogil:
    """Whether an attribute is the element's own, not of a DTD, and in no namespace."""
    return attribute.type == tree.XML_ATTRIBUTE_NODE and (
        attribute.ns == NULL or attribute.ns.href == NULL
    )


cdef int value_of(const tree.xmlAttr* attribute, const char** value) noexcept nogil:
    """The value of an attribute, which is in one piece except in unusual XML."""
    cdef const tree.xmlNode* node = attribute.children
    value[0] = b""
    if node == NULL:
        return DONE
    if node.next != NULL or not has_text(node):
        return UNSUPPORTED
    if node.content != NULL:
        value[0] = <const char*>node.content
    return DONE


cdef const char* value_named(const tree.xmlNode* node, const char* name) noexcept nogil:
    """The value of an attribute of an element that read_attributes() has read."""
    cdef const tree.xmlAttr* attribute = node.properties
    cdef const char* value = b""
    while strcmp(<const char*>attribute.name, name) or not is_plain(attribute):
        attribute = attribute.next
    value_of(attribute, &value)
    return value


cdef bint is_special(const tree.xmlNode* node, const Name* tag) noexcept nogil:
    """Whether replacement_of() has to read an element."""
    cdef const tree.xmlAttr* attribute = node.properties
    cdef const char* value
    cdef int i
    if not tag.traits & SPECIAL:
        return not tag.number and strcmp(local_name(node), b"math") == 0
    while attribute != NULL:
        value = <const char*>attribute.name
        if (
            (value[0] == b"c" and strcmp(value, b"class") == 0)
            or (value[0] == b"t" and strcmp(value, b"type") == 0)
            or (value[0] == b"s" and strcmp(value, b"src") == 0)
        ):
            if value_of(attribute, &value):
                return True
            for i in range(HINTS):
                if strstr(value, SPECIAL_HINTS[i]) != NULL:
                    return True
        elif strcmp(value, b"aria-hidden") == 0:
            if value_of(attribute, &value) or (node.children != NULL and value[0] == b"t"):
                return True
        elif tag.traits & IMAGE and strcmp(value, b"alt") == 0:
            if value_of(attribute, &value) or value[0] == b"$" or value[0] == b"\\":
                return True
        attribute = attribute.next
    return False


cdef const char* after_word(const char* at, const char* word) noexcept nogil:
    """The end of a word at ``at`` in any case, given in lower case; NULL for others."""
    while word[0]:
        if at[0] != word[0] and not (65 <= at[0] <= 90 and at[0] + 32 == word[0]):
            return NULL
        at += 1
        word += 1
    return at


cdef bint declares(const char* at, const char* name, const char* value) noexcept nogil:
    """Whether the style at ``at`` sets a property to a value."""
    at = after_word(at, name)
    if at == NULL:
        return False
    while is_blank(at[0]):
        at += 1
    if at[0] != b":":
        return False
    at += 1
    while is_blank(at[0]):
        at += 1
    return after_word(at, value) != NULL


cdef bint is_hiding(const char* style) noexcept nogil:
    while style[0]:
        if declares(style, b"display", b"none") or declares(style, b"visibility", b"hidden"):
            return True
        style += 1
    return False


cdef uint32_t bits_of_value(uint32_t bit, const char* value) noexcept nogil:
    """The properties that the value of an attribute gives its element."""
    cdef const char* end
    cdef uint32_t traits
    if bit == STYLE and is_hiding(value):
        return HIDES
    if bit == HREF:
        return NEAR if value[0] == b"#" and value[1] else 0
    if bit == HIDDEN:
        end = after_word(value, b"until-found")
        return REVEALED if end != NULL and end[0] == 0 else 0
    if bit == ID and value[0] == b"S" and value[1] == b":":
        return REVEALED
    if bit == ROLE and value[0]:
        traits = find_name(value).traits
        return (
            HAS_ROLE
            | (PANEL if traits & PANEL_ROLE else 0)
            | (AS_HEADING if traits & HEADING_ROLE else 0)
        )
    if bit == LEVEL and 49 <= value[0] <= 54 and not value[1]:
        return <uint32_t>(value[0] - 48) << LEVEL_AT
    return 0


cdef int read_words(
    Array* tokens, const char* at, uint32_t seed, size_t most
) noexcept nogil:
    """Add the hashes of a value's words, up to a limit of bytes."""
    cdef const char* end = at + strlen(at)
    cdef const char* word
    cdef uint32_t value
    cdef uint32_t* token
    cdef size_t count = MAX_VALUE
    if <size_t>(end - at) > MAX_VALUE:
        end = after_characters(at, end, &count)
    while at < end:
        if not 97 <= (at[0] | 32) <= 122:
            at += 1
            continue
        word = at
        value = seed
        while at < end and 65 <= at[0] <= 90:
            value = (value ^ (at[0] | 32)) * 0x01000193
            at += 1
        while at < end and 97 <= at[0] <= 122:
            value = (value ^ at[0]) * 0x01000193
            at += 1
        if MIN_TOKEN <= at - word <= MAX_TOKEN:
            if tokens.used >= most:
                return DONE
            token = <uint32_t*>extend(tokens, sizeof(uint32_t))
            if token == NULL:
                return NO_MEMORY
            token[0] = value
    return DONE


cdef int read_attributes(
    const tree.xmlNode* node, CachedName* names, Array* tokens, uint32_t* bits
) noexcept nogil:
    """Set the properties of an element's attributes, and add their tokens."""
    cdef const tree.xmlAttr* attribute = node.properties
    cdef const Name* name
    cdef const char* value
    cdef size_t most = tokens.used + MAX_TOKENS * sizeof(uint32_t)
    while attribute != NULL:
        name = look_up(names, <const char*>attribute.name)
        # Unusual XML may have an attribute twice; the first one counts.
        if name.bit & ~bits[0] and is_plain(attribute):
            bits[0] |= name.bit
            if not name.bit & VALUELESS:
                if value_of(attribute, &value):
                    return UNSUPPORTED
                bits[0] |= bits_of_value(name.bit, value)
                if not name.bit & WORDLESS and read_words(tokens, value, name.seed, most):
                    return NO_MEMORY
        attribute = attribute.next
    return DONE


# -- nodes, as lxml sees them

cdef inline bint has_text(const tree.xmlNode* node) noexcept nogil:
    return (
        node.type == tree.XML_TEXT_NODE or node.type == tree.XML_CDATA_SECTION_NODE
    )


cdef inline bint is_text(const tree.xmlNode* node) noexcept nogil:
    """Whether a node is part of a text, as the marks of an XInclude are."""
    return (
        has_text(node)
        or node.type == tree.XML_XINCLUDE_START
        or node.type == tree.XML_XINCLUDE_END
    )


cdef inline bint is_child(const tree.xmlNode* node) noexcept nogil:
    """Whether lxml counts a node among the children of its parent."""
    return (
        node.type == tree.XML_ELEMENT_NODE
        or node.type == tree.XML_COMMENT_NODE
        or node.type == tree.XML_PI_NODE
        or node.type == tree.XML_ENTITY_REF_NODE
    )
