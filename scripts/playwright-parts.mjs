// What Playwright takes from the packages that it brings along, for our bundle: the little that driving a Chromium needs. The rest throws.
const absent = (name) => {
  const fail = () => {
    throw new Error(`This package of Playwright isn't in the bundle: ${name}.`);
  };
  return new Proxy(class {}, {
    construct: fail,
    apply: fail,
    get: (_target, member) => (member === "then" ? undefined : fail()),
  });
};

export const debug = Object.assign(() => Object.assign(() => {}, { enabled: false }), { enabled: () => false });
export const colors = new Proxy({}, { get: () => (text) => text });
export const mime = { getType: () => null };
export const getProxyForUrl = () => "";

export const chokidar = absent("chokidar");
export const diff = absent("diff");
export const getEastAsianWidth = absent("get-east-asian-width");
export const getStream = absent("get-stream");
export const gracefulFs = absent("graceful-fs");
export const HttpsProxyAgent = absent("https-proxy-agent");
export const jpegjs = absent("jpeg-js");
export const onExit = absent("signal-exit");
export const open = absent("open");
export const PNG = absent("pngjs");
export const progress = absent("progress");
export const retry = absent("retry");
export const SocksProxyAgent = absent("socks-proxy-agent");
export const ws = absent("ws");
export const wsReceiver = absent("ws");
export const wsSender = absent("ws");
export const wsServer = absent("ws");
export const yaml = absent("yaml");
export const yauzl = absent("yauzl");
export const yazl = absent("yazl");
export const z = absent("zod");
