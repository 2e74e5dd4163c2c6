// Parts for the package with the worker of a fleet.
export { hasSucceeded } from "../../core/base/async.ts";
export { getErrorMessage } from "../../core/base/errors.ts";
export { tryJson } from "../../core/base/json.ts";
export { escapeInvisible } from "../../core/base/text.ts";
export { readLinkedText } from "../../disk/plain-file.ts";
export { type FleetKey, importFleetKey, loadFleetKey } from "../../fleet/key.ts";
export { parseTemporalAddress, type TemporalAddress } from "../../fleet/temporal/address.ts";
export { createFleetCodec, isTooLong } from "../../fleet/temporal/codec.ts";
export {
  connectToTemporal,
  getTaskQueue,
  readConnectionOptions,
} from "../../fleet/temporal/connection.ts";
export { explainNoLibrary } from "../../fleet/temporal/failures.ts";
export { findWalls } from "../../isolation/walls/find-walls.ts";
export type { FleetBeat, FleetOrderText } from "../../schema/fleet/orders.ts";
export type { ServedLine } from "../../schema/fleet/served.ts";
export { isFleetBeat, isFleetOrder, isServedRequest } from "../../schema/host-validators.ts";
export { writeInEnglish } from "../../texts/display-text.ts";
export { printHelp } from "../exit-code.ts";
export { readFlags } from "../flags.ts";
export { createSharedWorkers } from "../host.ts";
export { runMain } from "../main.ts";
export { parseCountFlag } from "../options.ts";
export type { Subcommand, Surroundings } from "../session.ts";
export { UsageError } from "../usage-error.ts";
export { printStoredLines } from "./serve-attach.ts";
export { workOnServedRun } from "./serve-work.ts";
export { cleanUpServedRuns, clearServedRun } from "./served-cleanup.ts";
export { getServedRepositoryName } from "./served-repository.ts";
export {
  addRequest,
  getServedHome,
  hasRequests,
  isWorkedOn,
  readServedRecord,
  takeRequests,
  watchFolders,
  writeServedRecord,
} from "./served-runs.ts";
