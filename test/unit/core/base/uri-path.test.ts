import assert from "node:assert/strict";
import { relative } from "node:path";
import {
  findUriFolder,
  formatUriPath,
  isAtOrBelowUri,
  isUriPath,
  parseUriPath,
  resolveUri,
} from "../../../../src/core/base/uri-path.ts";

describe("a URI path", () => {
  it("is distinguished from paths on a disk, drives included", () => {
    const paths = [
      "memfs:/a",
      "vscode-vfs://github/o/r",
      "/memfs:/a",
      "C:\\a",
      "C:/a",
      "c:/a",
      "a:b/c",
      "memfs:a",
      "a/b",
    ];
    assert.deepEqual(paths.filter(isUriPath), ["memfs:/a", "vscode-vfs://github/o/r"]);
  });

  it("keeps names that would be escaped in a URI, and has one spelling", () => {
    const texts = ["memfs:/a b/%41/#?x", "memfs:///a//./b/", "vfs://host/a/../../b", "vfs://host/"];
    assert.deepEqual(
      texts.map((text) => {
        const parts = parseUriPath(text);
        return parts && formatUriPath(parts);
      }),
      ["memfs:/a b/%41/#?x", "memfs:/a/b", "vfs://host/b", "vfs://host/"],
    );
  });

  it("resolves relative paths, out of the folder too", () => {
    assert.deepEqual(
      ["src/a.ts", "../lib/b.ts", "../../../..", "/etc/x", "other://h/x", "."].map((path) =>
        resolveUri("vfs://host/one/app", path),
      ),
      [
        "vfs://host/one/app/src/a.ts",
        "vfs://host/one/lib/b.ts",
        "vfs://host/",
        "vfs://host/etc/x",
        "other://h/x",
        "vfs://host/one/app",
      ],
    );
  });

  it("is below a folder only by whole names of the same place", () => {
    const paths = ["memfs:/app", "memfs:/app/a", "memfs:/apps/a", "memfs://x/app/a", "other:/app/a"];
    assert.deepEqual(
      [paths.filter((path) => isAtOrBelowUri(path, "memfs:/app")), isAtOrBelowUri("memfs:/a", "memfs:/")],
      [["memfs:/app", "memfs:/app/a"], true],
    );
  });

  it("has a folder above it until the topmost one", () => {
    assert.deepEqual(["vfs://h/a/b", "vfs://h/a", "vfs://h/"].map(findUriFolder), ["vfs://h/a", "vfs://h/", undefined]);
  });

  it("is displayed relative to its folder by the functions for the disk", () => {
    assert.equal(relative("vfs://h/a", "vfs://h/a/b/c.txt").replaceAll("\\", "/"), "b/c.txt");
  });
});
