import assert from "node:assert/strict";
import {
  type GivenPermission,
  groupPermissions,
  listGrants,
  revokePermission,
} from "../../../../src/editor/panel/permissions.ts";
import { Grants } from "../../../../src/safety/policy/grants.ts";

describe("the groups of what is allowed", () => {
  it("have their entries and settings, each revocable only where it can be revoked alone", () => {
    const given: readonly GivenPermission[] = [
      { kind: "keys", label: "https://a.example", revoke: async () => undefined },
      { kind: "denied", label: "delete_file\u202e" },
    ];
    const groups = groupPermissions(given).filter(({ permissions }) => permissions.length > 0);
    assert.deepEqual(
      groups.map(({ kind, setting, permissions }) => [
        kind,
        setting,
        permissions.map(({ label, revocable }) => ({ label, revocable })),
      ]),
      [
        ["denied", "approval.deny", [{ label: "delete_file⟨U+202E⟩", revocable: false }]],
        ["keys", undefined, [{ label: "https://a.example", revocable: true }]],
      ],
    );
    assert.deepEqual(groupPermissions([]).length, 10);
  });
});

describe("revoking a permission", () => {
  it("ends that one alone, and nothing that is no longer given", async () => {
    const grants = new Grants();
    const recorded: unknown[] = [];
    const hosted = {
      grants,
      run: {
        state: { task: "Fix it" },
        record: async (event: unknown) => void recorded.push(event),
      },
    };
    grants.grantNext(3);
    grants.startContinuous(5);
    grants.allowHosts(["a.example", "b.example"], "call_api");
    const given = listGrants(hosted);
    const ids = groupPermissions(given).flatMap(({ permissions }) => permissions.map(({ id }) => id));
    const [next = "", continuous = "", host = ""] = ids;
    const first = await revokePermission(given, host);
    const middle = { left: grants.left, continuous: grants.continuousLeft, hosts: grants.hosts };
    await revokePermission(listGrants(hosted), next);
    await revokePermission(listGrants(hosted), continuous);
    const gone = await revokePermission(listGrants(hosted), next);

    assert.deepEqual(
      {
        labels: given.map(({ label }) => label),
        first,
        middle,
        end: { left: grants.left, continuous: grants.continuousLeft, hosts: grants.hosts },
        recorded,
        gone,
      },
      {
        labels: [
          "The next 3 commands",
          "Continuous mode: 5 more commands",
          "Requests to a.example",
          "Requests to b.example",
        ],
        first: true,
        middle: { left: 3, continuous: 5, hosts: ["b.example"] },
        end: { left: 0, continuous: 0, hosts: ["b.example"] },
        recorded: [{ type: "changed", mode: "ask" }],
        gone: false,
      },
    );
  });

  it("name what stays in the copy of an isolated run, until it's over", () => {
    const isolated = { grants: new Grants(), isolation: {} };
    const record = async (): Promise<void> => undefined;
    const [working, over] = [{ task: "Tidy up" }, { task: "Tidy up", end: {} }].map((state) =>
      listGrants({ ...isolated, run: { state, record } }),
    );
    assert.deepEqual(
      { working, over },
      {
        working: [{ kind: "grants", label: "Everything that stays in its sandboxed copy", detail: "Tidy up" }],
        over: [],
      },
    );
  });
});
