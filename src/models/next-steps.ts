/** Where a person fixes what keeps a model from answering, as part of a sentence. It depends on the host. */
export interface NextSteps {
  /** "Correct …" */
  readonly address: string;
  /** "Choose another model with …" */
  readonly model: string;
  /** "To set a key, …" */
  readonly key: string;
  /** "Put name and password into …" */
  readonly proxy: string;
  /** "If a company's proxy signs it, …" */
  readonly certificate: string;
}

export const IN_EDITOR: NextSteps = {
  address: "autogpt.model.baseUrl",
  model: '"AutoGPT: Select Model…"',
  key: 'run "AutoGPT: Set API Key…"',
  proxy: "VS Code's http.proxy setting",
  certificate: "have its root certificate installed on this machine",
};

export const ON_COMMAND_LINE: NextSteps = {
  address: "--base-url",
  model: "--model",
  key: "put it into OPENAI_API_KEY",
  proxy: "HTTPS_PROXY",
  certificate: "name its root certificate in NODE_EXTRA_CA_CERTS",
};
