// Make elements. Strings become text, never markup.

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role") {
      element.setAttribute(name, value);
    } else {
      element[name] = value;
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export const at = (id) => document.getElementById(id);

// The same words again would be read aloud again, and would end a selection.
export function write(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

export function button(text, run, properties = {}) {
  const element = make("button", { type: "button", textContent: text, ...properties });
  element.addEventListener("click", run);
  return element;
}
