import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { omitUndefined } from "../../core/base/objects.ts";
import { FleetClient } from "../../fleet/client/fleet-client.ts";
import type { FleetEngine } from "../../fleet/engine.ts";
import { isTemporalPlace } from "../../fleet/temporal/address.ts";
import { getUserFolder } from "../../node/app-files.ts";
import type { KeyRing } from "../../runtime/services/key-ring.ts";
import { getMachineName } from "./fleet-runs.ts";

/** Dependencies of the places. */
interface PlaceParts {
  /** The folder of the editor's copies. */
  readonly copies: string;
  /** The folder with our programs. */
  readonly dist: string;
  readonly keys: Pick<KeyRing, "get">;
}

/** The places for runs, as this window opens them. The client of Temporal is in a process of its own, from its first use on. */
export class FleetPlaces {
  readonly copies: string;
  private readonly client: FleetClient;
  private readonly keys: PlaceParts["keys"];

  constructor({ copies, dist, keys }: PlaceParts) {
    this.copies = copies;
    this.keys = keys;
    this.client = new FleetClient(join(dist, "fleet-client.cjs"));
  }

  /** Opens a place by its name. `folder`: in the repository whose runs they are; `repository`: address of another than its remote one. */
  async open(place: string, folder: string, repository?: string): Promise<FleetEngine> {
    if (!isTemporalPlace(place)) {
      const { openSshPlace } = await import("./ssh-place.ts");
      return (await openSshPlace(getMachineName(place), this.copies)).engine;
    }
    const apiKey = await this.keys.get(place);
    const sender = `${userInfo().username}@${hostname()}`;
    const own = { name: place, folder, data: getUserFolder(), copies: this.copies, sender };
    return this.client.open({ ...own, ...omitUndefined({ repository, apiKey }) });
  }

  close(): void {
    this.client.close();
  }
}
