"""Pages as a browser lays them out at a given width: what reaches beyond the screen, and which words are cut off."""

import html
import json
import re

from report.test_browser import browse

_MEASURE = r"""
function scrolls(element) {
  return ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
}
function held(element, width) {  // inside something on the screen that scrolls by itself
  for (let up = element; up; up = up.parentElement)
    if (scrolls(up) && up.getBoundingClientRect().right <= width + 0.5 && up !== element) return true;
  return scrolls(element) && element.getBoundingClientRect().right <= width + 0.5;
}
function named(element) {
  const words = (element.textContent || "").trim().slice(0, 40);
  return `${element.tagName.toLowerCase()}.${element.getAttribute("class") || ""}: ${words}`;
}
function wordsOf(root) {  // each piece of text with the box of its letters, which may be wider than its element
  const found = [], walk = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    if (!walk.currentNode.data.trim() || walk.currentNode.parentElement.closest("svg, style, title")) continue;
    const range = root.ownerDocument.createRange();
    range.selectNodeContents(walk.currentNode);
    for (const box of range.getClientRects()) found.push([walk.currentNode.parentElement, box]);
  }
  return found;
}
function measure(frame) {
  const page = frame.contentDocument, width = page.documentElement.clientWidth, beyond = new Set(), cut = new Set();
  if (page.documentElement.scrollWidth > width) beyond.add(`the page scrolls to ${page.documentElement.scrollWidth}`);
  for (const element of page.body.querySelectorAll("*:not(svg *)")) {
    const box = element.getBoundingClientRect();
    if ((box.right > width + 0.5 || box.left < -0.5) && !held(element, width)) beyond.add(named(element));
  }
  for (const [element, box] of wordsOf(page.body))
    if ((box.right > width + 0.5 || box.left < -0.5) && !held(element, width)) beyond.add("words of " + named(element));
  for (const drawing of page.querySelectorAll("svg")) {
    const frame = drawing.getBoundingClientRect();
    for (const text of drawing.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1
          || box.bottom > frame.bottom + 1) cut.add(named(text));
    }
  }
  return {width, beyond: [...beyond], cut: [...cut], drawings: page.querySelectorAll("svg").length};
}
onload = () => {
  const told = document.createElement("pre");
  told.id = "measured";
  told.textContent = JSON.stringify([...document.querySelectorAll("iframe")].map(measure));
  document.body.append(told);
};
"""


def measured(folder, pages, *widths):
    """What a browser measures of each page in a frame of each width, width by width: one start of it for all of them.

    A window of a browser has a least width, a frame in it has none. The pages' own policies stay in force: it is the
    page around them that measures.
    """
    frames = "".join(
        f'<iframe style="border:0;width:{width}px;height:900px" srcdoc="{html.escape(text)}"></iframe>'
        for width in widths
        for text in pages
    )
    host = folder / "host.html"
    host.write_text(
        f"<!doctype html><meta charset=utf-8><body>{frames}<script>{_MEASURE}</script></body>", encoding="utf-8"
    )
    shown = browse(folder, host.as_uri(), "--dump-dom", f"--window-size={max(*widths, 500) + 50},1000")
    return json.loads(html.unescape(re.search(r'<pre id="measured">(.*?)</pre>', shown, re.DOTALL).group(1)))
