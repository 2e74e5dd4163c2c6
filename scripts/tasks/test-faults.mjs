// The fault suite: runs that are killed and gone on with, a model server that misbehaves, disks that fail, a run of very many
// steps. Takes many minutes. Arguments go to mocha; FAULTS_MOMENTS says at how many random moments a run is killed, FAULTS_RUNS
// how many runs meet the bad server, FAULTS_STEPS how long the long run is.
import { runNode } from "../setup/node-program.mjs";

const mocha = ["--reporter", "test/host/counted-spec.ts", "--fail-zero", ...process.argv.slice(2)];
const { code } = await runNode(["mocha", ...mocha, "test/faults/*.faults.ts"]);
process.exitCode = code;
