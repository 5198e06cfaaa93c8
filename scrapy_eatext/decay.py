"""Whether a site's texts have turned empty or alike, as after a change of layout."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque

# A site is judged by this many of its last pages, and a verdict needs this many
# of them to agree: a page or two of another kind are among any twenty.
WINDOW = 20
_AGREE = 18
# Sites that are followed at a time; those seen last stay.
_MAX_HOSTS = 1000


class DecayWatch:
    """The last texts of each host."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[int, deque[int]] = OrderedDict()

    def see(self, host: str, text: str) -> str | None:
        """Take in the text of a page: ``empty`` or ``alike`` when it is bad news.

        Bad news comes when a host's last texts are nearly all empty, or
        nearly all the same; after it, its texts are counted from the
        beginning.
        """
        # Only whether texts are equal is of interest, and 0 is for none; a host's
        # name may have any length.
        key = hash(host)
        last = self._hosts.setdefault(key, deque(maxlen=WINDOW))
        last.append((hash(text) or 1) if text else 0)
        self._hosts.move_to_end(key)
        if len(self._hosts) > _MAX_HOSTS:
            self._hosts.popitem(last=False)
        if len(last) < WINDOW:
            return None
        ((most, count),) = Counter(last).most_common(1)
        if count < _AGREE:
            return None
        del self._hosts[key]
        return "alike" if most else "empty"
