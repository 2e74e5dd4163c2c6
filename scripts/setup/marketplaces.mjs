import http from "node:http";
import { strFromU8, unzipSync } from "fflate";

const MAX_KEYWORDS = 30;
const MIN_ICON_PIXELS = 128;

/** Operations of the Visual Studio Marketplace that its client looks up by ID before it calls them. */
const OPERATIONS = {
  "e11ea35a-16fe-4b80-ab11-c4cab88a0966": "publishers/{publisherName}/extensions/{extensionName}",
  "a41192c8-9525-4b58-bc86-179fa549d80d": "extensions",
};

/** What a marketplace would reject or show wrongly in a package, a sentence each. */
export function packageTroubles(vsix) {
  const files = unzipSync(vsix);
  const text = (name) => (files[name] ? strFromU8(files[name]) : "");
  const manifest = JSON.parse(text("extension/package.json"));
  const texts = text("extension/package.nls.json") ? JSON.parse(text("extension/package.nls.json")) : {};
  const written = (value) => value?.replace(/^%(.+)%$/, (whole, key) => texts[key] ?? whole) ?? "";
  const icon = files[`extension/${manifest.icon}`];
  const isPng = icon?.[0] === 0x89 && icon.length > 24;
  const pixels = isPng ? new DataView(icon.buffer, icon.byteOffset).getUint32(16) : 0;
  const untranslated = JSON.stringify(manifest)
    .match(/"%[\w.]+%"/g)
    ?.filter((key) => texts[key.slice(2, -2)] === undefined);
  return [
    ...(/^\d+\.\d+\.\d+$/.test(manifest.version) ? [] : ["The version isn't three numbers."]),
    ...(written(manifest.displayName) === "" ? ["There is no display name."] : []),
    ...(written(manifest.description) === "" ? ["There is no description."] : []),
    ...((manifest.keywords?.length ?? 0) > MAX_KEYWORDS ? [`There are more than ${MAX_KEYWORDS} keywords.`] : []),
    ...(pixels >= MIN_ICON_PIXELS ? [] : [`The icon isn't a PNG of at least ${MIN_ICON_PIXELS} pixels.`]),
    ...(manifest.license && files["extension/LICENSE.txt"] ? [] : ["There is no license."]),
    ...["repository", "bugs", "homepage"].filter((key) => !manifest[key]).map((key) => `There is no ${key}.`),
    ...(untranslated ?? []).map((key) => `package.nls.json has no text for ${key}.`),
    ...["readme.md", "changelog.md"].flatMap((name) => pageTroubles(name, text(`extension/${name}`))),
  ];
}

/** A page outside of the repository can only show pictures by their whole address, and no drawings. */
function pageTroubles(name, page) {
  if (page === "") return [`There is no ${name}.`];
  const targets = [...page.matchAll(/(!?)\[[^\]]*\]\(([^)\s]+)/g)];
  return [
    ...targets
      .filter(([, , target]) => !/^(https:|mailto:|#)/.test(target))
      .map(([, , target]) => `${name} has a link that leads nowhere there: ${target}`),
    ...targets
      .filter(([, picture, target]) => picture && /\.svg($|\?)/i.test(target))
      .map(([, , target]) => `${name} has a drawing (SVG), which isn't allowed: ${target}`),
  ];
}

/**
 * Answers the clients of both marketplaces on this machine, so that a package can be published for practice.
 * `received` has each package by the marketplace it was sent to.
 */
export async function openMarketplaces() {
  const received = new Map();
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const { status, body } = answer(request, Buffer.concat(parts), received);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, received, close: () => server.close() };
}

function answer({ method, url }, body, received) {
  const { pathname } = new URL(url, "http://localhost");
  if (method === "OPTIONS") return { status: 200, body: locations() };
  if (method === "POST" && pathname === "/_apis/gallery/extensions") {
    received.set("Visual Studio Marketplace", packageIn(body));
    return { status: 200, body: {} };
  }
  if (method === "POST" && pathname === "/api/-/publish") {
    received.set("Open VSX", body);
    const { publisher, name, version } = JSON.parse(strFromU8(unzipSync(body)["extension/package.json"]));
    return { status: 201, body: { namespace: publisher, name, version } };
  }
  return { status: 404, body: { message: "There is no such extension yet." } };
}

/** A package as it is, or as the Base64 text in which the client may send it. */
function packageIn(body) {
  if (body[0] === 0x50) return body;
  return Buffer.from(JSON.parse(body.toString()).extensionManifest, "base64");
}

function locations() {
  const value = Object.entries(OPERATIONS).map(([id, route]) => ({
    id,
    area: "gallery",
    resourceName: route,
    routeTemplate: `_apis/gallery/${route}`,
    resourceVersion: 2,
    minVersion: "1.0",
    maxVersion: "7.2",
    releasedVersion: "0.0",
  }));
  return { count: value.length, value };
}
