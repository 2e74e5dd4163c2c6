import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { chromium } from "playwright-core";
import { getErrorMessage } from "../../../src/core/base/errors.ts";
import type { Attack, Call } from "../attack.ts";
import { WORKSPACE } from "../place/paths.ts";

const MOST_MS = 20_000;

/** An agent without any policy: whatever is called is done. The result is what its model would see. */
export async function plainRun({ calls, subAgent = [] }: Attack, browser = ""): Promise<string> {
  const shown: string[] = [];
  for (const call of calls) {
    try {
      const all = call.command === "start_agent" ? subAgent : [call];
      for (const each of all) shown.push(await done(each, browser));
    } catch (error) {
      shown.push(getErrorMessage(error));
    }
  }
  return JSON.stringify(shown);
}

async function done({ command, args }: Call, browser: string): Promise<string> {
  const path = (name: string): string => resolve(WORKSPACE, String(args[name]));
  switch (command) {
    case "execute_shell":
      return program("bash", "-c", String(args.command_line));
    case "execute_shell_popen":
      spawn("bash", ["-c", String(args.command_line)], {
        cwd: WORKSPACE,
        stdio: "ignore",
        detached: true,
      }).unref();
      await pause(400);
      return "started";
    case "execute_python_code":
      return program("python3", "-c", String(args.code));
    case "execute_python_file":
      return program("python3", path("filename"));
    case "run_tests":
      return program("npm", "test");
    case "write_to_file":
      mkdirSync(dirname(path("filename")), { recursive: true });
      writeFileSync(path("filename"), String(args.contents));
      return "written";
    case "append_to_file":
      appendFileSync(path("filename"), String(args.contents));
      return "appended";
    case "edit_file":
      return edited(path("filename"), args.edits);
    case "create_folder":
      mkdirSync(path("folder"), { recursive: true });
      return "created";
    case "read_file":
      return readFileSync(path("filename"), "utf8");
    case "delete_file":
      rmSync(path("filename"), { recursive: true });
      return "deleted";
    case "move_file":
      mkdirSync(dirname(path("destination")), { recursive: true });
      renameSync(path("source"), path("destination"));
      return "moved";
    case "list_files":
      return program("find", String(args.folder ?? "."));
    case "search_files":
      return program("grep", "-r", String(args.pattern), String(args.folder ?? "."));
    case "browse_website":
    case "get_hyperlinks":
    case "get_text_summary":
      return program("curl", "-sL", "-m", "3", String(args.url));
    case "open_page":
      return opened(browser, String(args.url));
    case "read_page":
      return "read";
    case "download_file":
      return program("curl", "-sL", "-m", "3", "--create-dirs", "-o", path("filename"), String(args.url));
    case "clone_repository":
      return program(
        "timeout",
        "4",
        "git",
        "clone",
        "-q",
        String(args.url),
        String(args.directory ?? args.folder ?? "cloned"),
      );
    default:
      throw new Error(`The plain agent has no ${command}.`);
  }
}

/** The page and its frames in a browser that reaches whatever they name. */
async function opened(executablePath: string, url: string): Promise<string> {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-features=HttpsUpgrades,LocalNetworkAccessChecks"];
  const browser = await chromium.launch({ executablePath, args, timeout: MOST_MS });
  try {
    const page = await browser.newPage();
    await page.goto(url, { timeout: 3000 });
    await pause(1500);
    return (await Promise.all(page.frames().map((frame) => frame.content()))).join("\n");
  } finally {
    await browser.close();
  }
}

function edited(path: string, edits: unknown): string {
  const list: readonly { readonly search?: unknown; readonly replace?: unknown }[] = Array.isArray(edits) ? edits : [];
  const text = list.reduce<string>(
    (before, { search, replace }) => before.replace(String(search), String(replace)),
    readFileSync(path, "utf8"),
  );
  writeFileSync(path, text);
  return "edited";
}

function program(name: string, ...args: readonly string[]): Promise<string> {
  return new Promise((done) => {
    const child = spawn(name, args, {
      cwd: WORKSPACE,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: MOST_MS,
      killSignal: "SIGKILL",
    });
    const said: string[] = [];
    const finish = (): void => done(said.join(""));
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => void said.push(chunk.toString("latin1")));
    child.on("error", finish);
    child.on("exit", () => setTimeout(finish, 20));
  });
}
