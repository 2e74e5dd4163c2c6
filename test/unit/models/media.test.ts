import assert from "node:assert/strict";
import { LLMock } from "@copilotkit/aimock";
import { IN_EDITOR } from "../../../src/models/http/endpoint.ts";
import { createHuggingFaceImages, createHuggingFaceTranscriber } from "../../../src/models/media/hugging-face.ts";
import { openAiImages, openAiTranscriber } from "../../../src/models/media/openai-media.ts";
import { createStableDiffusion } from "../../../src/models/media/stable-diffusion.ts";
import { webServers } from "../../support/web-server.ts";

const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const { signal } = new AbortController();

const failure = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/127\.0\.0\.1:\d+/g, "HOST");

describe("pictures and recordings of a server that others wrote", () => {
  const mock = new LLMock({ port: 0, logLevel: "silent" });
  before(() => mock.start());
  after(() => mock.stop());

  it("are drawn from a prompt", async () => {
    mock.onImage(/boat/, { image: { b64Json: PNG.toString("base64") } });
    const images = openAiImages({
      baseUrl: `${mock.url}/v1`,
      apiKey: "k",
      model: "dall-e-3",
      size: "1024x1024",
      steps: IN_EDITOR,
    });
    const { bytes, model, costUsd } = await images.draw("A red boat.", "1024x1024", signal);
    assert.deepEqual([Buffer.from(bytes), model, costUsd, images.host], [PNG, "dall-e-3", 0.04, "127.0.0.1"]);
  });

  it("are written down", async () => {
    mock.onTranscription({ transcription: { text: "Ahoy." } });
    const audio = openAiTranscriber({
      baseUrl: `${mock.url}/v1`,
      apiKey: "k",
      model: "whisper-1",
      steps: IN_EDITOR,
    });
    const { text, model } = await audio.transcribe(Buffer.from("ID3"), "a.mp3", signal);
    assert.deepEqual([text, model], ["Ahoy.", "whisper-1"]);
  });
});

describe("a service that draws or listens", () => {
  const server = webServers();

  it("counts what it costs where that is known", async () => {
    const { address } = await server((request, answer) => {
      answer.setHeader("content-type", "application/json");
      const usage = request.url?.endsWith("generations")
        ? { input_tokens: 100, output_tokens: 1000, total_tokens: 1100 }
        : { type: "duration", seconds: 30 };
      answer.end(JSON.stringify({ data: [{ b64_json: "AA==" }], text: "x", usage }));
    });
    const draw = (model: string) =>
      openAiImages({ baseUrl: address, apiKey: "", model, size: "64x64", steps: IN_EDITOR }).draw("x", "64x64", signal);
    const listen = (model: string) =>
      openAiTranscriber({ baseUrl: address, apiKey: "", model, steps: IN_EDITOR }).transcribe(
        Buffer.from("x"),
        "a.wav",
        signal,
      );
    assert.deepEqual(
      [
        (await draw("gpt-image-1")).costUsd,
        (await draw("unheard-of")).costUsd,
        (await listen("whisper-1")).costUsd,
        (await listen("unheard-of")).costUsd,
      ],
      [0.0405, undefined, 0.003, undefined],
    );
  });

  it("says what a refusal means, and never the key", async () => {
    const { address } = await server((_request, answer) => {
      answer.writeHead(400, { "content-type": "application/json" });
      answer.end(JSON.stringify({ error: { message: "Your prompt is refused, secret-key-123.", code: "moderation" } }));
    });
    const images = openAiImages({
      baseUrl: address,
      apiKey: "secret-key-123",
      model: "m",
      size: "64x64",
      steps: IN_EDITOR,
    });
    const said = await images.draw("x", "64x64", signal).then(() => "", failure);
    assert.deepEqual([said.includes("Your prompt is refused"), said.includes("secret-key-123")], [true, false]);
  });

  it("names its own settings where something is to be corrected", async () => {
    const { address } = await server((_request, answer) => {
      answer.writeHead(404, { "content-type": "application/json" });
      answer.end(JSON.stringify({ error: { message: "No such model.", code: "model_not_found" } }));
    });
    const images = openAiImages({
      baseUrl: address,
      apiKey: "",
      model: "m",
      size: "64x64",
      steps: IN_EDITOR,
    });
    const said = await images.draw("x", "64x64", signal).then(() => "", failure);
    assert.match(said, /has no model "m"\. Choose one that it has with autogpt\.image\.model\./);
  });

  it("needs a key unless it is near", async () => {
    const images = openAiImages({
      baseUrl: "https://api.openai.com/v1",
      apiKey: "",
      model: "m",
      size: "64x64",
      steps: IN_EDITOR,
    });
    await assert.rejects(
      images.draw("x", "64x64", signal),
      /^ModelError: No API key is set for https:\/\/api\.openai\.com\/v1\./,
    );
  });

  it("may be a Stable Diffusion web UI", async () => {
    const seen: unknown[] = [];
    const { address } = await server(async (request, answer) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const { prompt, width, height } = JSON.parse(body);
      seen.push([request.url, request.headers.authorization, prompt, width, height]);
      if (prompt === "404" || prompt === "401" || prompt === "500") answer.writeHead(Number(prompt)).end();
      else answer.end(JSON.stringify({ images: prompt === "none" ? [] : [PNG.toString("base64")] }));
    });
    const images = createStableDiffusion({
      baseUrl: address,
      login: "ann:pw",
      size: "512x512",
      steps: IN_EDITOR,
    });
    const draw = (prompt: string) =>
      images.draw(prompt, "64x32", signal).then(({ bytes }) => Buffer.from(bytes).toString("hex"), failure);
    assert.deepEqual(
      [await draw("A boat."), await draw("404"), await draw("401"), await draw("500"), await draw("none"), seen[0]],
      [
        PNG.toString("hex"),
        "The web UI at http://HOST has no API. The user has to start it with --api, or set another autogpt.image.baseUrl.",
        'The web UI at http://HOST asks for a login, which is user:password. The user can set it: run "AutoGPT: Set API Key…".',
        "The web UI at http://HOST answered 500. Try another prompt or size, or continue without an image.",
        "http://HOST returned no image. Try again.",
        ["/sdapi/v1/txt2img", "Basic YW5uOnB3", "A boat.", 64, 32],
      ],
    );
  });
});

describe("Hugging Face", () => {
  const server = webServers();

  /** A service that answers with the named trouble first, then well. */
  async function serving(...troubles: readonly (readonly [number, object])[]) {
    const left = [...troubles];
    const seen: unknown[] = [];
    const { address } = await server(async (request, answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { authorization, accept, "content-type": type } = request.headers;
      seen.push([request.url, authorization, accept, type, Buffer.concat(chunks).toString()]);
      const trouble = left.shift();
      if (trouble) return void answer.writeHead(trouble[0]).end(JSON.stringify(trouble[1]));
      if (type === "application/json") answer.setHeader("content-type", "image/png").end(PNG);
      else answer.end(JSON.stringify({ text: " Ahoy." }));
    });
    const options = { baseUrl: address, apiKey: "hf_secret", steps: IN_EDITOR };
    return {
      seen,
      images: createHuggingFaceImages({ ...options, model: "gpt-image-1", size: "512x512" }),
      audio: createHuggingFaceTranscriber({ ...options, model: "me/my whisper" }),
    };
  }

  it("draws once its model is loaded, and listens", async () => {
    const loading = [503, { error: "Model is currently loading", estimated_time: 0.01 }] as const;
    const { images, audio, seen } = await serving(loading, loading);
    const { bytes, model, costUsd } = await images.draw("A boat.", "64x32", signal);
    const { text } = await audio.transcribe(Buffer.from("RIFF"), "a.WAV", signal);
    const drawing = [
      "/models/stabilityai/stable-diffusion-xl-base-1.0",
      "Bearer hf_secret",
      "image/png",
      "application/json",
      '{"inputs":"A boat.","parameters":{"width":64,"height":32}}',
    ];
    assert.deepEqual(
      { bytes: Buffer.from(bytes), model, costUsd, text, seen },
      {
        bytes: PNG,
        model: "stabilityai/stable-diffusion-xl-base-1.0",
        costUsd: undefined,
        text: " Ahoy.",
        seen: [drawing, drawing, drawing, ["/models/me/my%20whisper", "Bearer hf_secret", "*/*", "audio/wav", "RIFF"]],
      },
    );
  });

  it("says what a refusal means, and never the token", async () => {
    const said = async (status: number, answer: object) =>
      (await serving([status, answer])).images.draw("x", "64x64", signal).then(() => "", failure);
    assert.deepEqual(
      {
        token: await said(401, { error: "Invalid token hf_secret." }),
        model: await said(404, { error: ["Not Found"] }),
        down: await said(503, { error: "Down" }),
      },
      {
        token:
          'stabilityai/stable-diffusion-xl-base-1.0 at 127.0.0.1 rejected the access token (401). It said: "Invalid token [key]". To set another one, run "AutoGPT: Set API Key…".',
        model:
          'stabilityai/stable-diffusion-xl-base-1.0 at 127.0.0.1 can\'t be used (404). It said: "Not Found". The user can choose another model with autogpt.image.model.',
        down: 'stabilityai/stable-diffusion-xl-base-1.0 at 127.0.0.1 answered 503. It said: "Down". Try again later, or continue without it.',
      },
    );
  });

  it("stops waiting for a model when the user stops", async () => {
    const stop = new AbortController();
    const { images, seen } = await serving([503, { estimated_time: 600 }]);
    const drawing = images.draw("x", "64x64", stop.signal).then(() => "", failure);
    while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error("Stopped."));
    assert.deepEqual([await drawing, seen.length], ["Stopped.", 1]);
  });
});
