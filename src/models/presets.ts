import { PRESET_NAMES } from "../schema/settings.ts";

/** A known server with an OpenAI-compatible API. */
export interface Preset {
  readonly label: string;
  readonly address: string;
  /** Environment variable with its key on a command line. */
  readonly variable: string;
  /** How its keys begin, if that distinguishes them from others' keys. */
  readonly keyStart?: RegExp;
  /** Main and fast model for users who haven't chosen one, if the server lists them. */
  readonly models?: readonly [smart: string, fast: string];
}

/** Known servers by the name that `model@name` uses. */
const PRESETS = {
  openai: {
    label: "OpenAI",
    address: "https://api.openai.com/v1",
    variable: "OPENAI_API_KEY",
    keyStart: /^sk-(proj|svcacct|admin)-/,
    models: ["gpt-6.2-sol", "gpt-6-luna"],
  },
  openrouter: {
    label: "OpenRouter",
    address: "https://openrouter.ai/api/v1",
    variable: "OPENROUTER_API_KEY",
    keyStart: /^sk-or-/,
    models: ["openrouter/auto", "openrouter/auto"],
  },
  anthropic: {
    label: "Anthropic",
    address: "https://api.anthropic.com/v1",
    variable: "ANTHROPIC_API_KEY",
    keyStart: /^sk-ant-/,
    models: ["claude-sonnet-5-5", "claude-haiku-5-5"],
  },
  gemini: {
    label: "Google Gemini",
    address: "https://generativelanguage.googleapis.com/v1beta/openai",
    variable: "GEMINI_API_KEY",
    keyStart: /^AIza/,
    models: ["models/gemini-4-argon", "models/gemini-3.8-flash"],
  },
  mistral: {
    label: "Mistral",
    address: "https://api.mistral.ai/v1",
    variable: "MISTRAL_API_KEY",
    models: ["mistral-large-latest", "mistral-small-latest"],
  },
  deepseek: {
    label: "DeepSeek",
    address: "https://api.deepseek.com/v1",
    variable: "DEEPSEEK_API_KEY",
    models: ["deepseek-v4-pro", "deepseek-flash"],
  },
  huggingface: {
    label: "Hugging Face",
    address: "https://router.huggingface.co/v1",
    variable: "HF_TOKEN",
    keyStart: /^hf_/,
  },
  litellm: { label: "LiteLLM", address: "http://localhost:4000/v1", variable: "LITELLM_API_KEY" },
  vllm: { label: "vLLM", address: "http://localhost:8000/v1", variable: "VLLM_API_KEY" },
  lmstudio: { label: "LM Studio", address: "http://127.0.0.1:1234/v1", variable: "LMSTUDIO_API_KEY" },
  ollama: { label: "Ollama", address: "http://127.0.0.1:11434/v1", variable: "OLLAMA_API_KEY" },
} as const satisfies Readonly<Record<PresetName, Preset>>;

export type PresetName = (typeof PRESET_NAMES)[number];

/** True for the name of a preset. */
export function isPresetName(name: string): name is PresetName {
  return Object.hasOwn(PRESETS, name);
}

/** The preset whose keys begin like this one; undefined if that's unclear. */
export function findPresetByKey(key: string): PresetName | undefined {
  return PRESET_NAMES.find((name) => getPreset(name).keyStart?.test(key));
}

/** A preset by its name. */
export function getPreset(name: PresetName): Preset {
  return PRESETS[name];
}

/** Presets by the address of their API. */
export const PRESETS_BY_ADDRESS: ReadonlyMap<string, PresetName> = new Map(
  PRESET_NAMES.map((name) => [getPreset(name).address, name]),
);
