import { join } from "node:path";
import * as vscode from "vscode";
import type { Profile } from "../core/profile.ts";
import { profilesIn } from "../runs/profiles.ts";
import { HOME } from "../runs/run-folder.ts";
import { plain } from "./say.ts";

/** The profile that was used last in a folder. */
export async function lastProfile(folder: string): Promise<Profile | undefined> {
  return (await profilesIn(join(folder, HOME)).last())?.profile;
}

/** Stores a profile for the next time. A folder that cannot be written keeps none; the run goes on without. */
export async function saveProfile(folder: string, profile: Profile): Promise<void> {
  await profilesIn(join(folder, HOME))
    .save(profile)
    .catch(() => undefined);
}

/** Opens a stored profile's file. */
export async function editProfile(folder: string): Promise<void> {
  const stored = await profilesIn(join(folder, HOME)).list();
  if (stored.length === 0)
    throw new Error("No profile is stored yet. Start an agent once, and its profile is kept here.");
  const items = stored.map((one) => ({
    label: plain(one.profile?.name ?? one.slug),
    description: plain(one.problem ?? one.profile?.role ?? ""),
    path: one.path,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: "Edit Profile",
    placeHolder: "Which profile?",
  });
  if (picked) await vscode.window.showTextDocument(vscode.Uri.file(picked.path));
}
