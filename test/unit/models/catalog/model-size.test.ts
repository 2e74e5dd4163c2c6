import assert from "node:assert/strict";
import { parseBillions } from "../../../../src/models/catalog/model-size.ts";

/** Billions of parameters, and names that say so. */
const SIZES: Readonly<Record<string, string>> = {
  "0.135": "smollm:135m HuggingFaceTB/SmolLM2-135M-Instruct",
  "0.27": "gemma3:270m gemma-3-270m-it-Q8_0.gguf",
  "0.36": "smollm2-360m smollm2:360m-instruct-q8_0",
  "0.49403": "494.03M",
  "0.5": "qwen2.5-0.5b qwen1_5-0_5b-chat 0.5B",
  "1": "Llama-3.2-1B-Instruct hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M granite3.1-moe:1b olmo-2-0425-1b",
  "1.1": "tinyllama tinyllama:latest TinyLlama-1.1B-Chat-v1.0.Q4_K_M.gguf",
  "1.5": "qwen2.5-coder:1.5b deepseek-r1:1.5b DeepSeek-R1-Distill-Qwen-1.5B qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
  "1.7": "qwen3:1.7b SmolLM2-1.7B-Instruct",
  "2": "gemma3n:e2b gemma-3n-E2B-it gemma:2b bitnet-b1.58-2B-4T",
  "2.7": "phi-2 phi:2.7b",
  "2.8": "mamba-2.8b-hf",
  "3": "Llama-3.2-3B-Instruct-Q4_K_M.gguf C:\\models\\Llama-3.2-3B-Instruct.gguf /models/Llama-3.2-3B/Llama-3.2-3B.gguf ministral-3b-latest stablelm-zephyr-3b qwen2.5-coder-3b-instruct@4bit",
  "3.8": "phi-3.5-mini Phi-3-mini-4k-instruct phi3:mini phi-4-mini-instruct phi4-mini phi3:3.8b phi3 phi3.5:latest",
  "4": "gemma-3-4b-it gemma3:4b Qwen3-4B-MLX-8bit Qwen3-4B-Instruct-2507 gemma-3n-E4B-it medgemma-1.5-4b-it",
  "6.7": "deepseek-coder:6.7b-instruct-q4_0",
  "7": "qwen/qwen2.5-coder-7b-instruct Qwen2.5-7B-Instruct-1M mistral-7b-instruct-v0.3 internlm2_5-7b-chat gemma-7b-it@q8_0 phi-3-small-8k-instruct",
  "7.6": "7.6B",
  "8": "llama3.1:8b-instruct-q4_0 DeepSeek-R1-0528-Qwen3-8B accounts/fireworks/models/llama-v3p1-8b-instruct Llama_3_8b.gguf command-r7b-12-2024 gemini-1.5-flash-8b",
  "9": "yi-1.5-9b glm-4-9b-0414 NVIDIA-Nemotron-Nano-9B-v2 gemma2:9b",
  "12": "gemma-3-12b-it-qat-4bit",
  "14": "phi-4 phi4 phi4:14b phi-4-reasoning-plus phi-3-medium-128k-instruct qwen2.5:14b",
  "17": "aquif-3-moe-17B-A2.8B-Think",
  "20": "gpt-oss:20b openai/gpt-oss-20b",
  "24": "mistral-small-24b-instruct-2501-4bit",
  "30": "qwen3-30b-a3b Qwen3-Coder-30B-A3B-Instruct-Q4_K_M 30B-A3B",
  "56": "mixtral-8x7b Nous-Hermes-2-Mixtral-8x7B-DPO dolphin-mixtral:8x7b 8x7B",
  "70": "llama3-70b-8192 llama-3.3-70b-versatile",
  "109": "Llama-4-Scout-17B-16E-Instruct",
  "176": "mixtral:8x22b",
  "405": "meta-llama/Meta-Llama-3.1-405B-Instruct-FP8",
};

const UNKNOWN =
  "gpt-4.1-mini gpt-4o-mini-2024-07-18 gpt-4-32k gpt-3.5-turbo-16k o3-mini claude-haiku claude-3-5-haiku-20241022 claude-haiku-4-5 gemini-2.5-flash llama-3.1 llama3.2 llama3.2:latest v2.5 model-v2.5b 2024-05b model-2024-05b command-r-08-2024 mistral-large-2411 deepseek-v3 deepseek-chat kimi-k2 nova-micro qwen-turbo-1m falcon-4bit model-a3b ggml-model-q4_0.gguf b3456 default";

describe("the size of a model", () => {
  for (const [size, names] of Object.entries(SIZES))
    it(`is ${size} billion parameters by the names that say so`, () =>
      assert.deepEqual(
        names.split(" ").filter((name) => parseBillions(name) !== Number(size)),
        [],
      ));

  it("is unknown by names with other numbers", () =>
    assert.deepEqual(
      UNKNOWN.split(" ").filter((name) => parseBillions(name) !== undefined),
      [],
    ));
});
