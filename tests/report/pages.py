"""Reading a page as a browser does: its elements with their attributes, its text, and what must not be there."""

import re
from html.parser import HTMLParser

FORBIDDEN = {
    "script", "iframe", "frame", "object", "embed", "applet", "link", "base", "form", "input", "button", "img",
    "image", "audio", "video", "source", "foreignobject", "animate", "set", "a", "template", "noscript", "portal",
}  # fmt: skip
ADDRESSES = {"href", "src", "srcset", "xlink:href", "action", "formaction", "data", "poster", "background", "ping"}
NAMESPACES = {"xmlns", "xmlns:xlink"}
"""Names, not addresses: nobody fetches them."""


class Page(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements = []
        self.words = []
        self.cells = []
        self.styles = []
        self._open = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self._open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        if "style" in self._open:
            self.styles.append(data)
            return
        self.words.append(data)
        if "td" in self._open or "th" in self._open:
            self.cells[-1] += data

    @property
    def text(self):
        return "".join(self.words)


def assert_harmless(text, *, pictures=False):
    """No script, no handler, no address of elsewhere, in markup or in styles; and a policy that forbids them.

    Pictures only where a page may have them, and then as PNG inside the page itself.
    """
    page = Page(text)
    for tag, attributes in page.elements:
        if tag == "img" and pictures:
            assert set(attributes) == {"src", "alt"}
            assert re.fullmatch(r"data:image/png;base64,[A-Za-z0-9+/]+=*", attributes["src"]), attributes["src"][:80]
            continue
        assert tag not in FORBIDDEN, tag
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            assert name not in {"srcdoc", "formaction", "style"} or "url(" not in (value or ""), (tag, name)
            if name in ADDRESSES:
                assert value.startswith("#"), (tag, name, value)
            if name not in NAMESPACES:
                assert "://" not in (value or ""), (tag, name, value)
                assert "javascript:" not in (value or "").lower(), (tag, name, value)
            for target in re.findall(r"url\(([^)]*)\)", value or ""):
                assert target.startswith("#"), (tag, name, value)
    for style in page.styles:
        assert "url(" not in style
        assert "@import" not in style
        assert "expression(" not in style
    policies = [found for tag, found in page.elements if tag == "meta" and found.get("http-equiv")]
    assert [policy["http-equiv"] for policy in policies] == ["Content-Security-Policy"]
    assert "default-src 'none'" in policies[0]["content"]
    assert "script-src" not in policies[0]["content"]
    assert ("img-src" in policies[0]["content"]) is pictures
    return page
