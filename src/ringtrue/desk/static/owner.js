// The owner's page: the finding as it grows, the raters, and the items that need a decision.

import { Cases, conflictCard, putOffCard } from "./cases.js";
import { Curve, legend } from "./curve.js";
import { at, make, write } from "./dom.js";
import { interval } from "./format.js";
import { Live } from "./live.js";
import { call, enter, takeToken } from "./net.js";
import { chip, numbers, out, raters, second, settled } from "./sections.js";
import { Budget, spent } from "./spending.js";

const TROUBLE = {
  away: "The server does not answer. The page tries again.",
  out: "You have been signed out: open your link again.",
};

const config = JSON.parse(at("desk").textContent);
const drawn = new Map();
let trouble; // what is wrong with the connection, null if nothing is
let verdict; // the last one that was shown
let paused = false;

const live = new Live({ show, heard });
const curve = new Curve(at("curve"));
const budget = new Budget(act);
const conflicts = new Cases(at("conflict-list"), at("conflicts-title"), conflictCard(config, act));
const putOff = new Cases(at("put-off-list"), at("put-off-title"), putOffCard(act));

function say(text, bad = false) {
  write(at("status"), text);
  at("status").classList.toggle("bad", bad);
}

function heard(reply) {
  const now = reply.state === "ok" ? null : (TROUBLE[reply.state] ?? reply.error);
  if (now !== trouble) {
    say(now ?? (trouble === undefined ? "" : "The server answers again."), now !== null);
    trouble = now;
  }
}

// Post what the owner does and say what happened. Return whether it did happen.
async function act(path, body, done) {
  const reply = await call(path, { body });
  const fine = reply.state === "ok";
  const wrong = { away: "The server does not answer: try again.", out: TROUBLE.out };
  say(fine ? done : (wrong[reply.state] ?? reply.error), !fine);
  live.acted();
  return fine;
}

function show(view) {
  finding(view);
  redraw("spent", view.spending, () => spent(view));
  budget.show(view);
  pausing(view);
  redraw("raters", view.raters, raters);
  redraw("second", view.second, second);
  conflicts.show(view.conflicts);
  putOff.show(view.put_off);
  at("no-conflicts").hidden = view.conflicts.length > 0;
  at("no-put-off").hidden = view.put_off.length > 0;
  redraw("settled", view.settled, settled);
  redraw("out", view.out, out);
  redraw("notices", view.notices, (lines) => lines.map((text) => make("li", { textContent: text, dir: "auto" })));
  at("notices").hidden = view.notices.length === 0;
  todo(view);
}

// Draw again only what changed, so that a selection and the place of a reader stay.
function redraw(id, data, draw) {
  const text = JSON.stringify(data);
  if (drawn.get(id) !== text) {
    drawn.set(id, text);
    at(id).replaceChildren(...draw(data));
  }
}

function finding(view) {
  const { claim, percent: share, estimate } = view;
  // The sentence names the claim as a rule: it need not be read twice.
  const named = claim !== null && String(view.sentence).includes(claim);
  write(at("claim"), named ? "" : (claim ?? "This study makes no claim: it estimates."));
  redraw("verdict", [claim, view.verdict], () => (claim === null ? [] : [chip(view.verdict)]));
  write(at("sentence"), view.sentence ?? "");
  write(at("estimate"), estimate ? `Estimate ${interval(estimate, share)}` : "");
  write(at("more"), view.decided ? "The claim is decided: no more labels are needed." : needed(view.more));
  if (verdict !== undefined && verdict !== view.verdict) {
    say(`The verdict is now: ${view.verdict}.`);
  }
  verdict = view.verdict;
  const some = view.curve.length > 0;
  at("no-curve").hidden = some;
  at("figure").hidden = !some;
  if (some) {
    curve.show(view);
    redraw("legend", [view.curve, view.limit, estimate], () => legend(view));
    redraw("numbers", [view.curve, share], () => [numbers(view)]);
  }
}

function needed(more) {
  return more === null ? "" : `To decide it may take ${more}.`;
}

function pausing(view) {
  paused = view.paused;
  write(at("pause"), paused ? "Resume" : "Pause");
  write(at("state"), paused ? "Paused: raters get no new items." : "Open: raters get items.");
}

// What waits for the owner is said at the top, with a way to it.
function todo(view) {
  const decide = config.can_settle ? view.conflicts.filter((one) => one.waits === "for you").length : 0;
  const late = view.put_off.length;
  const parts = [decide && `${decide} to decide`, late && `${late} put off`].filter(Boolean);
  const link = at("todo");
  write(link, parts.join(", "));
  link.hidden = parts.length === 0;
  link.setAttribute("href", decide ? "#conflicts" : "#put-off");
}

at("pause").addEventListener("click", () => {
  const wanted = !paused;
  const done = wanted ? "Paused: raters get no new items." : "Resumed: raters get items again.";
  act("/api/pause", { paused: wanted }, done);
});

// Somebody who is signed in may open another link: the new one counts.
addEventListener("hashchange", () => location.hash.startsWith("#t=") && location.reload());
const token = takeToken();
if (token === null) {
  say("Loading…");
  live.start();
} else {
  const refusal = await enter(token);
  say(refusal === null ? "Signing in…" : `${refusal} Load the page again to go on.`, refusal !== null);
}
