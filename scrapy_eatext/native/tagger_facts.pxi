# The facts of facts.py.

cdef int read_page(Page* p, WordTable words) noexcept nogil:
    """Compute all facts of the first round."""
    cdef size_t n = p.count, most = max(p.count, p.element_count)
    cdef Sources* known
    if not is_sound(p):
        return NOT_SOUND
    p.element = <Element*>room_for(p, p.element_count, sizeof(Element))
    p.named = <Named*>room_for(p, p.element_count, sizeof(Named))
    known = <Sources*>room_for(p, 1, sizeof(Sources))
    p.box_element = <int32_t*>room_for(p, p.element_count, sizeof(int32_t))
    p.keys = <uint64_t*>room_for(p, most, sizeof(uint64_t))
    p.spare = <uint64_t*>room_for(p, most, sizeof(uint64_t))
    open_facts(p, 0, D_, n)
    open_columns(p, ONES + 1, VALUE_COUNT - 1, n, False)
    open_facts(p, 0, D_SUM, n + 1)
    open_facts(p, 0, D_PAGE, 1)
    if p.failed:
        return NO_MEMORY
    read_elements(p)
    if read_tokens(p, words):
        return NO_MEMORY
    if is_late(p):
        return TIME_IS_UP
    read_blocks(p)
    read_distances(p)
    read_names(p)
    read_texts(p, words.texts, known)
    read_against(p)
    if is_late(p):
        return TIME_IS_UP
    sum_up(p, 0, D_SUM)
    if read_boxes(p) or read_likes(p):
        return NO_MEMORY
    read_containers(p)
    if is_late(p):
        return TIME_IS_UP
    if read_copies(p) or read_group(p, D_WAY) or read_group(p, D_TAGS):
        return NO_MEMORY
    sum_up(p, 0, D_PAGE)
    return DONE


cdef void read_elements(Page* p) noexcept nogil:
    """The values that elements inherit; parents come before their children."""
    cdef const int32_t* from_ = p.elements
    cdef Element* e = p.element
    cdef const Element* parent
    cdef int64_t* groups = wide(p, PAGE_TAG_GROUPS)
    cdef int64_t* articles = wide(p, PAGE_ARTICLES)
    cdef uint32_t name, way, same_tags
    cdef size_t i
    for i in range(p.element_count):
        e.parent, e.tag, e.depth = from_[ELEMENT_PARENT], from_[ELEMENT_TAG], from_[ELEMENT_DEPTH]
        e.first, e.last = from_[ELEMENT_FIRST_BLOCK], from_[ELEMENT_LAST_BLOCK]
        e.up, e.top = NONE, <int32_t>i
        e.mask = TAG_BITS[e.tag]
        groups[0] |= e.mask
        articles[0] += e.mask >> BIT_ARTICLE & 1
        name = p.tokens[from_[ELEMENT_FIRST_TOKEN]] if from_[ELEMENT_TOKENS] > 0 else 0
        way = same_tags = 17
        if e.parent >= 0:
            parent = p.element + e.parent
            e.mask |= parent.mask
            way, same_tags = parent.way, parent.tags
            if parent.last - parent.first > e.last - e.first:
                e.up = e.parent
                if p.element[e.up].box == 0:
                    p.boxes += 1
                    p.element[e.up].box = p.boxes
                    p.box_element[p.boxes] = e.up
            else:
                e.up, e.top = parent.up, parent.top
        e.way = (way * <uint32_t>31 + <uint32_t>e.tag + 1) * <uint32_t>0x01000193 ^ name
        e.tags = (same_tags * <uint32_t>31 + <uint32_t>e.tag + 1) * <uint32_t>0x01000193
        if e.last > e.first:
            p.keys[p.likes] = <uint64_t>(
                <uint32_t>(e.parent + 1) * <uint32_t>0x9E3779B1
                ^ <uint32_t>e.tag * <uint32_t>0x85EBCA6B
                ^ name
            ) << 32 | i
            p.likes += 1
        from_ += ELEMENT_COLUMNS
        e += 1
    wide(p, PAGE_ELEMENTS)[0] = p.element_count


cdef inline void add_weight(Weights* to, int64_t sum, int32_t low, int32_t high) noexcept nogil:
    to.sum += sum
    to.low, to.high = min(to.low, low), max(to.high, high)


cdef int read_tokens(Page* p, WordTable words) noexcept nogil:
    """The weights of elements' words, and the votes of the page's words."""
    cdef uint8_t* seen = <uint8_t*>room_for(p, words.names.mask + 1, 1)
    cdef const int32_t* from_ = p.elements
    cdef Named* named = p.named
    cdef const Word* word
    cdef int64_t count = 0
    cdef Py_ssize_t number
    cdef size_t i
    cdef int32_t k
    cdef int kind
    if seen == NULL:
        return NO_MEMORY
    for i in range(p.element_count):
        if from_[ELEMENT_PARENT] >= 0:
            named.far = p.named[from_[ELEMENT_PARENT]].far
            named.flags = p.named[from_[ELEMENT_PARENT]].flags
        k = from_[ELEMENT_FIRST_TOKEN]
        for k in range(k, k + from_[ELEMENT_TOKENS]):
            word = find(words.names, p.tokens[k])
            if word == NULL:
                continue
            number = number_of(words.names, word)
            if not seen[number]:
                seen[number] = True
                count += 1
                for kind in range(p.kinds):
                    p.votes[kind] += words.kinds[number, kind]
            add_weight(&named.near, word.near, word.near, word.near)
            add_weight(&named.far, word.far, word.far, word.far)
            if word.flag >= 0:
                named.flags |= <uint64_t>1 << word.flag
        from_ += ELEMENT_COLUMNS
        named += 1
    for kind in range(p.kinds):
        # Roots of whole numbers below 2^52 are exact when rounded down.
        p.votes[kind] = quotient(p.votes[kind] * 100, <int64_t>sqrt(<double>(count * 10_000)))
        if kind < MAX_VOTES:
            wide(p, PAGE_VOTES0 + kind)[0] = p.votes[kind]
    return DONE


cdef void read_blocks(Page* p) noexcept nogil:
    """The facts of single blocks and of the page, from elements and columns."""
    cdef const int32_t* b = p.blocks
    cdef const Element* e
    cdef int64_t* longest = wide(p, PAGE_LONGEST)
    cdef uint64_t own, inner, mask
    cdef int64_t w, before = 0, in_main = 0, in_article = 0
    cdef int32_t kind
    cdef size_t i
    for i in range(p.count):
        w = <int64_t>b[BLOCK_WORDS] + b[BLOCK_WIDE] // 2
        kind = b[BLOCK_KIND]
        e = p.element + b[BLOCK_ELEMENT]
        own, inner = TAG_BITS[e.tag], TAG_BITS[p.element[b[BLOCK_INNER]].tag]
        mask = (e.mask | inner) & ANCESTORS
        narrow(p, PLACE)[i] = <int32_t>i
        wide(p, W)[i] = w
        wide(p, WORDS_BEFORE)[i] = before
        narrow(p, WEIGHT)[i] = clip(w)
        narrow(p, DEPTH)[i] = e.depth
        narrow(p, AROUND)[i] = <int32_t>mask
        narrow(p, OWN)[i] = <int32_t>(
            (own >> BIT_DIV & 1)
            | (own >> BIT_P & 1) << 1
            | (inner >> BIT_SPAN & 1) << 2
            | <uint64_t>(b[BLOCK_ITEM] >= 0) << 3
            | <uint64_t>(b[BLOCK_ROW] >= 0) << 4
        )
        narrow(p, HEADINGS)[i] = kind == HEADING
        wide(p, LONG)[i] = w if w >= LONG_FROM else 0
        wide(p, FLOWING)[i] = w if kind == PARAGRAPH or kind == QUOTE else 0
        before += w
        longest[0] = max(longest[0], w)
        in_main += w if mask >> BIT_MAIN & 1 else 0
        in_article += w if mask >> BIT_ARTICLE & 1 else 0
        b += BLOCK_COLUMNS
    wide(p, PAGE_MAIN)[0], wide(p, PAGE_ARTICLE)[0] = in_main, in_article
    wide(p, PAGE_LAST)[0] = p.count - 1


cdef void distances(
    const int32_t* values,
    int step,
    int32_t least,
    int32_t count,
    int32_t* since,
    int32_t* to,
) noexcept nogil:
    """The distances to the previous and next blocks with ``least`` or more, or FAR.

    A block's value is ``step`` places after that of the previous block.
    """
    cdef int32_t last = NONE
    cdef int32_t i
    for i in range(count):
        last = i if values[<Py_ssize_t>i * step] >= least else last
        since[i] = i - last if last >= 0 else FAR
    last = NONE
    for i in range(count - 1, -1, -1):
        last = i if values[<Py_ssize_t>i * step] >= least else last
        to[i] = last - i if last >= 0 else FAR


cdef void read_distances(Page* p) noexcept nogil:
    """The last heading up to each block, and the first title."""
    cdef const int32_t* b = p.blocks
    cdef int64_t* titles = wide(p, PAGE_TITLES)
    cdef int32_t heading = NONE, title = NONE, level = 0
    cdef int32_t i, count = <int32_t>p.count
    for i in range(count):
        if b[BLOCK_KIND] == HEADING:
            heading, level = i, b[BLOCK_LEVEL]
            if level == 1:
                title = i if title < 0 else title
                titles[0] += 1
        narrow(p, SINCE_HEADING)[i] = i - heading if heading >= 0 else NONE
        narrow(p, HEADING_LEVEL)[i] = level
        b += BLOCK_COLUMNS
    heading = NONE
    for i in range(count - 1, -1, -1):
        b -= BLOCK_COLUMNS
        heading = i if b[BLOCK_KIND] == HEADING else heading
        narrow(p, TO_HEADING)[i] = heading - i if heading >= 0 else FAR
        narrow(p, FROM_TITLE)[i] = i - title if title >= 0 else -FAR
    distances(narrow(p, WEIGHT), 1, LONGER_FROM, count, narrow(p, SINCE_LONG), narrow(p, TO_LONG))
    distances(
        p.blocks + BLOCK_MONEY, BLOCK_COLUMNS, 1, count,
        narrow(p, SINCE_MONEY), narrow(p, TO_MONEY),
    )
    distances(
        p.blocks + BLOCK_CONTROLS, BLOCK_COLUMNS, 1, count,
        narrow(p, SINCE_CONTROLS), narrow(p, TO_CONTROLS),
    )


cdef void read_names(Page* p) noexcept nogil:
    """The weights and flags of the words in attributes around each block."""
    cdef const Named* named
    cdef Weights near, far
    cdef int32_t element
    cdef size_t i
    cdef int k
    for i in range(p.count):
        element = p.blocks[i * BLOCK_COLUMNS + BLOCK_INNER]
        narrow(p, FLAGS0)[i] = <int32_t>p.named[element].flags
        narrow(p, FLAGS1)[i] = <int32_t>(p.named[element].flags >> 32)
        near = far = Weights(0, 0, 0)
        for k in range(NEAR):
            if element < 0:
                break
            named = p.named + element
            add_weight(&near, named.near.sum, named.near.low, named.near.high)
            element = p.element[element].parent
        if element >= 0:
            far = p.named[element].far
        narrow(p, NAMES_NEAR)[i] = clip(near.sum)
        narrow(p, NAMES_FAR)[i] = clip(far.sum)
        narrow(p, NAMES)[i] = clip(near.sum + far.sum)
        narrow(p, NAMES_NEAR_LOW)[i] = clip(near.low)
        narrow(p, NAMES_NEAR_HIGH)[i] = clip(near.high)
        narrow(p, NAMES_FAR_LOW)[i] = clip(far.low)
        narrow(p, NAMES_FAR_HIGH)[i] = clip(far.high)


cdef void read_texts(Page* p, Words words, Sources* known) noexcept nogil:
    """The weights of blocks' words, and the words shared with descriptions."""
    cdef const int32_t* b = p.blocks
    cdef Head head
    cdef uint32_t[MOST_READ] found
    cdef uint32_t[MOST_TOKENS] tokens
    cdef size_t i
    cdef int source, count
    cdef bint whole
    for i in range(p.count):
        narrow(p, FROM_HEADLINE)[i] = narrow(p, FROM_SUMMARY)[i] = -FAR
    if not p.text_size:
        return
    for source in range(SOURCES):
        add_source(known, source, p.descriptions[source], p.description_size[source])
        if source < MEASURED:
            wide(p, PAGE_TOLD_TITLE + source)[0] = known.count[source]
    for i in range(p.count):
        if not 0 <= b[BLOCK_START] <= b[BLOCK_END] or <size_t>b[BLOCK_END] > p.text_size:
            return
        read_head(
            &head,
            p.text + b[BLOCK_START],
            p.text + b[BLOCK_END],
            DESCRIPTION_CHARS if known.any else READ_CHARS,
        )
        if known.any:
            count = words_in(&head, head.count, MOST_READ, found)
            read_descriptions(p, i, found, count, known)
        count = words_in(&head, min(head.count, READ_CHARS), FIRST_WORDS + 1, found)
        whole = b[BLOCK_CHARS] <= READ_CHARS
        count = tokens_of(found, count, whole, tokens)
        read_words(p, i, tokens, count, words)
        b += BLOCK_COLUMNS
    if known.any:
        read_best(p)


cdef void read_words(
    Page* p, size_t i, const uint32_t* tokens, int count, Words words
) noexcept nogil:
    """The weights of the words at the beginning of a block."""
    cdef Weights found = Weights(0, 0, 0)
    cdef const Word* word
    cdef int k
    for k in range(count):
        word = find(words, tokens[k])
        if word != NULL:
            add_weight(&found, word.near, word.near, word.near)
    narrow(p, TEXT)[i] = clip(found.sum)
    narrow(p, TEXT_LOW)[i] = found.low
    narrow(p, TEXT_HIGH)[i] = found.high


cdef void read_descriptions(
    Page* p, size_t i, const uint32_t* found, int count, Sources* known
) noexcept nogil:
    """The facts of descriptions.FACTS for a block, given its words."""
    cdef int32_t[1 << SOURCES] counts
    cdef uint32_t slot
    cdef int32_t top = 0, summary = 0, of
    cdef int64_t cover
    cdef int k, bits, source
    cdef bint some = False
    narrow(p, TOLD_WORDS)[i] = count
    memset(counts, 0, sizeof(counts))
    for k in range(count):
        slot = slot_of(known, found[k])
        if known.sources[slot] and known.last[slot] != <int32_t>i:
            known.last[slot] = <int32_t>i
            counts[known.sources[slot]] += 1
            some = True
    if not some:
        return
    for bits in range(1, 1 << SOURCES):
        of = counts[bits]
        top += of if bits & 3 else 0
        summary += of if bits >> 2 & 1 else 0
        for source in range(SOURCES):
            narrow(p, TOLD_TITLE + source)[i] += of if bits >> source & 1 else 0
    cover = max(
        ratio(narrow(p, TOLD_TITLE)[i], known.count[0]),
        ratio(narrow(p, TOLD_HEADLINE)[i], known.count[1]),
    )
    narrow(p, TOLD)[i] = 2 * top + summary
    narrow(p, TOLD_TOP)[i] = top
    if wide(p, W)[i] <= HEADLINE_MOST:
        # In millionths; read_best() turns it into thousandths.
        narrow(p, HEADLINE)[i] = <int32_t>(cover * ratio(top, count))


cdef void read_best(Page* p) noexcept nogil:
    """The distance of each block from the best headline and from the best summary."""
    cdef const int32_t* of_summary = narrow(p, TOLD_SUMMARY)
    cdef int32_t* headline = narrow(p, HEADLINE)
    cdef int64_t covered
    cdef size_t i, title = 0, summary = 0
    for i in range(p.count):
        title = i if headline[i] > headline[title] else title
        summary = i if of_summary[i] > of_summary[summary] else summary
    covered = ratio(of_summary[summary], wide(p, PAGE_TOLD_SUMMARY)[0])
    wide(p, PAGE_BEST_HEADLINE)[0] = headline[title] // 1000
    wide(p, PAGE_BEST_SUMMARY)[0] = covered
    for i in range(p.count):
        if wide(p, PAGE_BEST_HEADLINE)[0] * 1000 >= HEADLINE_LEAST:
            narrow(p, FROM_HEADLINE)[i] = <int32_t>i - <int32_t>title
        if covered >= SUMMARY_LEAST:
            narrow(p, FROM_SUMMARY)[i] = <int32_t>i - <int32_t>summary
    for i in range(p.count):
        headline[i] //= 1000


cdef void read_against(Page* p) noexcept nogil:
    """The facts heading_text, since_against and to_against."""
    cdef const int32_t* b = p.blocks
    cdef int32_t* against = <int32_t*>p.spare
    cdef int32_t text = 0
    cdef size_t i
    for i in range(p.count):
        against[i] = -narrow(p, TEXT)[i]
        text = narrow(p, TEXT)[i] if b[BLOCK_KIND] == HEADING else text
        narrow(p, HEADING_TEXT)[i] = text
        b += BLOCK_COLUMNS
    distances(
        against, 1, AGAINST, <int32_t>p.count, narrow(p, SINCE_AGAINST), narrow(p, TO_AGAINST)
    )


cdef int read_boxes(Page* p) noexcept nogil:
    """The containers, the page first."""
    cdef const Element* e
    cdef int32_t k
    open_facts(p, 0, D_BOX, p.boxes + 1)
    if p.failed:
        return NO_MEMORY
    wide(p, BOX_LAST)[0] = p.count
    for k in range(1, p.boxes + 1):
        e = p.element + p.box_element[k]
        wide(p, BOX_FIRST)[k] = e.first
        wide(p, BOX_LAST)[k] = e.last
        wide(p, BOX_DEPTH)[k] = e.depth
    sum_up(p, 0, D_BOX)
    return DONE


cdef int read_likes(Page* p) noexcept nogil:
    """The groups of similar siblings, with their sums."""
    cdef int32_t* of = <int32_t*>room_for(p, p.element_count, sizeof(int32_t))
    cdef Element* e
    cdef int64_t* like
    cdef size_t i
    cdef int k
    if of == NULL:
        return NO_MEMORY
    p.likes = group(p, p.likes, of)
    # The last row is for a missing branch.
    open_facts(p, 0, D_LIKE, p.likes + 2)
    if p.failed:
        return NO_MEMORY
    wide(p, LIKE_N)[0] = 1
    for i in range(p.element_count):
        e = p.element + i
        if e.last > e.first:
            e.like = of[i] + 1
            wide(p, LIKE_N)[e.like] += 1
    sum_up(p, 0, D_LIKE)
    for k in range(TABLES[0][<int>D_LIKE].width):
        like = fact(p, 0, D_LIKE, k)
        like[p.likes + 1] = like[p.element[p.element[0].top].like]
    for i in range(p.count):
        narrow(p, OF_LIKE)[i] = p.element[p.blocks[i * BLOCK_COLUMNS + BLOCK_ELEMENT]].like
    return DONE


cdef void read_containers(Page* p) noexcept nogil:
    """The containers of blocks and their branches, see facts._containers()."""
    cdef int32_t* inside = <int32_t*>p.spare
    cdef int32_t* of_box
    cdef int32_t* of_like
    cdef int32_t* branches
    cdef int32_t branch
    cdef size_t i
    cdef int k
    for i in range(p.count):
        inside[i] = p.blocks[i * BLOCK_COLUMNS + BLOCK_ELEMENT]
    for k in range(CONTAINERS):
        of_box = narrow(p, OF_BOX1, k)
        of_like = narrow(p, OF_LIKE1, k)
        branches = narrow(p, BRANCH1, k)
        for i in range(p.count):
            branch = p.element[inside[i] if inside[i] >= 0 else 0].top
            of_like[i] = p.element[branch].like if inside[i] >= 0 else p.likes + 1
            branches[i] = TAG_CLASS[p.element[branch].tag]
            inside[i] = p.element[inside[i]].up if inside[i] >= 0 else NONE
            of_box[i] = p.element[inside[i]].box if inside[i] >= 0 else 0


cdef int open_groups(Page* p, int domain) noexcept nogil:
    """Number a domain's groups of blocks by keys, and allocate its first facts."""
    open_facts(p, 0, domain, group(p, p.count, rows_of(p, domain)))
    return NO_MEMORY if p.failed else DONE


cdef int read_copies(Page* p) noexcept nogil:
    """The facts of groups of blocks with equal texts."""
    cdef const int32_t* of = rows_of(p, D_COPIES)
    cdef const int64_t* n
    cdef size_t i
    for i in range(p.count):
        set_key(p, i, <uint32_t>p.blocks[i * BLOCK_COLUMNS + BLOCK_HASH])
    if open_groups(p, D_COPIES):
        return NO_MEMORY
    sum_up(p, 0, D_COPIES)
    n = fact(p, 0, D_COPIES, 0)
    for i in range(p.count):
        narrow(p, COPIED)[i] = n[of[i]] > 1
    return DONE


cdef int read_group(Page* p, int domain) noexcept nogil:
    """The facts of groups of blocks with equal paths: of the domain way or tags."""
    cdef const int32_t* b = p.blocks
    cdef const int32_t* of = rows_of(p, domain)
    # The offset of the domain's facts from those of way.
    cdef int more = (domain - D_WAY) * (TAGS_N - WAY_N)
    cdef uint32_t key
    cdef int64_t* n
    cdef int64_t* words
    cdef int64_t* first
    cdef int64_t* last
    cdef int64_t* longest
    cdef size_t i, k, top = 0
    for i in range(p.count):
        key = p.element[b[BLOCK_ELEMENT]].tags if more else p.element[b[BLOCK_INNER]].way
        set_key(p, i, key)
        b += BLOCK_COLUMNS
    if open_groups(p, domain):
        return NO_MEMORY
    n, words = wide(p, WAY_N + more), wide(p, WAY_W + more)
    first, last = wide(p, WAY_FIRST + more), wide(p, WAY_LAST + more)
    longest = wide(p, WAY_LONGEST + more)
    for i in range(p.count):
        k = of[i]
        if n[k] == 0:
            first[k] = i
        n[k] += 1
        words[k] += wide(p, W)[i]
        last[k] = i + 1
        longest[k] = max(longest[k], wide(p, W)[i])
    sum_up(p, 0, domain)
    for k in range(p.rows[domain]):
        wide(p, WAY_REACH + more)[k] = last[k] - 1 - first[k]
        wide(p, PAGE_WAY_MANY + more)[0] += words[k] if n[k] >= 4 else 0
        # Of several groups with the most words, the one that begins first.
        if words[k] > words[top] or (words[k] == words[top] and first[k] < first[top]):
            top = k
    wide(p, PAGE_WAY_TOP + more)[0] = words[top]
    wide(p, PAGE_WAY_TOP_N + more)[0] = n[top]
    wide(p, PAGE_WAY_GROUPS + more)[0] = p.rows[domain]
    return DONE
