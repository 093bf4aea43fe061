// The rater's page: show an item, take the answer, show the next at once, save behind it.

import { answerPanel, words } from "./answers.js";
import { Clock } from "./clock.js";
import { button, make } from "./dom.js";
import { Feed } from "./feed.js";
import { hour } from "./format.js";
import { helpPanel } from "./help.js";
import { Keys } from "./keys.js";
import { call, enter, takeToken } from "./net.js";
import { Outbox } from "./outbox.js";
import { Screen } from "./screen.js";
import { Status } from "./status.js";
import { Tabs } from "./tabs.js";

const AHEAD = 2; // the item on the screen and the next one
const BLINK = 250; // milliseconds in which nobody reads an item: a second press was meant for the one before

const config = JSON.parse(document.getElementById("desk").textContent);
const rater = config.rater;
const place = [config.id ?? config.study, rater];

let current = null; // the query to be answered
let queue = []; // queries that come next
let undoing = null; // {query, answer}: the rater looks at an earlier answer
let last = null; // the same, of the newest answer in this tab
let readyAt = 0;
const answered = new Set();

const clock = new Clock();
const outbox = new Outbox(place, post, {
  saved(entry, data) {
    status.saved(data);
    count(data.mine);
    feed.ask();
  },
  refused: (entry) => answered.delete(entry.query),
  elsewhere,
  changed: () => status.draw(),
});
const status = new Status(outbox, () => feed.ask());
const feed = new Feed(rater, { size: () => AHEAD + outbox.refused().length, items: receive, reply: link });
const panel = answerPanel(config, give);
const keys = new Keys(config.study, [
  ...config.choices.map((choice, index) => ({ name: `choice ${index}`, label: words(choice.label), key: choice.key,
    run: () => give({ answer: choice.label }) })),
  { name: "unsure", label: "Cannot tell", key: config.commands.unsure, run: () => give({ answer: null }) },
  { name: "later", label: "Later", key: config.commands.later, run: later },
  { name: "undo", label: "Undo", key: config.commands.undo, run: undo },
  { name: "help", label: "Help", key: config.commands.help, run: () => help() },
  ...[["toggle", "Zoom"], ["larger", "Larger"], ["smaller", "Smaller"], ["fit", "Fit"]].map(
    ([name, label]) => ({ name, label: `${label} (image)`, key: config.commands[name], repeats: true,
      run: () => screen.viewer()?.[name]() })),
]);
const help = helpPanel(keys);
const screen = new Screen(panel, keys);

function post(entry) {
  const { query, answer, numbers, seconds } = entry;
  const given = numbers ? { query, numbers } : { query, answer };
  const body = entry.kind === "amend" ? given : { ...given, seconds };
  return call(`/api/${entry.kind}`, { body, rater, keep: true });
}

// An answer is stored before anything else happens. Then the next item is shown, then the answer is sent.
function give(given) {
  const query = undoing?.query ?? current;
  if (!query) {
    return;
  }
  if (performance.now() < readyAt) {
    screen.focus(); // the second click of two left the focus on a button
    return;
  }
  const answer = given.numbers ?? given.answer;
  if (undoing && words(answer) === words(undoing.answer)) {
    keepAnswer();
    return;
  }
  outbox.put({ query: query.id, kind: undoing ? "amend" : "tell", ...given, seconds: clock.stop(query.id) });
  last = { query, answer };
  answered.add(query.id);
  if (!undoing) {
    current = null;
  }
  undoing = null;
  next();
  outbox.flush();
}

function next() {
  if (undoing) {
    return;
  }
  queue = queue.filter((query) => !seen(query.id));
  current ??= queue.shift() ?? null;
  if (current) {
    display(current);
  } else {
    blank("Loading the next item…");
    feed.ask();
  }
}

function seen(id) {
  return answered.has(id) || outbox.has(id);
}

function display(query, note, before) {
  screen.show(query, note, before);
  clock.turn(query.id);
  readyAt = performance.now() + BLINK;
}

function blank(...lines) {
  clock.turn(null);
  screen.blank(...lines);
}

// Another tab of this rater has the answer to this query.
function elsewhere(query) {
  answered.add(query);
  if (current?.id === query) {
    current = null;
    next();
  }
}

// Take what the server offers. Return whether there is an item to answer.
function receive(data) {
  count(data.mine);
  const offered = data.queries.filter((query) => !seen(query.id));
  const same = offered.find((query) => query.id === current?.id);
  if (same) {
    current.until = same.until;
  } else if (current && !undoing && Date.now() / 1000 > current.until) {
    current = null; // the time ran out while nobody looked, and the item went to another rater
  }
  queue = offered.filter((query) => query.id !== current?.id);
  screen.prepare(queue);
  if (!current && queue.length) {
    next();
  } else if (!current && !undoing && data.empty) {
    const until = data.empty.until ? ` until ${hour(data.empty.until)}` : "";
    blank("No item for you now", `${data.empty.why}${until}.`, "The page looks again by itself.");
  }
  return current !== null || queue.length > 0;
}

async function later() {
  const query = current;
  if (!query || undoing || performance.now() < readyAt) {
    return;
  }
  const reply = await call("/api/later", { body: { query: query.id }, rater });
  link(reply);
  if (reply.state === "ok" && current === query && !undoing) {
    current = null;
    next();
    feed.ask();
  }
}

async function undo() {
  const before = current;
  // An answer that is not saved yet is newer than any that the server knows.
  let found = outbox.pending().length ? last : null;
  if (!found) {
    const reply = await call("/api/last", { rater });
    link(reply);
    found = reply.state === "ok" ? reply.data : last;
  }
  if (undoing || current !== before) {
    return; // the rater went on meanwhile
  }
  if (!found?.query) {
    screen.remark("There is no answer of yours to undo.");
    return;
  }
  undoing = { query: found.query, answer: found.answer };
  display(undoing.query, `You answered ${words(undoing.answer)}. Choose again, or Esc to keep it.`, undoing.answer);
}

function keepAnswer() {
  undoing = null;
  next();
}

function count(mine) {
  if (Number.isFinite(mine)) {
    document.getElementById("mine").textContent = `${mine} answered by you`;
  }
}

function link(reply) {
  status.link = reply;
  status.draw();
}

function held() {
  return [current, ...queue].filter((query) => query && !seen(query.id)).map((query) => query.id);
}

function renew() {
  const queries = held();
  if (document.visibilityState === "visible" && queries.length) {
    call("/api/renew", { body: { queries }, rater }).then(link);
  }
}

function listen(tabs) {
  keys.escape = () => {
    if (undoing) {
      keepAnswer();
    } else if (document.activeElement.matches("input")) {
      document.getElementById("title").focus();
    }
  };
  keys.arrow = (across, down) => screen.viewer()?.pan(across, down) ?? false;
  setInterval(renew, config.renew * 1000);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") {
      renew();
      feed.ask();
    }
  });
  addEventListener("online", () => feed.ask());
  addEventListener("beforeunload", (event) => outbox.pending().length && event.preventDefault());
  addEventListener("pagehide", () => {
    const queries = held();
    if (tabs.leave() && queries.length) {
      navigator.sendBeacon("/api/release", new Blob([JSON.stringify({ queries })], { type: "application/json" }));
    }
  });
  // The items were given back when the page was left.
  addEventListener("pageshow", (event) => event.persisted && location.reload());
}

function start() {
  document.getElementById("choices").append(panel.node);
  document.getElementById("commands").append(...["unsure", "later", "undo", "help"].map((name) => {
    const command = keys.commands.find((one) => one.name === name);
    const element = button("", command.run, { id: `do-${name}` });
    element.append(`${command.label} `, make("kbd", { "data-key": name, "aria-hidden": "true" }));
    return element;
  }));
  blank("Loading…");
  listen(new Tabs(place));
  outbox.flush();
  feed.ask();
}

// Somebody who is signed in may open another link: the new one counts.
addEventListener("hashchange", () => location.reload());
const token = takeToken();
if (token === null) {
  start();
} else {
  const trouble = await enter(token);
  document.getElementById("title").textContent = trouble ?? "Signing in…";
  if (trouble) {
    document.getElementById("fields").textContent = `Load the page again to go on as ${rater}.`;
  }
}
