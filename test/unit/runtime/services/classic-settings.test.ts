import assert from "node:assert/strict";
import { type ClassicVariables, convertClassicSettings } from "../../../../src/runtime/services/classic-settings.ts";

const ENDPOINT = "https://me.openai.azure.com";
const AZURE = {
  azure_api_type: "azure",
  azure_api_base: ENDPOINT,
  azure_api_version: "2023-07-01-preview",
  azure_model_map: {
    fast_llm_model_deployment_id: " gpt35 ",
    smart_llm_deployment_id: "gpt4",
    embedding_model_deployment_id: "embedding-deployment-id-for-azure",
  },
};

/** What is taken over, without its origins. */
function taken(variables: ClassicVariables, azure?: object) {
  const { settings, keys, left } = convertClassicSettings(variables, azure && { ...azure });
  return {
    settings: Object.fromEntries(settings.map(({ name, value }) => [name, value])),
    keys: Object.fromEntries(keys.map(({ address, key }) => [address, key])),
    left: left.map(({ from }) => from),
  };
}

const NOTHING = { settings: {}, keys: {}, left: [] };

describe("a classic .env file", () => {
  it("sets models, limits and services in today's names, and keys for their own addresses", () => {
    assert.deepEqual(
      taken({
        OPENAI_API_KEY: " sk-1 ",
        OPENAI_ORGANIZATION: "org-1",
        SMART_LLM_MODEL: "gpt-4",
        FAST_LLM: "gpt-3.5-turbo",
        FAST_LLM_MODEL: "older",
        SMART_TOKEN_LIMIT: "8000",
        TEMPERATURE: "0.5",
        OPENAI_FUNCTIONS: "True",
        CONTINUOUS_LIMIT: "7",
        EXECUTE_LOCAL_COMMANDS: "False",
        DISABLED_COMMAND_CATEGORIES: "autogpt.commands.file_operations, autogpt.commands.execute_code,x",
        MEMORY_BACKEND: "no_memory",
        IMAGE_PROVIDER: "huggingface",
        IMAGE_SIZE: "512",
        HUGGINGFACE_IMAGE_MODEL: "CompVis/stable-diffusion-v1-4",
        HUGGINGFACE_AUDIO_TO_TEXT_MODEL: "openai/whisper-base",
        HUGGINGFACE_API_TOKEN: "hf_1",
        GOOGLE_API_KEY: "g-1",
        CUSTOM_SEARCH_ENGINE_ID: "cx",
        USE_WEB_BROWSER: "chrome",
      }),
      {
        settings: {
          "model.organization": "org-1",
          "model.smart": "gpt-4",
          "model.fast": "gpt-3.5-turbo",
          "model.contextWindow": 8000,
          "model.temperature": 0.5,
          "model.replyFormat": "tools",
          "run.continuousLimit": 7,
          "shell.enabled": false,
          "commands.disabled": ["files", "python", "shell"],
          "memory.enabled": false,
          "image.provider": "huggingFace",
          "image.size": "512x512",
          "image.model": "CompVis/stable-diffusion-v1-4",
          "audio.provider": "huggingFace",
          "audio.model": "openai/whisper-base",
          "web.googleEngineId": "cx",
          "web.searchProvider": "google",
          "web.browser": "auto",
        },
        keys: {
          "https://api.openai.com/v1": "sk-1",
          "https://www.googleapis.com/customsearch/v1": "g-1",
          "https://router.huggingface.co/hf-inference": "hf_1",
        },
        left: [],
      },
    );
  });

  it("gives its key to the server that it names, or to the Azure resource of azure.yaml", () => {
    const key = { OPENAI_API_KEY: "sk-1" };
    assert.deepEqual(
      {
        server: taken({ ...key, OPENAI_API_BASE_URL: "http://localhost:8000/v1" }),
        azure: taken({ ...key, USE_AZURE: "True" }, AZURE),
        azureSample: taken({ ...key, USE_AZURE: "1" }, { azure_api_base: "your-base-url-for-azure" }),
        azureWithoutFile: taken({ ...key, USE_AZURE: "true" }),
        azureFileAlone: taken(key, AZURE),
        badServer: taken({ ...key, OPENAI_API_BASE_URL: "nowhere" }).keys,
      },
      {
        server: {
          settings: { "model.baseUrl": "http://localhost:8000/v1" },
          keys: { "http://localhost:8000/v1": "sk-1" },
          left: [],
        },
        azure: {
          settings: {
            "model.provider": "azure",
            "azure.endpoint": ENDPOINT,
            "azure.apiVersion": "2023-07-01-preview",
            "azure.smartDeployment": "gpt4",
            "azure.fastDeployment": "gpt35",
          },
          keys: { [ENDPOINT]: "sk-1" },
          left: [],
        },
        azureSample: { ...NOTHING, settings: { "model.provider": "azure" } },
        azureWithoutFile: { ...NOTHING, settings: { "model.provider": "azure" } },
        azureFileAlone: { ...NOTHING, keys: { "https://api.openai.com/v1": "sk-1" } },
        badServer: {},
      },
    );
  });

  it("needs all four keys for X, and a web UI for its login", () => {
    const x = { TW_CONSUMER_KEY: "a", TW_CONSUMER_SECRET: "b", TW_ACCESS_TOKEN: "c" };
    const ui = { SD_WEBUI_URL: "http://localhost:7860", SD_WEBUI_AUTH: "me:pw" };
    assert.deepEqual(
      [
        taken(x).keys,
        taken({ ...x, TW_ACCESS_TOKEN_SECRET: "d" }).keys,
        taken(ui).keys,
        taken({ ...ui, IMAGE_PROVIDER: "sdwebui" }).keys,
      ],
      [{}, { "https://api.x.com": "a b c d" }, {}, { "http://localhost:7860": "me:pw" }],
    );
  });

  it("counts blank values and the template's samples as unset, and leaves variables of others alone", () => {
    assert.deepEqual(
      taken({ OPENAI_API_KEY: "your-openai-api-key", GOOGLE_API_KEY: " ", DATABASE_URL: "x", PATH: "/bin" }),
      NOTHING,
    );
  });

  it("turns on nothing that runs without approval, and says why a variable isn't taken over", () => {
    const { settings, left } = convertClassicSettings({
      CONTINUOUS_MODE: "True",
      RESTRICT_TO_WORKSPACE: "False",
      SHELL_ALLOWLIST: "ls,rm",
      TEMPERATURE: "hot",
      USE_WEB_BROWSER: "firefox",
      MEMORY_BACKEND: "redis",
      IMAGE_PROVIDER: "midjourney",
    });
    assert.deepEqual(
      { settings, left: left.map(({ from, why }) => `${from}: ${why}`) },
      {
        settings: [],
        left: [
          'TEMPERATURE: model.temperature takes a number from 0 to 2 or null, not "hot".',
          "MEMORY_BACKEND: Memories are kept in the workspace. To share them through PostgreSQL, Redis or Pinecone, set autogpt.memory.backend and autogpt.memory.url.",
          'IMAGE_PROVIDER: There is no image service "midjourney" here.',
          "USE_WEB_BROWSER: firefox can't be driven: an installed browser of the Chromium family is used.",
          'CONTINUOUS_MODE: It is never imported. Turn it on with "AutoGPT: Toggle Continuous Mode".',
          "RESTRICT_TO_WORKSPACE: Files outside the workspace always ask.",
          "SHELL_ALLOWLIST: The agent asks about every command line. Rules for whole lines are in autogpt.approval.rules and autogpt.approval.deny.",
        ],
      },
    );
  });
});
