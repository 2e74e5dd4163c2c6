import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { skipWithout } from "./skips.ts";

/** The settings of whoever runs the tests have no say. */
const ENV = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.com",
  GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
  // Each commit would start two more programs, which look whether there is something to tidy up.
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "maintenance.auto",
  GIT_CONFIG_VALUE_0: "false",
};

/** Runs git as it is, and gives what it printed. Without git, the test is skipped. */
export function git(folder: string, ...args: readonly string[]): string {
  skipWithout("git");
  return execFileSync("git", [...args], {
    cwd: folder,
    env: ENV,
    encoding: "utf8",
    stdio: "pipe",
    timeout: 20_000,
  });
}

/** A repository whose one commit holds these files. */
export function makeRepository(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "-q", "-b", "main");
  writeFiles(folder, files);
  git(folder, "add", "-A");
  git(folder, "commit", "-q", "-m", "First commit", "-m", "With a body.");
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}
