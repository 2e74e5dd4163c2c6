// What reading a page in the run's browser takes. `npm run bench browser`; milliseconds and tokens.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { get_encoding } from "tiktoken";
import { createShownPageOutcome, renderReading } from "../../src/commands/web/browser-command.ts";
import { createRunBrowser } from "../../src/node/browser/run-browser.ts";
import { createAddressCheck } from "../../src/node/web/address-check.ts";
import { findTestBrowser } from "../support/real-browser.ts";
import { check, exitWithChecks, table } from "./memory/report.ts";

const MOST_MS = 300;
const MOST_TOKENS = 2_000;
/** The quietest of so many rounds counts: what else the machine does is not what is measured. */
const ROUNDS = 9;

const program = await findTestBrowser();
if (program === undefined) throw new Error("There is no browser here. Install Chromium, or name one in CHROMIUM.");

/** Pages with 5,000 elements: an application's table, nested boxes with texts, and long links. */
const PAGES: Readonly<Record<string, string>> = {
  table: `<h1>Users</h1><table>${Array.from({ length: 714 }, (_, row) => `<tr><td>${row}</td><td><a href="/u/${row}">User ${row} Smith</a></td><td>u${row}@example.com</td><td><button>Edit</button></td></tr>`).join("")}</table>`,
  boxes: Array.from(
    { length: 1250 },
    (_, box) => `<div><div><span>Box ${box}</span><p>Text of box ${box}.</p></div></div>`,
  ).join(""),
  links: `<ul>${Array.from({ length: 2500 }, (_, link) => `<li><a href="/very/long/address/${link}?query=${link}">文書 ${link} の説明</a></li>`).join("")}</ul>`,
};

const server = createServer((asked, answer) => {
  answer.setHeader("content-type", "text/html; charset=utf-8");
  answer.end(PAGES[asked.url?.slice(1) ?? ""] ?? "");
}).listen(0, "127.0.0.1");
await new Promise((listening) => server.once("listening", listening));
const { port } = server.address() as AddressInfo;
const checkAddress = createAddressCheck(() => []);
const browser = createRunBrowser({ program, isVisible: () => false, allowHosts: () => [], checkAddress });
const { signal } = new AbortController();
const encodings = [get_encoding("o200k_base"), get_encoding("cl100k_base")];
const rows: string[][] = [];
const begin = performance.now();
for (const name of Object.keys(PAGES)) {
  await browser.open(new URL(`http://localhost:${port}/${name}`), signal);
  if (rows.length === 0) rows.push(["start, with the first page", (performance.now() - begin).toFixed(0), "", ""]);
  const times: number[] = [];
  let text = "";
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    const reading = await browser.read({}, signal);
    times.push(performance.now() - start);
    text = createShownPageOutcome(reading, [renderReading(reading)]).output;
  }
  const tokens = Math.max(...encodings.map((encoding) => encoding.encode(text).length));
  rows.push([`read_page: ${name}`, Math.min(...times).toFixed(0), String(tokens), String(text.length)]);
  check(`read_page of 5,000 elements: ${name}, ms`, Math.min(...times), MOST_MS);
  check(`read_page of 5,000 elements: ${name}, tokens`, tokens, MOST_TOKENS);
}
await browser.close();
server.close();
server.closeAllConnections();
table("The browser that the agent drives", ["what", "ms", "tokens", "characters"], rows);
exitWithChecks();
