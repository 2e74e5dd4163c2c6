import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import { FakeModel } from "../../../support/fake-model.ts";
import { fakePage, fakeServices, fakeWeb } from "../../../support/fake-services.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";

describe("the other commands of the web", () => {
  const planted = plantedBenches();

  it("sum a page up", async () => {
    const model = new FakeModel([{ text: '{"answer": "All about boats.", "quotes": []}' }]);
    const { bench } = await planted({}, { services: fakeServices({ getFastModel: async () => model }) });
    assert.deepEqual(await bench.try("get_text_summary", { url: "example.com" }), {
      preview: {
        kind: "details",
        text: "Open https://example.com/\nSum it up: What is this about, and what are its main points?",
      },
      outcome: {
        status: "done",
        output: "Title: A page\nAddress: https://example.com/\n\nAll about boats.",
        source: { kind: "web", name: "https://example.com/" },
        pages: [{ url: "https://example.com/", title: "A page", quotes: [] }],
      },
    });
  });

  it("list a page's links", async () => {
    const links = Array.from({ length: 201 }, (_, index) => ({
      text: `L${index}`,
      url: `https://a.b/${index}`,
    }));
    const web = fakeWeb([fakePage("https://example.com/", { links, notes: ["A note."] })]);
    const { bench } = await planted({}, { services: fakeServices({ web }) });
    const outcome = await bench.call("get_hyperlinks", { url: "https://example.com" });
    const lines = outcome.status === "done" ? outcome.output.split("\n") : [];
    assert.deepEqual(
      [lines.length, lines[0], lines[1], ...lines.slice(-2)],
      [203, "201 links of https://example.com/:", "- L0 (https://a.b/0)", "[1 more link.]", "[A note.]"],
    );
  });

  it("search, and say when nothing is found", async () => {
    const found = [
      { title: "One", url: "https://one.example/", excerpt: "First." },
      { title: "Two", url: "https://two.example/", excerpt: "" },
    ];
    const { bench } = await planted({}, { services: fakeServices({ found }) });
    const nothing = (await planted({}, { services: fakeServices() })).bench;
    assert.deepEqual(
      [await bench.try("google", { input: " boats " }), await nothing.call("web_search", { query: "boats" })],
      [
        {
          preview: { kind: "details", text: "Search the web with Finder (find.example) for:\nboats" },
          outcome: {
            status: "done",
            output: "1. One\nhttps://one.example/\nFirst.\n\n2. Two\nhttps://two.example/",
            source: { kind: "web", name: "Finder: boats" },
          },
        },
        { status: "done", output: 'Finder found nothing for "boats". Try other or fewer words.' },
      ],
    );
  });

  it("download a file through the workspace's own checks, and show what it replaces", async () => {
    const { bench, folder } = await planted({ "old.txt": "old" }, { services: fakeServices() });
    const args = { url: "https://example.com/", filename: "old.txt" };
    const tried = await bench.try("download_file", args);
    assert.deepEqual(
      { ...tried, text: await readFile(join(folder, "old.txt"), "utf8") },
      {
        preview: {
          kind: "details",
          text: 'Download https://example.com/\nto "old.txt".\nIt replaces the file that is there (3 bytes).',
        },
        outcome: {
          status: "done",
          output:
            'Downloaded https://example.com/ to "old.txt" (6 bytes, text/plain). It is a stranger\'s file: look at it before you use it.',
          source: { kind: "download", name: "https://example.com/" },
        },
        text: "Hello.",
      },
    );
  });

  it("report to the policy what a download touches, and never write outside the workspace", async () => {
    const { bench, folder } = await planted({}, { services: fakeServices() });
    const url = "https://example.com/";
    const prepared = await bench.prepare("download_file", { url, filename: "new/a.bin" });
    const outside = await bench.call("download_file", { url, filename: "../a.bin" });
    const onFolder = await bench.call("download_file", { url, filename: "." });
    assert.deepEqual(
      [
        isPrepared(prepared) && { effect: prepared.effect, hosts: prepared.hosts, touches: prepared.touches },
        outside.status,
        onFolder,
      ],
      [
        {
          effect: "network",
          hosts: ["example.com"],
          touches: [{ path: join(folder, "new/a.bin"), how: "write" }],
        },
        "failed",
        { status: "failed", error: '"." is a folder, so it cannot be written. Name a file.' },
      ],
    );
  });

  it("are withheld with the reason", async () => {
    const missing = { missing: "Turned off." };
    const services = fakeServices({ web: missing, search: missing, downloads: missing, images: missing });
    const { bench } = await planted({}, { services });
    const names = ["web_search", "browse_website", "get_text_summary", "get_hyperlinks", "download_file"];
    assert.deepEqual(
      bench.commands.withheld.filter(({ name }) => [...names, "generate_image"].includes(name)),
      [...names, "generate_image"].map((name) => ({ name, why: "Turned off." })),
    );
  });
});
