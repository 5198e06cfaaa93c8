"""What stands in a page's source."""

from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.page.source import holds, python_holds

# The compiled function looks at 64 places at once.
AROUND = st.binary(max_size=200) | st.integers(0, 200).map(lambda count: b"a" * count)


@given(AROUND, st.binary(min_size=1, max_size=9), AROUND)
def test_a_name_is_found_wherever_it_stands(before, name, behind):
    for twin in {holds, python_holds}:
        assert twin(before + name + behind, name)


@given(st.text("ab", max_size=150), st.text("ab", min_size=1, max_size=9))
def test_twins_find_the_same(source, name):
    found = {twin(source.encode(), name.encode()) for twin in (holds, python_holds)}
    assert found == {name in source}
