import { isObject } from "../../core/base/json.ts";
import { resolveHuggingFaceAddress } from "../../models/media/hugging-face.ts";
import { GOOGLE_ADDRESS } from "../../node/web/google-search.ts";
import { X_ADDRESS } from "../../node/web/tweets.ts";
import { explainInvalidSetting, parseSettingText } from "../../schema/read-settings.ts";
import type { SettingName } from "../../schema/settings.ts";
import { OPENAI } from "./key-services.ts";

/** The variables of a classic `.env` file. */
export type ClassicVariables = Readonly<Record<string, string | undefined>>;

/** The fields of a classic `azure.yaml`. */
type AzureFields = Readonly<Record<string, unknown>>;

/** A setting that replaces a classic variable. */
export interface ClassicSetting {
  /** The variable or file that it comes from. */
  readonly from: string;
  readonly name: SettingName;
  readonly value: unknown;
}

/** A key in a classic file, with the address whose origin is the only one that may receive it. */
export interface ClassicKey {
  readonly from: string;
  readonly address: string;
  readonly key: string;
}

/** The content of classic files, converted to current terms. */
export interface ClassicImport {
  readonly settings: readonly ClassicSetting[];
  readonly keys: readonly ClassicKey[];
  /** Variables that aren't imported, each with the reason as a sentence. */
  readonly left: readonly { readonly from: string; readonly why: string }[];
}

type Values = Partial<Record<SettingName, unknown>>;

/** A classic variable: its names, newest first, and the settings for a value, or why it isn't imported. */
interface Row {
  readonly names: readonly string[];
  readonly take: (value: string, all: ClassicVariables) => Values | string;
}

/** Converts classic variables. Blank ones and the samples of the template count as unset. */
export function convertClassicSettings(given: ClassicVariables, azure?: AzureFields): ClassicImport {
  const all = Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (isSet(value) ? [[name, value.trim()]] : [])),
  );
  const settings: ClassicSetting[] = [];
  const left: { from: string; why: string }[] = [];
  const take = (from: string, values: Values): void => {
    for (const [name, value] of Object.entries(values) as [SettingName, unknown][]) {
      const read = typeof value === "string" ? parseSettingText(name, value) : value;
      const problem = explainInvalidSetting(name, read);
      if (problem !== undefined) left.push({ from, why: problem });
      else if (!settings.some((one) => one.name === name)) settings.push({ from, name, value: read });
    }
  };
  if (isTrue(all.USE_AZURE) && azure) take("azure.yaml", readAzureValues(azure));
  for (const { names, take: read } of ROWS) {
    const from = names.find((name) => all[name] !== undefined);
    const taken = from === undefined ? undefined : read(all[from] ?? "", all);
    if (from === undefined || taken === undefined) continue;
    if (typeof taken === "string") left.push({ from, why: taken });
    else take(from, taken);
  }
  return { settings, keys: collectClassicKeys(all, settings, azure), left };
}

function isSet(value: string | undefined): value is string {
  const text = value?.trim() ?? "";
  return text !== "" && !/^your[-_]/i.test(text);
}

function isTrue(value: string | undefined): boolean {
  return /^(true|1|yes|on)$/i.test(value ?? "");
}

/** The settings in an `azure.yaml`, whose field names depend on its version. */
function readAzureValues(fields: AzureFields): Values {
  const map = isObject(fields.azure_model_map) ? fields.azure_model_map : {};
  const values: readonly (readonly [SettingName, string | undefined])[] = [
    ["azure.endpoint", findAzureEndpoint(fields)],
    ["azure.apiVersion", findFirstText(fields, "azure_api_version")],
    ["azure.smartDeployment", findFirstText(map, "smart_llm_deployment_id", "smart_llm_model_deployment_id")],
    ["azure.fastDeployment", findFirstText(map, "fast_llm_deployment_id", "fast_llm_model_deployment_id")],
    ["model.embedding", findFirstText(map, "embedding_model_deployment_id")],
  ];
  return { "model.provider": "azure", ...Object.fromEntries(values.filter(([, value]) => value)) };
}

function findAzureEndpoint(fields: AzureFields): string | undefined {
  return findFirstText(fields, "azure_endpoint", "azure_api_base");
}

/** The first field with a text that isn't the template's sample, such as `your-base-url-for-azure`. */
function findFirstText(fields: AzureFields, ...names: readonly string[]): string | undefined {
  return names
    .map((name) => fields[name])
    .filter((value) => typeof value === "string")
    .map((value) => value.trim())
    .find((value) => value !== "" && !/-for-azure$/i.test(value));
}

const setSetting =
  (name: SettingName) =>
  (value: string): Values => ({ [name]: value });

const createUnsupportedRows = (names: string, why: string): readonly Row[] =>
  names.split(" ").map((name) => ({ names: [name], take: () => why }));

/** The current categories and commands for the classic categories that can be turned off. */
const CATEGORIES: Readonly<Record<string, readonly string[]>> = {
  analyze_code: ["analyze_code"],
  audio_text: ["read_audio_from_file"],
  execute_code: ["python", "shell"],
  file_operations: ["files"],
  git_operations: ["git"],
  google_search: ["web_search"],
  web_search: ["web_search"],
  image_gen: ["generate_image"],
  improve_code: ["improve_code"],
  twitter: ["send_tweet"],
  web_selenium: ["browse_website"],
  web_playwright: ["browse_website"],
  web_requests: ["get_text_summary", "get_hyperlinks"],
  write_tests: ["write_tests"],
};

function convertDisabledCommands(value: string): Values | string {
  const names = value.split(",").map((name) => name.trim().replace(/^.*\./, ""));
  const disabled = names.flatMap((name) => CATEGORIES[name] ?? []);
  return disabled.length > 0
    ? { "commands.disabled": [...new Set(disabled)] }
    : "Its categories have other names today. Choose them in autogpt.commands.disabled.";
}

function convertMemoryBackend(value: string): Values | string {
  if (/^no_memory$/i.test(value)) return { "memory.enabled": false };
  return /^(local|json_file)$/i.test(value)
    ? { "memory.enabled": true }
    : `Memories are kept in the workspace. ${SHARED_MEMORY}`;
}

const IMAGE_PROVIDERS: Readonly<Record<string, Values>> = {
  dalle: { "image.provider": "openai" },
  huggingface: { "image.provider": "huggingFace" },
  sdwebui: { "image.provider": "stableDiffusion" },
};

const isImageProvider = (all: ClassicVariables, provider: string): boolean =>
  all.IMAGE_PROVIDER?.toLowerCase() === provider;

const SAVED_RULES =
  "The agent asks about every command line. Rules for whole lines are in autogpt.approval.rules and autogpt.approval.deny.";
const VOICE = "Thoughts are read aloud by the system's own voices: autogpt.speech.enabled.";
const PLUGINS =
  'Allow plugins one by one with "AutoGPT: Tools and Plugins". Their values go into autogpt.plugins.config.';
const SHARED_MEMORY =
  "To share them through PostgreSQL, Redis or Pinecone, set autogpt.memory.backend and autogpt.memory.url.";
const SIZED_BY_ITSELF = "Pages are read in parts that fit the model's window.";

/** For each setting, the first row with a value applies. */
const ROWS: readonly Row[] = [
  {
    names: ["USE_AZURE"],
    take: (value) => (isTrue(value) ? { "model.provider": "azure" } : { "model.provider": "openai" }),
  },
  { names: ["OPENAI_API_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE"], take: setSetting("model.baseUrl") },
  { names: ["OPENAI_ORGANIZATION"], take: setSetting("model.organization") },
  { names: ["SMART_LLM", "SMART_LLM_MODEL"], take: setSetting("model.smart") },
  { names: ["FAST_LLM", "FAST_LLM_MODEL"], take: setSetting("model.fast") },
  { names: ["SMART_TOKEN_LIMIT"], take: setSetting("model.contextWindow") },
  { names: ["EMBEDDING_MODEL"], take: setSetting("model.embedding") },
  { names: ["TEMPERATURE"], take: setSetting("model.temperature") },
  {
    names: ["OPENAI_FUNCTIONS"],
    take: (value) => (isTrue(value) ? { "model.replyFormat": "tools" } : {}),
  },
  { names: ["CONTINUOUS_LIMIT"], take: setSetting("run.continuousLimit") },
  {
    names: ["EXECUTE_LOCAL_COMMANDS"],
    take: (value) => ({ "shell.enabled": isTrue(value) }),
  },
  { names: ["DISABLED_COMMAND_CATEGORIES"], take: convertDisabledCommands },
  { names: ["MEMORY_BACKEND"], take: convertMemoryBackend },
  {
    names: ["IMAGE_PROVIDER"],
    take: (value) => IMAGE_PROVIDERS[value.toLowerCase()] ?? `There is no image service "${value}" here.`,
  },
  {
    names: ["IMAGE_SIZE"],
    take: (value) => ({ "image.size": /^\d+$/.test(value) ? `${value}x${value}` : value }),
  },
  {
    names: ["HUGGINGFACE_IMAGE_MODEL"],
    take: (value, all) => (isImageProvider(all, "huggingface") ? { "image.model": value } : {}),
  },
  {
    names: ["SD_WEBUI_URL"],
    take: (value, all) => (isImageProvider(all, "sdwebui") ? { "image.baseUrl": value } : {}),
  },
  {
    names: ["HUGGINGFACE_AUDIO_TO_TEXT_MODEL"],
    take: (value) => ({ "audio.provider": "huggingFace", "audio.model": value }),
  },
  {
    names: ["GOOGLE_CUSTOM_SEARCH_ENGINE_ID", "CUSTOM_SEARCH_ENGINE_ID"],
    take: (value, all) => ({
      "web.googleEngineId": value,
      ...(all.GOOGLE_API_KEY ? { "web.searchProvider": "google" } : {}),
    }),
  },
  {
    names: ["USE_WEB_BROWSER"],
    take: (value) =>
      /^(firefox|safari)$/i.test(value)
        ? `${value} can't be driven: an installed browser of the Chromium family is used.`
        : { "web.browser": "auto" },
  },
  ...createUnsupportedRows(
    "CONTINUOUS_MODE",
    'It is never imported. Turn it on with "AutoGPT: Toggle Continuous Mode".',
  ),
  ...createUnsupportedRows("FAST_TOKEN_LIMIT", "Both models share autogpt.model.contextWindow."),
  ...createUnsupportedRows("RESTRICT_TO_WORKSPACE", "Files outside the workspace always ask."),
  ...createUnsupportedRows(
    "SHELL_COMMAND_CONTROL SHELL_DENYLIST SHELL_ALLOWLIST DENY_COMMANDS ALLOW_COMMANDS",
    SAVED_RULES,
  ),
  ...createUnsupportedRows("GITHUB_USERNAME GITHUB_API_KEY", "Git uses its own credentials."),
  ...createUnsupportedRows(
    "PINECONE_API_KEY REDIS_HOST WEAVIATE_HOST MILVUS_ADDR MEMORY_INDEX",
    `Memories are kept in the workspace. ${SHARED_MEMORY}`,
  ),
  ...createUnsupportedRows("TEXT_TO_SPEECH_PROVIDER USE_MAC_OS_TTS ELEVENLABS_API_KEY STREAMELEMENTS_VOICE", VOICE),
  ...createUnsupportedRows("ALLOWLISTED_PLUGINS DENYLISTED_PLUGINS PLUGINS_CONFIG_FILE CHAT_MESSAGES_ENABLED", PLUGINS),
  ...createUnsupportedRows("EXIT_KEY AUTHORISE_COMMAND_KEY", "VS Code's key bindings replace it."),
  ...createUnsupportedRows("HEADLESS_BROWSER USER_AGENT", "The browser always runs without a window."),
  ...createUnsupportedRows("BROWSE_CHUNK_MAX_LENGTH BROWSE_SPACY_LANGUAGE_MODEL", SIZED_BY_ITSELF),
  ...createUnsupportedRows("PROMPT_SETTINGS_FILE", "Put its lists into .autogpt/prompt_settings.yaml."),
];

const X_NAMES = ["TW_CONSUMER_KEY", "TW_CONSUMER_SECRET", "TW_ACCESS_TOKEN", "TW_ACCESS_TOKEN_SECRET"];

/** The keys, each for the only address where the same files use it. */
function collectClassicKeys(
  all: ClassicVariables,
  settings: readonly ClassicSetting[],
  azure: AzureFields | undefined,
): readonly ClassicKey[] {
  const getSettingText = (name: SettingName, otherwise: string): string =>
    String(settings.find((one) => one.name === name)?.value ?? otherwise);
  const models = isTrue(all.USE_AZURE)
    ? ((azure && findAzureEndpoint(azure)) ?? "")
    : getSettingText("model.baseUrl", OPENAI);
  const x = X_NAMES.map((name) => all[name] ?? "");
  const found: readonly (readonly [string, string, string | undefined])[] = [
    ["OPENAI_API_KEY", models, all.OPENAI_API_KEY],
    ["GOOGLE_API_KEY", GOOGLE_ADDRESS, all.GOOGLE_API_KEY],
    ["HUGGINGFACE_API_TOKEN", resolveHuggingFaceAddress(OPENAI), all.HUGGINGFACE_API_TOKEN],
    [
      "SD_WEBUI_AUTH",
      getSettingText("image.baseUrl", ""),
      isImageProvider(all, "sdwebui") ? all.SD_WEBUI_AUTH : undefined,
    ],
    ["TW_CONSUMER_KEY", X_ADDRESS, x.includes("") ? undefined : x.join(" ")],
  ];
  return found.flatMap(([from, address, key]) =>
    key === undefined || !URL.canParse(address) ? [] : [{ from, address, key }],
  );
}
