import { rm } from "node:fs/promises";
import type { PreImages } from "./pre-images.ts";

/** Takes a file away after its content was kept beside the run, and says how it can be had back. */
export async function takeAway(path: string, kept: PreImages): Promise<string> {
  const { hash } = await kept.keep(path);
  await rm(path);
  return `Its content is kept with the run (pre-images/${hash}).`;
}
