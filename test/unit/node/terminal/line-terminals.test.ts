import assert from "node:assert/strict";
import { type HostTerminals, type LineTerminal, LineTerminals } from "../../../../src/node/terminal/line-terminals.ts";

interface FakeTerminal extends LineTerminal {
  isBusy: boolean;
  isClosed: boolean;
  shows: number;
}

function fakeHost(): HostTerminals & { readonly opened: readonly FakeTerminal[] } {
  const opened: FakeTerminal[] = [];
  const nothing = (): void => undefined;
  const open = async (): Promise<LineTerminal> => {
    const terminal: FakeTerminal = {
      isBusy: false,
      isClosed: false,
      shows: 0,
      isReadable: true,
      type: () => undefined,
      interrupt: nothing,
      isFree: async () => !terminal.isBusy,
      waitUntilSettled: async () => undefined,
      closed: new Promise(nothing),
      show: () => void terminal.shows++,
      dispose: nothing,
    };
    opened.push(terminal);
    return terminal;
  };
  return { shell: "zsh", opened, open };
}

const going = new AbortController().signal;
const usable = Promise.resolve(true);

describe("the terminals of a window", () => {
  it("have one line at a time, and are used again by the next", async () => {
    const host = fakeHost();
    const terminals = new LineTerminals(host);

    const first = await terminals.take("run", "/", going);
    const beside = await terminals.take("agent", "/", going);
    first.release(usable);
    const next = await terminals.take("run", "/", going);

    assert.deepEqual(
      [first.terminal, beside.terminal, next.terminal].map((terminal) =>
        [...host.opened].findIndex((one) => Object.is(one, terminal)),
      ),
      [0, 1, 0],
    );
  });

  it("are used again by other runs of their folder, and not by another folder's", async () => {
    const host = fakeHost();
    const terminals = new LineTerminals(host);
    const places = [];
    for (const [run, folder] of [
      ["demo", "/storage/demo/shop-1"],
      ["first", "/work/shop"],
      ["second", "/work/shop/test"],
      ["demo", "/storage/demo/shop-1"],
      ["second", "/elsewhere"],
    ] as const) {
      const taken = await terminals.take(run, folder, going);
      places.push([...host.opened].findIndex((one) => Object.is(one, taken.terminal)));
      taken.release(usable);
      await new Promise(setImmediate);
    }

    assert.deepEqual(places, [0, 1, 1, 0, 1]);
  });

  it("of other folders make no line wait", async () => {
    const host = fakeHost();
    const terminals = new LineTerminals(host);
    for (const folder of ["/a", "/b", "/c", "/d"]) (await terminals.take(folder, folder, going)).release(usable);

    await terminals.take("e", "/e", going);

    assert.equal(host.opened.length, 5);
  });

  it("make lines wait when many are in use", async () => {
    const host = fakeHost();
    const terminals = new LineTerminals(host);
    const taken = await Promise.all(["a", "b", "c", "d"].map((run) => terminals.take(run, "/", going)));

    const fifth = terminals.take("e", "/", going);
    taken[2]?.release(usable);

    assert.deepEqual([(await fifth).terminal === taken[2]?.terminal, host.opened.length], [true, 4]);
  });

  it("stop waiting when the run is stopped", async () => {
    const terminals = new LineTerminals(fakeHost());
    await Promise.all(["a", "b", "c", "d"].map((run) => terminals.take(run, "/", going)));
    const stop = new AbortController();

    const fifth = terminals.take("e", "/", stop.signal);
    stop.abort(new Error("stopped"));

    await assert.rejects(fifth, { message: "stopped" });
  });

  it("aren't typed into while their user runs something there, or once they are closed", async () => {
    const host = fakeHost();
    const terminals = new LineTerminals(host);
    for (const spoil of ["isBusy", "isClosed"] as const) {
      (await terminals.take("run", "/", going)).release(usable);
      const last = host.opened.at(-1);
      if (last) last[spoil] = true;
    }

    const { terminal } = await terminals.take("run", "/", going);

    assert.deepEqual([host.opened.length, terminal === host.opened[2]], [3, true]);
  });

  it("are left to their user when a line's end there is unknown", async () => {
    const host = fakeHost();
    const terminals = new LineTerminals(host);
    (await terminals.take("run", "/", going)).release(Promise.resolve(false));

    await terminals.take("run", "/", going);

    assert.equal(host.opened.length, 2);
  });

  it("come to the front for another run and on request, but not for each line", async () => {
    const host = fakeHost();
    const terminals = new LineTerminals(host);
    for (const run of ["one", "one", "two"]) {
      const taken = await terminals.take(run, "/", going);
      if (run === "two") assert.deepEqual([terminals.show("two"), terminals.show("one")], [true, false]);
      taken.release(usable);
    }

    assert.equal(host.opened[0]?.shows, 2);
  });
});
