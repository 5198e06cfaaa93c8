"""Embedded players and posts of other sites: their providers and URLs."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

VIDEO, AUDIO, POST, CODE = "video", "audio", "post", "code"


class Player(NamedTuple):
    """A kind of embed: the pattern of its URLs, and the URL of its content's page.

    ``page`` is a format string with the pattern's groups, or "" for the embed's own
    URL.
    """

    provider: str
    kind: str
    pattern: re.Pattern[str]
    page: str


def _player(provider: str, kind: str, pattern: str, page: str = "") -> Player:
    # "..." stands for a URL up to the name of a query parameter.
    query = r"[^?#]{0,300}\?(?:[^#]{0,1000}&)?"
    return Player(provider, kind, re.compile(pattern.replace("...", query)), page)


# The first whose pattern matches a URL behind its scheme counts.
PLAYERS = (
    _player("YouTube", VIDEO,
            r"(?:www\.|m\.)?youtube(?:-nocookie)?\.com/embed/(?:videoseries)?...list="
            r"(?P<id>[\w-]+)", "https://www.youtube.com/playlist?list={id}"),
    _player("YouTube", VIDEO,
            r"(?:www\.|m\.)?youtube(?:-nocookie)?\.com/(?:embed|v|shorts)/"
            r"(?!live_stream|videoseries)(?P<id>[\w-]+)", "https://www.youtube.com/watch?v={id}"),
    _player("Vimeo", VIDEO, r"player\.vimeo\.com/video/(?P<id>\d+)", "https://vimeo.com/{id}"),
    _player("Dailymotion", VIDEO, r"(?:(?:www\.)?dailymotion\.com/embed/video/"
            r"|geo\.dailymotion\.com/player...video=)(?P<id>\w+)",
            "https://www.dailymotion.com/video/{id}"),
    _player("Bilibili", VIDEO, r"player\.bilibili\.com/...bvid=(?P<id>\w+)",
            "https://www.bilibili.com/video/{id}/"),
    _player("Bilibili", VIDEO, r"player\.bilibili\.com/...aid=(?P<id>\d+)",
            "https://www.bilibili.com/video/av{id}/"),
    _player("Youku", VIDEO, r"player\.youku\.com/embed/(?P<id>[\w=]+)",
            "https://v.youku.com/v_show/id_{id}.html"),
    _player("Tencent Video", VIDEO, r"v\.qq\.com/...vid=(?P<id>\w+)",
            "https://v.qq.com/x/page/{id}.html"),
    _player("Niconico", VIDEO, r"embed\.nicovideo\.jp/watch/(?P<id>\w+)",
            "https://www.nicovideo.jp/watch/{id}"),
    _player("Rutube", VIDEO, r"rutube\.ru/play/embed/(?P<id>\w+)",
            "https://rutube.ru/video/{id}/"),
    _player("VK", VIDEO, r"(?:vk\.com|vkvideo\.ru)/video_ext\.php\?oid=(?P<owner>-?\d+)"
            r"&id=(?P<id>\d+)", "https://vk.com/video{owner}_{id}"),
    _player("Twitch", VIDEO, r"player\.twitch\.tv/...video=v?(?P<id>\d+)",
            "https://www.twitch.tv/videos/{id}"),
    _player("Twitch", VIDEO, r"player\.twitch\.tv/...channel=(?P<id>\w+)",
            "https://www.twitch.tv/{id}"),
    _player("Twitch", VIDEO, r"clips\.twitch\.tv/embed...clip=(?P<id>[\w-]+)",
            "https://clips.twitch.tv/{id}"),
    _player("TED", VIDEO, r"embed(?:-ssl)?\.ted\.com/talks/(?:lang/\w+/)?(?P<id>\w+)",
            "https://www.ted.com/talks/{id}"),
    _player("Facebook", VIDEO, r"(?:www\.)?facebook\.com/plugins/video\.php...href="
            r"(?P<address>[^&#]+)", "{address}"),
    _player("Streamable", VIDEO, r"streamable\.com/[eo]/(?P<id>\w+)",
            "https://streamable.com/{id}"),
    _player("Loom", VIDEO, r"(?:www\.)?loom\.com/embed/(?P<id>\w+)",
            "https://www.loom.com/share/{id}"),
    _player("Internet Archive", VIDEO, r"archive\.org/embed/(?P<id>[\w.-]+)",
            "https://archive.org/details/{id}"),
    _player("JW Player", VIDEO, r"(?:cdn|content)\.jw(?:player|platform)\.com/players/"),
    _player("Brightcove", VIDEO, r"players\.brightcove\.net/"),
    _player("Wistia", VIDEO, r"fast\.wistia\.(?:net|com)/embed/"),
    _player("Rumble", VIDEO, r"rumble\.com/embed/"),
    _player("TikTok", VIDEO, r"(?:www\.)?tiktok\.com/(?:embed|player)/"),
    _player("SoundCloud", AUDIO, r"w\.soundcloud\.com/player/?...url="
            r"(?P<address>https?%3A(?://|%2F%2F)soundcloud\.com[^&#]+"
            r"|https?://soundcloud\.com[^&#]+)", "{address}"),
    _player("SoundCloud", AUDIO, r"w\.soundcloud\.com/player"),
    _player("Spotify", AUDIO, r"open\.spotify\.com/embed(?:-podcast)?/(?P<id>\w+/\w+)",
            "https://open.spotify.com/{id}"),
    _player("Apple Podcasts", AUDIO, r"embed\.podcasts\.apple\.com/(?P<id>[^?#]+)",
            "https://podcasts.apple.com/{id}"),
    _player("Apple Music", AUDIO, r"embed\.music\.apple\.com/(?P<id>[^?#]+)",
            "https://music.apple.com/{id}"),
    _player("Mixcloud", AUDIO, r"(?:www\.|player-widget\.)?mixcloud\.com/widget/iframe"),
    _player("Bandcamp", AUDIO, r"bandcamp\.com/EmbeddedPlayer"),
    _player("Facebook", POST, r"(?:www\.)?facebook\.com/plugins/post\.php...href="
            r"(?P<address>[^&#]+)", "{address}"),
    _player("Instagram", POST, r"(?:www\.)?instagram\.com/(?P<id>(?:p|reel|tv)/[\w-]+)",
            "https://www.instagram.com/{id}/"),
    _player("X", POST, r"platform\.(?:twitter|x)\.com/embed/Tweet\.html...id=(?P<id>\d+)",
            "https://x.com/i/status/{id}"),
    _player("X", POST, r"(?:www\.|mobile\.)?(?:twitter|x)\.com/(?P<id>\w+/status/\d+)",
            "https://x.com/{id}"),
    _player("TikTok", POST, r"(?:www\.)?tiktok\.com/(?P<id>@[\w.-]+/video/\d+)",
            "https://www.tiktok.com/{id}"),
    _player("CodePen", CODE, r"codepen\.io/(?P<owner>[\w-]+)/embed/(?:preview/)?(?P<id>\w+)",
            "https://codepen.io/{owner}/pen/{id}"),
    _player("GitHub Gist", CODE, r"gist\.github\.com/(?P<id>(?:[\w-]+/)?[0-9a-f]+)\.js",
            "https://gist.github.com/{id}"),
    _player("asciinema", VIDEO, r"asciinema\.org/a/(?P<id>\w+)(?:\.js|/iframe|/embed)",
            "https://asciinema.org/a/{id}"),
)  # fmt: skip
# What is in the URLs of the scripts that draw an embed where they stand.
SCRIPTED = ("gist.github.com/", "asciinema.org/a/")
_SCHEME = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
_MOST = 2000


def player_of(address: str) -> tuple[Player, str] | None:
    """The player or post of a URL, and the URL of its page; None for other URLs.

    The page's URL may come from a query parameter, so it may be any text.
    """
    scheme = _SCHEME.match(address)
    if scheme is None or len(address) > _MOST:
        return None
    for player in PLAYERS:
        match = player.pattern.match(address, scheme.end())
        if match is not None:
            groups = match.groupdict()
            if "address" in groups:
                groups["address"] = unquote(groups["address"])
            return player, player.page.format(**groups) if player.page else address
    return None
