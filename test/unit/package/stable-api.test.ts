import assert from "node:assert/strict";
import manifest from "../../../package.json" with { type: "json" };
import { declaredNames, newerMembers, versionTroubles } from "../../../scripts/setup/stable-api.mjs";
import table from "../../../scripts/vscode-api.json" with { type: "json" };
import oldest from "../../oldest/package.json" with { type: "json" };

const KNOWN = declaredNames(`declare module "vscode" {
  export namespace workspace { export function findFiles(include: string): Thenable<Uri[]>; export const textDocuments: readonly TextDocument[]; }
  export class TreeItem { collapsibleState?: TreeItemCollapsibleState; constructor(label: string); }
  export enum TreeItemCollapsibleState { Collapsed = 1 }
  export interface Terminal { sendText(text: string): void; readonly shellIntegration: object; }
}`);

const found = (code: string) => Object.fromEntries(newerMembers(code, table, KNOWN));

describe("the guard against VS Code's proposed API", () => {
  it("knows the names that a declaration file has", () => {
    assert.deepEqual([...KNOWN].sort(), [
      "Collapsed",
      "TreeItem",
      "TreeItemCollapsibleState",
      "collapsibleState",
      "constructor",
      "findFiles",
      "sendText",
      "shellIntegration",
      "textDocuments",
    ]);
  });

  it("finds proposed members, and those of a later release, however they are named, in bundles and sources", () => {
    assert.deepEqual(
      {
        called: found("v.workspace.findFiles2(['**'])"),
        indexed: found("v.workspace['findTextInFiles']({})"),
        tested: found("if ('onDidWriteTerminalData' in v.window) {}"),
        taken: found("const { mcpServerDefinitions } = v.lm"),
        created: found("new v.LanguageModelThinkingPart('')"),
        later: found("v.lm.registerLanguageModelChatProvider('a', b)"),
        stable: found("v.workspace.findFiles('a'); t.sendText('x')"),
        spoken: found("log('findFiles2 is proposed')"),
        typed: Object.fromEntries(
          newerMembers("const a: A = v.findFiles2; interface B { findTextInFiles: A }", table, KNOWN, "a.ts"),
        ),
      },
      {
        called: { findFiles2: "findFiles2" },
        indexed: { findTextInFiles: "findTextInFiles" },
        tested: { onDidWriteTerminalData: "terminalDataWriteEvent" },
        taken: { mcpServerDefinitions: "mcpServerDefinitions" },
        created: { LanguageModelThinkingPart: "languageModelThinkingPart" },
        later: { registerLanguageModelChatProvider: "stable" },
        stable: {},
        spoken: {},
        typed: { findFiles2: "findFiles2" },
      },
    );
  });

  it("has the types of the oldest VS Code that the extension is for, and asks for no proposal", () => {
    const engines = { vscode: "^1.101.0" };
    assert.deepEqual(
      {
        fit: versionTroubles({ engines }, "1.101.0"),
        newer: versionTroubles({ engines }, "1.110.0").length,
        open: versionTroubles({ engines: { vscode: "*" } }, "1.101.0").length,
        proposals: versionTroubles({ engines, enabledApiProposals: [] }, "1.101.0").length,
      },
      { fit: [], newer: 1, open: 1, proposals: 1 },
    );
  });

  it("is for no older VS Code than the oldest that is tested", () => {
    const [, minor] = oldest.dependencies["code-server"].split(".");
    assert.equal(manifest.engines.vscode, `^1.${minor}.0`);
  });
});
