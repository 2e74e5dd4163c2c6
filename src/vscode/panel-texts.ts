import { visible } from "../core/visible.ts";
import type { ToPanel } from "../protocol.ts";
import { mapTexts } from "../runs/map-texts.ts";

/** A message in whose texts nothing is hidden. Arguments that can be edited stay as they are, since they come back: the page writes them out. */
export function visibleMessage(message: ToPanel): ToPanel {
  const shown = mapTexts(message, visible);
  if (message.type !== "waiting" || shown.type !== "waiting" || !message.card?.args || !shown.card)
    return shown;
  return { ...shown, card: { ...shown.card, args: message.card.args } };
}
