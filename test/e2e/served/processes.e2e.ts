import assert from "node:assert/strict";
import { cardButton, endCard, startRun } from "../support/runs.ts";
import { complete, read } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { useStage } from "./stage.ts";

describe("a background process", () => {
  const onStage = useStage();

  it("is listed in the panel, stopped there, and then listed as stopped", async () => {
    const stage = onStage();
    const { page } = stage;
    const thinking = Promise.withResolvers<void>();
    const server = {
      text: "I start it.",
      command: "execute_shell_popen",
      args: { command_line: "sleep 600" },
    };
    await startRun(stage, "Serve", server, read("README.md", { until: thinking.promise }), complete());
    await cardButton(page, 1, "Approve").click();
    const view = panel(page);
    await view.getByText("I read").first().waitFor();
    await view.locator(".facts > summary").click();
    const processes = view.locator("details.processes");
    const listed = await processes.locator("li code").textContent();
    await processes.getByRole("button", { name: "Stop process 1" }).click();
    await processes.getByText("Stopped").waitFor();
    thinking.resolve();
    await endCard(page, "Finished").waitFor();
    assert.deepEqual({ listed }, { listed: "sleep 600" });
  });
});
