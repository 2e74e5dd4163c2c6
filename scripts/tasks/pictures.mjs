// Makes docs/pictures/demo.webp, the README's animated picture: plays the demo in the real workbench, and joins the frames.
// The first time, the encoder is installed into .cache/pictures. --no-film joins the frames of the last time.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { cachedPackages } from "../setup/cached-packages.mjs";
import { prepareHost } from "../setup/host.mjs";
import { runNode, runOrExit } from "../setup/node-program.mjs";
import { inRoot } from "../setup/root.mjs";

const FRAMES = inRoot("test/shots/film");
const PICTURE = inRoot("docs/pictures/demo.webp");
const MAX_BYTES = 1_500_000;
/** What moves is played faster, so that the whole lasts no longer. */
const LONGEST_MS = 20_000;
const LONGEST_PAUSE_MS = 250;
/** Browsers slow shorter frames down. */
const SHORTEST_FRAME_MS = 40;

const tools = await cachedPackages("pictures", inRoot("scripts/pictures"));
if (!process.argv.includes("--no-film")) {
  await prepareHost();
  await runOrExit(["esbuild.mjs"]);
  const { code } = await runNode(["test/e2e/film.ts"], { env: { AUTOGPT_E2E: "development" } });
  if (code !== 0) process.exit(code);
}

const { default: sharp } = await import(pathToFileURL(path.join(tools, "node_modules/sharp/dist/index.mjs")).href);
const frames = JSON.parse(fs.readFileSync(path.join(FRAMES, "frames.json"), "utf8"));
const moving = (frame) => (frame.holdMs === undefined ? Math.min(frame.ms, LONGEST_PAUSE_MS) : 0);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const left = LONGEST_MS - sum(frames.map(({ holdMs = 0 }) => holdMs));
const pace = Math.min(1, left / sum(frames.map(moving)));
const delay = frames.map((frame) => frame.holdMs ?? Math.max(SHORTEST_FRAME_MS, Math.round(moving(frame) * pace)));
const files = frames.map(({ file }) => path.join(FRAMES, file));
await sharp(files, { join: { animated: true } })
  .webp({ delay, loop: 0, quality: 80, effort: 4, mixed: true })
  .toFile(PICTURE);

const { size } = fs.statSync(PICTURE);
const seconds = Math.round(sum(delay) / 1000);
console.log(`docs/pictures/demo.webp: ${frames.length} frames, ${seconds} s, ${Math.round(size / 1000)} kB`);
if (size > MAX_BYTES) {
  console.error(`It may have ${MAX_BYTES / 1000} kB at most.`);
  process.exitCode = 1;
}
