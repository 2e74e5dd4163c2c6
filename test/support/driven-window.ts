import { openVsCode, type VsCode } from "../e2e/support/vscode.ts";
import { type FakeModelServer, fakeModelServer, type ServerAnswer, saying } from "./fake-model-server.ts";
import { DRIVER_EXTENSION, type HostDriver, hostDriver } from "./host-driver.ts";

/** A real VS Code with the packaged extension, in whose extension host tests can act, and the model server it thinks with. */
export interface DrivenWindow extends VsCode {
  readonly driver: HostDriver;
  readonly server: VsCode["server"];
  readonly model: FakeModelServer;
}

/** Opens it. `next` replies to each step's prompt; what else is asked of the model gets a sentence. */
export async function drivenWindow(
  next: (folder: string) => ServerAnswer,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<DrivenWindow> {
  const driver = await hostDriver();
  const place = { folder: "" };
  const model = await fakeModelServer(({ body }) =>
    body?.tools === undefined ? saying("Nothing is missing so far.") : next(place.folder),
  );
  const vscode = await openVsCode({
    env: driver.env,
    extensions: [DRIVER_EXTENSION],
    settings: {
      "autogpt.model.baseUrl": model.baseUrl,
      "autogpt.model.smart": "served-model",
      "autogpt.model.contextWindow": 128_000,
      ...settings,
    },
    whenClosed: async () => {
      driver.close();
      await model.close();
    },
  });
  place.folder = vscode.folder;
  return Object.assign(vscode, { driver, model });
}
