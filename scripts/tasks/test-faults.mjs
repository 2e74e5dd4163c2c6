// The fault suite: runs that are killed and gone on with. Takes many minutes. Arguments go to mocha; FAULTS_MOMENTS says
// at how many random moments a run is killed.
import { runNode } from "../setup/node-program.mjs";

const mocha = ["--reporter", "test/host/counted-spec.ts", "--fail-zero", ...process.argv.slice(2)];
const { code } = await runNode(["mocha", ...mocha, "test/faults/*.faults.ts"]);
process.exitCode = code;
