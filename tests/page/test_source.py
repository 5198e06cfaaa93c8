"""Names are found in a page's source."""

from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.page.source import find, python_find

# The compiled function looks at 128 places at once.
AROUND = st.binary(max_size=400) | st.integers(0, 400).map(lambda count: b"a" * count)


@given(AROUND, st.binary(min_size=1, max_size=9), AROUND)
def test_a_name_is_found_wherever_it_stands(before, name, behind):
    for twin in {find, python_find}:
        assert 0 <= twin(before + name + behind, name) <= len(before)


@given(st.text("ab", max_size=300), st.text("ab", min_size=1, max_size=9), st.data())
def test_twins_find_the_same(source, name, data):
    begin = data.draw(st.integers(0, len(source)))
    for twin in {find, python_find}:
        assert twin(source.encode(), name.encode(), begin) == source.find(name, begin)
