# The look-up of elements by their rows.

cdef struct Step:
    # An element on the path to the element that was found last: its row and node, and
    # its child that was found last, with the child's place.
    int32_t row
    int32_t place
    tree.xmlNode* node
    tree.xmlNode* child


cdef tree.xmlNode* child_at(Step* step, int32_t place) noexcept nogil:
    """A child by its place, searched from the one that was found last."""
    cdef tree.xmlNode* node = step.child
    cdef int32_t passed = step.place
    if node == NULL or passed > place:
        node = step.node.children
        passed = 0
    while node != NULL:
        if is_child(node):
            if passed == place:
                step.child = node
                step.place = place
                return node
            passed += 1
        node = node.next
    return NULL


cdef class Finder:
    """Finds the nodes of a walk's rows, in a tree that has not changed.

    It caches the path to the last node, as rows in rising order share most of it.
    """

    cdef _Element root
    cdef const int32_t[:, ::1] elements
    cdef Array way

    def __init__(self, found):
        self.root = found.root
        self.elements = found.elements

    def __dealloc__(self):
        free(self.way.data)

    cdef tree.xmlNode* find(self, Py_ssize_t row, int32_t place) except NULL:
        """The node of a row, or of its child at ``place`` unless that is -1."""
        cdef int32_t deepest, depth, at
        cdef size_t size
        cdef Step* steps
        cdef tree.xmlNode* node = NULL
        if not 0 <= row < self.elements.shape[0]:
            raise IndexError(row)
        at = row
        depth = deepest = self.elements[row, ELEMENT_DEPTH]
        size = deepest * sizeof(Step)
        if self.way.used < size:
            if reserve(&self.way, size - self.way.used):
                raise MemoryError
            memset(self.way.data + self.way.used, 0xFF, size - self.way.used)
            self.way.used = size
        steps = <Step*>self.way.data - 1
        # Climb to an element on the last path ...
        while depth and steps[depth].row != at:
            steps[depth].row = at
            at = self.elements[at, ELEMENT_PARENT]
            depth -= 1
        # ... and descend from there.
        while depth < deepest:
            depth += 1
            node = self.root._c_node
            if depth > 1:
                at = self.elements[steps[depth].row, ELEMENT_PLACE]
                node = child_at(&steps[depth - 1], at)
            if node == NULL:
                break
            steps[depth] = Step(steps[depth].row, 0, node, NULL)
        else:
            node = steps[deepest].node
            if place >= 0:
                node = child_at(&steps[deepest], place)
        if node == NULL or node.type != tree.XML_ELEMENT_NODE:
            self.way.used = 0
            raise IndexError("the tree has changed")
        return node


cdef bint has_tree(found):
    cdef _Element root = found.root
    return root is not None and root._c_node != NULL


def nodes_of(found not None, list rows, list places=None):
    """The compiled twin of walk.nodes_of()."""
    if not has_tree(found):
        return specification.python_nodes_of(found, rows, places)
    cdef Finder finder = Finder(found)
    return [
        elementFactory(finder.root._doc, finder.find(row, place))
        for row, place in zip(rows, places or [-1] * len(rows), strict=True)
    ]


cdef object value_called(_Document document, tree.xmlNode* node, bytes name):
    """The value of an element's attribute in no namespace, None if it has none."""
    cdef const tree.xmlAttr* attribute = node.properties
    cdef const char* wanted = name
    cdef const char* value
    # Unusual XML may have an attribute twice; the first one counts.
    while attribute != NULL:
        if strcmp(<const char*>attribute.name, wanted) == 0 and is_plain(attribute):
            if value_of(attribute, &value):
                return (<object>elementFactory(document, node)).get(name.decode())
            return value.decode()
        attribute = attribute.next
    return None


def attribute_values(found not None, list rows not None, str name not None):
    """The compiled twin of walk.python_attribute_values()."""
    cdef bytes wanted = name.encode()
    cdef Finder finder
    if not has_tree(found):
        return specification.python_attribute_values(found, rows, name)
    finder = Finder(found)
    return [value_called(finder.root._doc, finder.find(row, -1), wanted) for row in rows]
