import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FleetUnderTest } from "../contract/fleet-engine.contract.ts";
import { calling, runProgram } from "./headless.ts";
import { PICTURES } from "./picture-files.ts";

/** Sends a task with a picture from the command line to another machine, and says what its model has got. */
export async function sendPicture(
  { workspace, data, server }: Omit<FleetUnderTest, "engine">,
  ...on: readonly string[]
): Promise<{ readonly code: number; readonly isShown: boolean; readonly said: string }> {
  const picture = join(data, "shot.png");
  await writeFile(picture, Buffer.from(PICTURES.png, "base64"));
  server.plan(calling("task_complete", { reason: "It shows a square." }));
  const before = server.requests.length;
  const words = ["--task", "Say what it shows.", "--workspace", workspace, "--picture", picture, "--model", "gpt-4o"];
  const place = { baseUrl: "http://127.0.0.1:1", workspace, data };
  const { code, stdout, stderr } = await runProgram(place, ...words, ...on, "--yes");
  const asked = JSON.stringify(server.requests.slice(before).map(({ body }) => body));
  return {
    code,
    isShown: asked.includes(`data:image/png;base64,${PICTURES.png}`),
    said: stdout.includes("It shows a square.") ? "It shows a square." : `${stdout}${stderr}`,
  };
}
