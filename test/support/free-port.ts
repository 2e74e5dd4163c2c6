import { randomInt } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/**
 * A port that nothing listens on. It's below those that systems hand out, so that no program gets it by chance
 * before it's used, or while its server is away.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const probe = createServer().listen(randomInt(10_000, 32_768), "127.0.0.1");
    const isFree = await once(probe, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, "close");
    return port;
  }
}
