// An image that can be enlarged up to 16 times and moved, by keys, buttons or touch.

import { button, make } from "./dom.js";

const MOST = 16;
const STEP = 1.5;
const SHARP = 4; // from here on the pixels are shown as they are
const SMALL = 320; // a smaller image is enlarged until its longer side has so many pixels
const PAN = 80;

export function imageViewer(field) {
  const picture = make("img", { alt: String(field.alt ?? field.name), draggable: false, decoding: "async" });
  const box = make("div", { className: "box", tabIndex: 0, role: "group",
    "aria-label": `${field.name}: image that can be enlarged` }, picture);
  const size = make("span", { className: "soft size" });
  let scale = null; // screen pixels for a pixel of the image; null: it fits its box

  // The box is as wide as the item and its greatest height is in the style sheet.
  function fitting() {
    const across = box.clientWidth / picture.naturalWidth;
    const down = (parseFloat(getComputedStyle(box).maxHeight) || box.clientHeight) / picture.naturalHeight;
    const wanted = Math.max(1, SMALL / Math.max(picture.naturalWidth, picture.naturalHeight));
    return Math.min(across, down, wanted);
  }

  function draw() {
    if (!picture.naturalWidth || !box.clientWidth) {
      return;
    }
    const now = scale ?? fitting();
    const before = picture.clientWidth || 1;
    const middle = [box.scrollLeft + box.clientWidth / 2, box.scrollTop + box.clientHeight / 2];
    picture.style.width = `${picture.naturalWidth * now}px`;
    picture.classList.toggle("sharp", now > SHARP);
    const ratio = picture.clientWidth / before;
    box.scrollTo(middle[0] * ratio - box.clientWidth / 2, middle[1] * ratio - box.clientHeight / 2);
    size.textContent = `${Math.round(now * 100)} %`;
  }

  function zoom(factor) {
    const least = Math.min(1, fitting());
    const most = Math.max(MOST, fitting()); // a few pixels are enlarged more than that at first
    scale = Math.min(most, Math.max(least, (scale ?? fitting()) * factor));
    draw();
  }

  function fit() {
    scale = null;
    draw();
  }

  const viewer = {
    larger: () => zoom(STEP),
    smaller: () => zoom(1 / STEP),
    fit,
    toggle: () => (scale === null ? zoom(2 * STEP) : fit()),
    // Return whether there was anything to move: if not, the arrows scroll the page.
    pan(across, down) {
      if (box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight) {
        return false;
      }
      box.scrollBy(across * PAN, down * PAN);
      return true;
    },
  };
  const tools = [["toggle", "Zoom"], ["larger", "Larger"], ["smaller", "Smaller"], ["fit", "Fit"]];
  viewer.node = make("div", { className: "viewer" }, box, make("div", { className: "row tools" },
    ...tools.map(([name, text]) => tool(name, text, viewer)), size));

  picture.addEventListener("load", draw);
  picture.addEventListener("error", () => box.replaceChildren("This image cannot be shown."));
  new ResizeObserver(() => scale === null && draw()).observe(viewer.node);
  picture.src = field.url;
  return viewer;
}

function tool(name, text, viewer) {
  const key = make("kbd", { "data-key": name, "aria-hidden": "true" });
  const element = button("", () => viewer[name]());
  element.append(`${text} `, key);
  return element;
}
