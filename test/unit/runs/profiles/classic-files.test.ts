import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { readClassicFiles } from "../../../../src/runs/profiles/classic-files.ts";
import { findClassicProfile, listProfileOffers } from "../../../../src/runs/profiles/profiles.ts";
import { makeLink } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

async function read(files: Readonly<Record<string, string>>) {
  const folder = await tempFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const found = await readClassicFiles(join(folder, ".env"));
  return { ...found, problems: found.problems.map((problem) => problem.replace(folder, "DIR")) };
}

const PROFILE = "ai_name: Bob\nai_role: a helper\nai_goals:\n- Help.\napi_budget: $1.50\n";

describe("the files of a classic folder", () => {
  it("are read as they were written: quotes, comments, the profile, the deployments", async () => {
    const azure =
      "azure_api_type: azure\nazure_api_base: https://me.openai.azure.com\nazure_api_version: '2023-07-01'\nazure_model_map:\n    fast_llm_model_deployment_id: gpt35\n    smart_llm_deployment_id: gpt4-deployment-id-for-azure\n";
    assert.deepEqual(
      await read({
        ".env": "# OPENAI_API_KEY=none\nSMART_LLM='gpt-4' # best\nexport FAST_LLM=gpt-3.5-turbo\n",
        "azure.yaml": azure,
        "ai_settings.yaml": PROFILE,
      }),
      {
        variables: { SMART_LLM: "gpt-4", FAST_LLM: "gpt-3.5-turbo" },
        azure: {
          azure_api_type: "azure",
          azure_api_base: "https://me.openai.azure.com",
          azure_api_version: "2023-07-01",
          azure_model_map: {
            fast_llm_model_deployment_id: "gpt35",
            smart_llm_deployment_id: "gpt4-deployment-id-for-azure",
          },
        },
        profile: { name: "Bob", role: "a helper", goals: ["Help."], budgetUsd: 1.5 },
        problems: [],
      },
    );
  });

  it("may have names of their own, and one that is broken doesn't keep the others from being read", async () => {
    const { profile, azure, problems } = await read({
      ".env": "AI_SETTINGS_FILE=bob.yaml\nAZURE_CONFIG_FILE=my.yaml\n",
      "bob.yaml": PROFILE,
      "ai_settings.yaml": "not: this\n",
      "my.yaml": "- a list\n",
    });
    assert.deepEqual(
      { name: profile?.name, azure, problems },
      {
        name: "Bob",
        azure: undefined,
        problems: [`DIR${sep}my.yaml has no fields like "azure_api_base: ...". Write one field per line.`],
      },
    );
  });

  it("begin with a .env file", async () => {
    await assert.rejects(read({}), /There is no file .*\.env\. Name a \.env file of classic AutoGPT\./);
  });
});

describe("the classic profile of a workspace", () => {
  const bob = { name: "Bob", role: "a helper", goals: ["Help."] };
  const offered = (...profiles: Parameters<typeof listProfileOffers>) =>
    listProfileOffers(...profiles).map(({ choice, label, description }) => `${choice}: ${label} ${description}`);

  it("is offered after a new one, and not twice if it was the last", () => {
    const ann = { ...bob, name: "Ann" };
    assert.deepEqual(
      {
        none: offered(undefined, undefined),
        both: offered(ann, bob),
        same: offered(bob, { ...bob, goals: [] }),
      },
      {
        none: ["new: Draft a new profile for this task "],
        both: [
          "new: Draft a new profile for this task ",
          "last: Use last profile (Ann) a helper",
          "classic: Review ai_settings.yaml (Bob) a helper",
        ],
        same: ["new: Draft a new profile for this task ", "last: Use last profile (Bob) a helper"],
      },
    );
  });

  it("is read from the folder itself, and is nothing if it's a link or no profile", async () => {
    const [whole, none, broken, linked] = await Promise.all([1, 2, 3, 4].map(tempFolder));
    await writeFile(join(whole ?? "", "ai_settings.yaml"), PROFILE);
    await writeFile(join(broken ?? "", "ai_settings.yaml"), "[1, 2");
    await makeLink(join(whole ?? "", "ai_settings.yaml"), join(linked ?? "", "ai_settings.yaml"));
    const names = [whole, none, broken, linked].map(async (folder) => (await findClassicProfile(folder ?? ""))?.name);
    assert.deepEqual(await Promise.all(names), ["Bob", undefined, undefined, undefined]);
  });
});
