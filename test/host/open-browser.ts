import { spawn, spawnSync } from "node:child_process";

/** Programs that open an address in the user's browser, the first that exists. */
function openers(url: string): readonly (readonly [string, ...string[]])[] {
  switch (process.platform) {
    case "darwin":
      return [["open", url]];
    case "win32":
      return [["rundll32", "url.dll,FileProtocolHandler", url]];
    default:
      return [
        ...(process.env.BROWSER ? [[process.env.BROWSER, url] as const] : []),
        ...(hasDisplay() ? [["xdg-open", url] as const] : []),
        ["wslview", url],
      ];
  }
}

function hasDisplay(): boolean {
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** Opens an address in the user's browser; false where there is none. */
export function openBrowser(url: string): boolean {
  for (const [program, ...args] of openers(url)) {
    if (!exists(program)) continue;
    const child = spawn(program, args, { stdio: "ignore", detached: true });
    child.on("error", () => undefined);
    child.unref();
    return true;
  }
  return false;
}

function exists(program: string): boolean {
  const finder = process.platform === "win32" ? "where" : "which";
  return spawnSync(finder, [program], { stdio: "ignore" }).status === 0;
}
