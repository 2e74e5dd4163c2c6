import assert from "node:assert/strict";
import { LLMock } from "@copilotkit/aimock";
import { IN_EDITOR } from "../../../src/models/http/endpoint.ts";
import { openAiImages, openAiTranscriber } from "../../../src/models/media/openai-media.ts";
import { stableDiffusion } from "../../../src/models/media/stable-diffusion.ts";
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
      openAiImages({ baseUrl: address, apiKey: "", model, size: "64x64", steps: IN_EDITOR }).draw(
        "x",
        "64x64",
        signal,
      );
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
      answer.end(
        JSON.stringify({ error: { message: "Your prompt is refused, secret-key-123.", code: "moderation" } }),
      );
    });
    const images = openAiImages({
      baseUrl: address,
      apiKey: "secret-key-123",
      model: "m",
      size: "64x64",
      steps: IN_EDITOR,
    });
    const said = await images.draw("x", "64x64", signal).then(() => "", failure);
    assert.deepEqual(
      [said.includes("Your prompt is refused"), said.includes("secret-key-123")],
      [true, false],
    );
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
    const images = stableDiffusion({ baseUrl: address, login: "ann:pw", size: "512x512", steps: IN_EDITOR });
    const draw = (prompt: string) =>
      images.draw(prompt, "64x32", signal).then(({ bytes }) => Buffer.from(bytes).toString("hex"), failure);
    assert.deepEqual(
      [
        await draw("A boat."),
        await draw("404"),
        await draw("401"),
        await draw("500"),
        await draw("none"),
        seen[0],
      ],
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
