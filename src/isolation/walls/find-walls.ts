import { assertNever } from "../../core/base/errors.ts";
import { displayText } from "../../texts/display-text.ts";
import { findBubblewrapWalls } from "./bubblewrap-walls.ts";
import { findContainerWalls } from "./container-walls.ts";
import { findSeatbeltWalls } from "./seatbelt-walls.ts";
import type { NoWalls, Walls, WallsEngine } from "./walls.ts";

/** Finds walls for a setting. Proven walls are cached; without any, each call searches again. */
type WallsFinder = (setting: WallsEngine | "auto") => Promise<Walls | NoWalls>;

export function createWallsFinder(): WallsFinder {
  const proven = new Map<string, Promise<Walls | NoWalls>>();
  return async (setting) => {
    const known = proven.get(setting) ?? findWalls(setting);
    proven.set(setting, known);
    const found = await known.catch((error: unknown) => {
      proven.delete(setting);
      throw error;
    });
    if (found.engine === "none") proven.delete(setting);
    return found;
  };
}

/** Finds the engine of the setting, or the first one that works here, and proves its walls. */
export async function findWalls(setting: WallsEngine | "auto"): Promise<Walls | NoWalls> {
  const candidates = setting === "auto" ? listWallsEngines(process.platform) : [setting];
  let refused: NoWalls | undefined;
  for (const engine of candidates) {
    const found = await findEngineWalls(engine);
    if (found.engine !== "none") return found;
    refused ??= found;
  }
  return refused ?? { engine: "none", why: displayText("isolation.walls.otherSystem") };
}

function listWallsEngines(platform: NodeJS.Platform): readonly WallsEngine[] {
  if (platform === "linux") return ["bubblewrap", "docker", "podman"];
  return platform === "darwin" ? ["seatbelt", "docker", "podman"] : ["docker", "podman"];
}

async function findEngineWalls(engine: WallsEngine): Promise<Walls | NoWalls> {
  switch (engine) {
    case "bubblewrap":
      return findBubblewrapWalls();
    case "seatbelt":
      return findSeatbeltWalls();
    case "docker":
    case "podman":
      return findContainerWalls(engine);
    default:
      return assertNever(engine);
  }
}
