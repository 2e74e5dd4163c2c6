import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createWebServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { McpSource } from "../../../../src/plugins/mcp/mcp-source.ts";
import * as sdk from "../../../../src/plugins/mcp/sdk-client.ts";
import { SIGN_IN_MS, SignIn, type SignInHost } from "../../../../src/plugins/mcp/sign-in.ts";
import type { LoadedPlugin } from "../../../../src/plugins/plugin.ts";
import { DEFAULT_SETTINGS } from "../../../../src/schema/read-settings.ts";
import { mcpParts } from "../../../support/mcp-servers.ts";
import { type SignedInServer, signedInServer } from "../../../support/signed-in-server.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

describe("the account on an MCP server", function () {
  this.timeout(30_000);
  const opened: { close?(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close?.();
  });

  /** A server that wants a sign-in, in the settings, and a person whose browser opens every page. */
  async function parts(findBrowserAddress?: SignInHost["findBrowserAddress"]) {
    const server: SignedInServer = await signedInServer();
    const folder = await tempFolder();
    const kept = new Map<string, string>();
    const host: SignInHost = {
      read: async (key) => kept.get(key),
      write: async (key, value) => void kept.set(key, value),
    };
    const open: SignInHost["open"] = async ({ url }) => (await fetch(url)).ok;
    const { run, notices, ...mcp } = mcpParts(folder, {
      findSignIn: (named, url) => new SignIn(named, url, host),
      signIn: async (named) => {
        const auth = new SignIn(named, server.url, {
          ...host,
          open,
          ...(findBrowserAddress ? { findBrowserAddress } : {}),
        });
        const connection = await sdk.connect({
          ...{ way: { kind: "address", url: server.url, headers: {}, auth }, prior: undefined },
          ...{ elicit: undefined, limitMs: SIGN_IN_MS, longest: 1_000_000 },
          handleToolsChange: () => undefined,
          handleEnd: () => undefined,
        });
        await connection.close();
      },
    });
    const source = new McpSource(mcp.host);
    opened.push(source.pool, server);
    const settings = { ...DEFAULT_SETTINGS, mcp: { servers: { remote: { url: server.url } } } };
    const [plugin] = await source.find({ folder, isTrusted: true, settings });
    assert.ok(plugin?.account);
    const load = async (): Promise<LoadedPlugin> => {
      const loaded = await plugin.load(run);
      await loaded.open?.(new AbortController().signal);
      opened.push(loaded);
      return loaded;
    };
    return { account: plugin.account, load, notices, kept };
  }

  it("is missing at first, which a run reports with the action that helps, and gives the same run its tools once there is one", async () => {
    const { account, load, notices } = await parts();
    const loaded = await load();
    const before = { isSignedIn: await account.hasSignIn(), tools: loaded.listCommands?.().length };

    await account.signIn();

    const news: string[] = [];
    while (!news.some((one) => one.includes("1 more tool"))) {
      await wait(5);
      news.push(...(loaded.takeNews?.() ?? []));
    }
    const behind = loaded.listUnofferedCommands?.().map(({ name }) => name);
    const after = { isSignedIn: await account.hasSignIn(), behind };
    assert.deepEqual(
      { before, after, notices },
      {
        before: { isSignedIn: false, tools: 0 },
        after: { isSignedIn: true, behind: ["remote__whoami"] },
        notices: [{ code: "mcp.signInFirst", parameters: { name: "remote" } }],
      },
    );
  });

  it("is forgotten when the user signs out, and the next run has to sign in again", async () => {
    const { account, load, notices } = await parts();
    await account.signIn();
    const first = (await load()).listCommands?.().map(({ name }) => name);

    await account.signOut();

    const second = (await load()).listCommands?.().map(({ name }) => name);
    assert.deepEqual(
      { first, second, isSignedIn: await account.hasSignIn(), notices },
      {
        first: ["remote__whoami"],
        second: [],
        isSignedIn: false,
        notices: [{ code: "mcp.signInFirst", parameters: { name: "remote" } }],
      },
    );
  });

  it("is signed in to again although another program has taken the port of the last time", async () => {
    const { account, load, kept } = await parts();
    await account.signIn();
    await account.signOut();
    const [port = ""] = /(?<=127\.0\.0\.1:)\d+(?=\/callback)/.exec([...kept.values()].join()) ?? [];
    const other = createServer((socket) => socket.destroy()).listen(Number(port), "127.0.0.1");
    opened.push({ close: async () => void other.close() });
    await once(other, "listening");

    await account.signIn();

    const commands = (await load()).listCommands?.().map(({ name }) => name);
    assert.deepEqual(commands, ["remote__whoami"]);
  });

  it("comes back by the address that leads to this machine from a browser elsewhere, which stays the same the next time", async () => {
    const returns: string[] = [];
    const forwarding = createWebServer(async (request, response) => {
      const [, port, path] = /^\/proxy\/(\d+)(\/.*)$/.exec(request.url ?? "") ?? [];
      returns.push(`${port} ${path?.replace(/\?.*/, "")}`);
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      response.writeHead(answer.status).end(await answer.text());
    }).listen(0, "127.0.0.1");
    opened.push({ close: async () => void forwarding.close() });
    await once(forwarding, "listening");
    const base = `http://127.0.0.1:${(forwarding.address() as AddressInfo).port}/proxy`;
    const { account, load, kept } = await parts(async (address) => {
      const { port, pathname } = new URL(address);
      return `${base}/${port}${pathname}`;
    });
    const registered = (): unknown => Object.values(JSON.parse([...kept.values()].join()).issuers);
    await account.signIn();
    const commands = (await load()).listCommands?.().map(({ name }) => name);
    const first = registered();
    await account.signOut();
    await account.signIn();

    const [port = ""] = returns[0]?.split(" ") ?? [];
    const withoutTokens = (all: unknown): string => JSON.stringify(all).replace(/,?"tokens":\{[^}]*\}/, "");
    assert.deepEqual(
      {
        commands,
        returns,
        redirect: JSON.stringify(first).includes(`"redirect_uris":["${base}/${port}/callback"]`),
        isSame: withoutTokens(registered()) === withoutTokens(first),
      },
      {
        commands: ["remote__whoami"],
        returns: [`${port} /callback`, `${port} /callback`],
        redirect: true,
        isSame: true,
      },
    );
  });
});
