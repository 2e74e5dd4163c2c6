import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { findNodePackage } from "../../../scripts/setup/node24.mjs";
import { readDockerfile } from "../../support/deployed-image.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const DEPLOY = join(ROOT, "packages/worker/deploy");

/** A name of an image that always means the same one. */
const EXACT = /^[\w./-]+:\d+\.\d+\.\d+[\w.-]*(@sha256:[0-9a-f]{64})?$/;

function readYaml(file: string) {
  return parse(readFileSync(join(DEPLOY, file), "utf8"));
}

describe("the files for containers", () => {
  it("build an image of exact versions without root, downloads or a shell between its program and signals", () => {
    const steps = readDockerfile(join(DEPLOY, "Dockerfile"));
    const list = (name: string): readonly string[] => steps.flatMap((step) => (step.name === name ? [step.text] : []));
    const [base = ""] = list("FROM");
    assert.deepEqual(
      {
        exact: EXACT.test(base),
        node: base.startsWith(`node:${findNodePackage("linux", "x64", false).split("@")[1]}-`),
        added: list("ADD"),
        user: list("USER").at(-1),
        entry: JSON.parse(list("ENTRYPOINT")[0] ?? "").slice(0, 2),
        fetched: steps.filter(({ text }) => /curl|wget|\bsudo\b/.test(text)),
      },
      {
        exact: true,
        node: true,
        added: [],
        user: "10001:10001",
        entry: ["node", "/opt/autogpt/autogpt-worker.mjs"],
        fetched: [],
      },
    );
  });

  it("start containers without rights, of exact versions, that only this machine reaches", () => {
    const { services } = readYaml("compose.yaml");
    const { temporal, worker } = services;
    const tested = /==(\S+)/.exec(readFileSync(join(ROOT, "scripts/setup/temporal.txt"), "utf8"))?.[1];
    const isHardened = ({ cap_drop, security_opt }: { cap_drop?: string[]; security_opt?: string[] }): boolean =>
      cap_drop?.join() === "ALL" && security_opt?.includes("no-new-privileges:true") === true;
    assert.deepEqual(
      {
        image: temporal.image,
        hardened: [temporal, worker].map(isHardened),
        ports: [...temporal.ports, ...(worker.ports ?? [])].filter((port: string) => !port.startsWith("127.0.0.1:")),
        privileged: [temporal, worker].filter((service) => service.privileged !== undefined),
      },
      { image: `temporalio/temporal:${tested}`, hardened: [true, true], ports: [], privileged: [] },
    );
  });

  it("start a job that isn't root, gains no rights and has limits", () => {
    const { spec } = readYaml("job.yaml").spec.template;
    const [{ image, securityContext, resources }] = spec.containers;
    assert.deepEqual(
      {
        exact: EXACT.test(image),
        pod: { token: spec.automountServiceAccountToken, hostUsers: spec.hostUsers, ...spec.securityContext },
        container: securityContext,
        limits: Object.keys(resources.limits),
      },
      {
        exact: true,
        pod: {
          token: false,
          hostUsers: false,
          runAsNonRoot: true,
          runAsUser: 10001,
          fsGroup: 10001,
          seccompProfile: { type: "Unconfined" },
        },
        container: { procMount: "Unmasked", allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        limits: ["memory"],
      },
    );
  });
});
