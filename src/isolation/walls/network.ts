import { WebError } from "../../core/ports/services.ts";
import { type AddressCheck, createAddressCheck, getBareHost } from "../../node/web/address-check.ts";
import { type CheckedProxy, startCheckedProxy } from "../../node/web/checked-proxy.ts";
import type { SharedNamespaces } from "./namespaces.ts";

/** Connects a run's programs to the hosts that the user allows. */
export interface RunNetwork {
  /** Variables that point programs to its proxy. */
  readonly env: Readonly<Record<string, string>>;
  /** Hosts that were refused since the last call, each with the reason as a sentence. */
  takeRefusals(): readonly string[];
  close(): Promise<void>;
}

/** Name of the group of package registries in `isolation.hosts`. */
const REGISTRIES = "registries";

/** Hosts of package registries, and of the files that these link to. */
const REGISTRY_HOSTS = [
  "registry.npmjs.org",
  "registry.yarnpkg.com",
  "pypi.org",
  "files.pythonhosted.org",
  "crates.io",
  "index.crates.io",
  "static.crates.io",
  "proxy.golang.org",
  "sum.golang.org",
  "repo.maven.apache.org",
  "repo1.maven.org",
  "plugins.gradle.org",
  "plugins-artifacts.gradle.org",
  "services.gradle.org",
  "dl.google.com",
  "rubygems.org",
  "index.rubygems.org",
  "repo.packagist.org",
  "packagist.org",
  "api.nuget.org",
  "www.nuget.org",
  "pub.dev",
  "hex.pm",
  "repo.hex.pm",
  "builds.hex.pm",
  "hackage.haskell.org",
  "jsr.io",
  "npm.jsr.io",
  "conda.anaconda.org",
  "repo.anaconda.com",
  "cran.r-project.org",
  "deno.land",
  "registry.bower.io",
];

/** Bytes that a run may receive and send in total. */
const MOST_BYTES = 4_000_000_000;

/** Maximum bytes of one plain request, which is buffered in memory. */
const MOST_SENT = 50_000_000;

/** Maximum number of refusals listed in one outcome. */
const MOST_NAMED = 5;

/** True if an entry matches the address. An entry is a host, a host with a port, `*.host`, or the group of registries. */
export function isAllowedHost(url: URL, hosts: readonly string[]): boolean {
  const host = getBareHost(url);
  const usual = url.protocol === "https:" ? "443" : "80";
  const port = url.port || usual;
  const entries = hosts.flatMap((entry) =>
    entry.trim() === REGISTRIES ? REGISTRY_HOSTS : [normalizeHostEntry(entry)],
  );
  return entries.some((entry) => {
    const [, name = "", ownPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    const isPort = ownPort === undefined ? port === usual : port === ownPort;
    const isName = name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
    return name !== "" && isName && isPort;
  });
}

/** Normalizes a user's entry: removes the scheme, the path and the final dot. */
function normalizeHostEntry(entry: string): string {
  return entry
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .replace(/\/.*$/, "")
    .replace(/\.$/, "");
}

/** Creates a check that accepts the named hosts if they are on the public internet, and reports each refusal. */
export function createHostCheck(
  hosts: readonly string[],
  refused: (sentence: string) => void,
  isPublic: AddressCheck = createAddressCheck(() => []),
): AddressCheck {
  return async (url) => {
    try {
      if (!isAllowedHost(url, hosts)) throw new WebError(explainRefusedHost(url));
      return await isPublic(url).catch(() => {
        throw new WebError(
          `${url.host} was refused: its name was not found, or it leads to this machine or its network, which isolated runs never reach.`,
        );
      });
    } catch (error) {
      if (error instanceof WebError) refused(error.message);
      throw error;
    }
  };
}

function explainRefusedHost({ host }: URL): string {
  return `${host} was refused: the user allows other hosts only (autogpt.isolation.hosts).`;
}

/** Opens the network of a run: a proxy of this process that listens within the run's own network. */
export async function openRunNetwork(
  namespaces: Pick<SharedNamespaces, "listen">,
  hosts: readonly string[],
  isPublic?: AddressCheck,
): Promise<RunNetwork> {
  const refused = new Set<string>();
  const { socket, port } = await namespaces.listen();
  const proxy = await startCheckedProxy(
    createHostCheck(hosts, (sentence) => refused.add(sentence), isPublic),
    { socket, mostBytes: MOST_BYTES, mostSent: MOST_SENT },
  );
  return createProxyNetwork(proxy, port, refused);
}

/** A network for programs that share the machine's. Its proxy listens on this port of the machine. */
export interface MachineNetwork extends RunNetwork {
  readonly port: number;
}

/** Opens a `MachineNetwork`. */
export async function openMachineNetwork(hosts: readonly string[]): Promise<MachineNetwork> {
  const refused = new Set<string>();
  const proxy = await startCheckedProxy(
    createHostCheck(hosts, (sentence) => refused.add(sentence)),
    { mostBytes: MOST_BYTES, mostSent: MOST_SENT },
  );
  return { ...createProxyNetwork(proxy, proxy.port, refused), port: proxy.port };
}

function createProxyNetwork(proxy: CheckedProxy, port: number, refused: Set<string>): RunNetwork {
  return {
    env: listProxyVariables(port),
    takeRefusals() {
      const all = [...refused];
      refused.clear();
      const more = all.length > MOST_NAMED ? [`${all.length - MOST_NAMED} more hosts were refused.`] : [];
      return [...all.slice(0, MOST_NAMED), ...more];
    },
    close: () => proxy.close(),
  };
}

/** Variables that direct programs to a proxy on this port of their own network. */
function listProxyVariables(port: number): Readonly<Record<string, string>> {
  const address = `http://127.0.0.1:${port}`;
  const java = ["http", "https"].flatMap((scheme) => [
    `-D${scheme}.proxyHost=127.0.0.1`,
    `-D${scheme}.proxyPort=${port}`,
  ]);
  const local = "localhost,127.0.0.1,::1";
  return {
    HTTP_PROXY: address,
    HTTPS_PROXY: address,
    ALL_PROXY: address,
    NO_PROXY: local,
    http_proxy: address,
    https_proxy: address,
    all_proxy: address,
    no_proxy: local,
    npm_config_proxy: address,
    npm_config_https_proxy: address,
    PIP_PROXY: address,
    CARGO_HTTP_PROXY: address,
    NODE_USE_ENV_PROXY: "1",
    MAVEN_OPTS: java.join(" "),
    GRADLE_OPTS: java.join(" "),
  };
}
