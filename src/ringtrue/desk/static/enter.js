// The page of somebody who is not signed in: it exchanges the link's token for a cookie.

import { enter, takeToken } from "./net.js";

const say = document.getElementById("say");
const again = document.getElementById("again");
let token = null;

async function start() {
  token = takeToken() ?? token;
  again.hidden = true;
  if (token === null) {
    say.textContent = "Open the link that you were given.";
    return;
  }
  say.textContent = "Signing in…";
  const trouble = await enter(token);
  if (trouble !== null) {
    say.textContent = trouble;
    again.hidden = false;
  }
}

again.addEventListener("click", start);
// A link that is pasted into this very tab changes the hash and loads nothing.
addEventListener("hashchange", start);
start();
