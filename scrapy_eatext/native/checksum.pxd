# The checksum of the sources that a module is built from, see checksum.py.
cdef extern from *:
    const unsigned int EATEXT_CHECKSUM
