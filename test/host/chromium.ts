import fs from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { INSTALLED_BROWSERS } from "../../packages/evals/src/suites/classic/browser.ts";
import { unpackChromium } from "./npm-chromium.ts";

interface Candidate {
  readonly executablePath: string;
  readonly env?: Readonly<Record<string, string>>;
}

const FLAGS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

/**
 * Starts the first Chromium that starts: the one CHROMIUM names, one of the system, the one from npm.
 * CHROMIUM=npm passes over those of the system.
 */
export async function launchChromium(): Promise<Browser> {
  const troubles: string[] = [];
  for await (const candidate of candidates()) {
    try {
      return await chromium.launch({ ...candidate, headless: true, args: FLAGS });
    } catch (error) {
      troubles.push(`${candidate.executablePath}: ${String(error)}`);
    }
  }
  throw new Error(`No Chromium could be started. Install one, or name one in CHROMIUM.\n${troubles.join("\n")}`);
}

async function* candidates(): AsyncGenerator<Candidate> {
  const named = process.env.CHROMIUM ?? "";
  const system = named === "npm" ? [] : [named, ...(INSTALLED_BROWSERS[process.platform] ?? [])];
  for (const executablePath of system) if (fs.existsSync(executablePath)) yield { executablePath };
  const unpacked = await unpackChromium();
  if (!unpacked) return;
  const { executablePath, libraries, fonts } = unpacked;
  const env = { ...ownEnvironment(), ...(fs.existsSync("/etc/fonts") ? {} : { FONTCONFIG_PATH: fonts }) };
  yield { executablePath, env };
  yield { executablePath, env: { ...env, LD_LIBRARY_PATH: libraries } };
}

function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
