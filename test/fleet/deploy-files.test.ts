import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { parse } from "yaml";
import { skipIfLacking } from "../support/fleet-needs.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DEPLOY = join(ROOT, "packages/worker/deploy");

/** Paths of what checks the files, as the task that starts these tests has installed it. */
interface Lints {
  readonly hadolint: string;
  readonly kubernetes: string;
  readonly compose: string;
  readonly actions: string;
}

function read(path: string): string {
  return readFileSync(path, "utf8");
}

/** The schema in a file. Some name their parts in the way of an older draft, which nothing refers to. */
function readSchema(path: string): object {
  const withoutIds = (key: string, value: unknown) => (key === "id" && typeof value === "string" ? undefined : value);
  return { ...JSON.parse(read(path), withoutIds), $schema: undefined };
}

/** What a schema says against a file; nothing if it fits. */
function findTroubles(validate: ValidateFunction, file: string): readonly string[] {
  validate(parse(read(join(DEPLOY, file))));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${file}${instancePath} ${message}`);
}

/** A problem that GitHub's own reader of workflows finds. */
interface Trouble {
  readonly message: string;
  readonly range: { readonly start: { readonly line: number } };
}

describe("the files for containers and CI", function () {
  this.timeout(120_000);
  let lints: Lints;

  before(function () {
    const found = process.env.DEPLOY_LINTS ?? "";
    skipIfLacking(this, found === "" ? "The linters aren't there; npm run test:fleet installs them." : undefined);
    lints = JSON.parse(found);
  });

  it("pass Hadolint", () => {
    const { stdout, status } = spawnSync(lints.hadolint, ["--no-color", join(DEPLOY, "Dockerfile")], {
      encoding: "utf8",
    });
    assert.deepEqual({ stdout, status }, { stdout: "", status: 0 });
  });

  it("fit the schemas of Compose and Kubernetes", () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false });
    ajv.addSchema(readSchema(join(lints.kubernetes, "_definitions.json")), "/kubernetes");
    const job = ajv.compile({ $ref: "/kubernetes#/$defs/io.k8s.api.batch.v1.Job" });
    const compose = ajv.compile(readSchema(lints.compose));
    assert.deepEqual([...findTroubles(compose, "compose.yaml"), ...findTroubles(job, "job.yaml")], []);
  });

  it("are an action and workflows as GitHub reads them", async () => {
    const { TextDocument, validate } = (await import(pathToFileURL(lints.actions).href)).default;
    const find = async (file: string, uri: string): Promise<readonly string[]> => {
      const troubles: readonly Trouble[] = await validate(TextDocument.create(uri, "yaml", 0, read(join(ROOT, file))));
      return troubles.map(({ message, range }) => `${file}:${range.start.line + 1} ${message}`);
    };
    const own = globSync(".github/workflows/*.yml", { cwd: ROOT });
    assert.deepEqual(
      [
        ...(await find("action.yml", "file:///action.yml")),
        ...(await find("docs/examples/autogpt.yml", "file:///.github/workflows/autogpt.yml")),
        ...(await Promise.all(own.map((file) => find(file, `file:///${file}`)))).flat(),
      ],
      [],
    );
  });
});
