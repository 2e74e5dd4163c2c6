import { html, render, type TemplateResult } from "lit/html.js";
import { t } from "../../texts/language.ts";
import { addAnnouncement, type Panel } from "../app/panel-state.ts";
import { attachPictures } from "../ui/attached-pictures.ts";
import { arePicturesUnseen } from "../ui/attached-pictures-view.ts";
import { renderButton } from "../ui/buttons.ts";
import { EMPTY_COMPOSER } from "../ui/composer.ts";
import { sayFromComposer, writeInComposer } from "../ui/composer-view.ts";
import { changeAreaByKey, computeArea, FIRST_AREA, type MarkedArea } from "./marked-area.ts";

/** A picture that is shown in the panel. */
export interface ShownPictureData {
  readonly name: string;
  /** A data address. */
  readonly data: string;
}

const COMMENT_ID = "mark-comment";

/** The button below a picture that opens it to be marked. */
export function renderMarkButton(panel: Panel, picture: ShownPictureData): TemplateResult {
  return renderButton(t("timeline.markButton"), () => openMarking(panel, picture), {
    kind: "quiet",
    icon: "edit",
    title: t("timeline.markTitle", { name: picture.name }),
  });
}

/** Opens a picture over the panel, to mark an area of it with the pointer or the keyboard and to send it with a comment. */
function openMarking(panel: Panel, picture: ShownPictureData): void {
  const dialog = document.createElement("dialog");
  dialog.className = "marking";
  dialog.setAttribute("aria-label", t("timeline.markTitle", { name: picture.name }));
  document.body.append(dialog);
  let area = FIRST_AREA;
  const draw = (): void => {
    render(renderMarking(picture, area, { change, close: () => dialog.close(), send }), dialog);
    const frame = dialog.querySelector<HTMLElement>(".marked-area");
    const { left, top, width, height } = area;
    // The panel's policy allows no style attributes.
    for (const [name, share] of Object.entries({ left, top, width, height }))
      frame?.style.setProperty(name, `${share * 100}%`);
  };
  const change = (changed: MarkedArea): void => {
    area = changed;
    draw();
  };
  const send = async (): Promise<void> => {
    const image = dialog.querySelector("img");
    const comment = dialog.querySelector("textarea")?.value.trim() ?? "";
    dialog.close();
    if (image) await sendMarked(panel, picture.name, await drawMarked(image, area), comment);
  };
  dialog.addEventListener("close", () => dialog.remove());
  draw();
  dialog.showModal();
}

interface MarkingUse {
  change(area: MarkedArea): void;
  close(): void;
  send(): Promise<void>;
}

function renderMarking({ name, data }: ShownPictureData, area: MarkedArea, use: MarkingUse): TemplateResult {
  const [left, top, width, height] = [area.left, area.top, area.width, area.height].map((share) =>
    String(Math.round(share * 100)),
  ) as [string, string, string, string];
  const handleKey = (event: KeyboardEvent): void => {
    const changed = changeAreaByKey(area, event.key, event.shiftKey);
    if (!changed) return;
    event.preventDefault();
    use.change(changed);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    void use.send();
  };
  return html`<form @submit=${submit}>
    <p class="hint">${t("timeline.markHint")}</p>
    <div
      class="marked-picture"
      tabindex="0"
      role="group"
      aria-label=${t("timeline.markedArea", { left, top, width, height })}
      @keydown=${handleKey}
      @pointerdown=${(event: PointerEvent) => followPointer(event, use)}
    >
      <img src=${data} alt=${name} draggable="false" />
      <div class="marked-area"></div>
    </div>
    <label for=${COMMENT_ID}>${t("timeline.markComment")}</label>
    <textarea id=${COMMENT_ID} rows="3" dir="auto"></textarea>
    <div class="row">
      ${renderButton(t("timeline.markSendButton"), undefined, { kind: "primary", submits: true })}
      ${renderButton(t("common.cancel"), use.close)}
    </div>
  </form>`;
}

/** Spans an area from where the pointer is pressed to where it's released. */
function followPointer(event: PointerEvent, { change }: MarkingUse): void {
  const { currentTarget: target } = event;
  if (!(target instanceof HTMLElement) || event.button !== 0) return;
  const locate = ({ clientX, clientY }: PointerEvent): { readonly x: number; readonly y: number } => {
    const box = target.getBoundingClientRect();
    return { x: (clientX - box.left) / box.width, y: (clientY - box.top) / box.height };
  };
  const start = locate(event);
  const stop = new AbortController();
  target.setPointerCapture(event.pointerId);
  target.addEventListener("pointermove", (moved) => change(computeArea(start, locate(moved))), stop);
  for (const end of ["pointerup", "pointercancel"]) target.addEventListener(end, () => stop.abort(), stop);
}

/** The picture with a frame around the area, which is visible on any colors. */
async function drawMarked(image: HTMLImageElement, { left, top, width, height }: MarkedArea): Promise<Blob> {
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  const drawing = canvas.getContext("2d");
  if (!drawing) throw new TypeError();
  drawing.drawImage(image, 0, 0);
  const line = Math.max(2, Math.round(canvas.width / 300));
  const [x, y] = [Math.round(left * canvas.width), Math.round(top * canvas.height)];
  const frame = [x, y, Math.round(width * canvas.width), Math.round(height * canvas.height)] as const;
  for (const [color, lineWidth] of [
    ["#ffffff", line * 2],
    ["#e51400", line],
  ] as const) {
    drawing.strokeStyle = color;
    drawing.lineWidth = lineWidth;
    drawing.strokeRect(...frame);
  }
  return canvas.convertToBlob({ type: "image/png" });
}

/** Sends the marked picture as the next message. An unsent text in the text box stays there. */
async function sendMarked(panel: Panel, name: string, marked: Blob, comment: string): Promise<void> {
  const { composer } = panel.state;
  const file = new File([marked], `marked-${name.replace(/\.\w+$/, "")}.png`, { type: "image/png" });
  panel.update((state) => ({ ...state, composer: EMPTY_COMPOSER }));
  await attachPictures(panel, [file]);
  const isAttached = (panel.state.composer.pictures?.length ?? 0) > 0;
  if (isAttached && !arePicturesUnseen(panel.state)) {
    sayFromComposer(panel, comment);
    panel.update((state) => addAnnouncement({ ...state, composer }, t("timeline.markSent")));
    return;
  }
  // A picture that can't be sent waits in the text box, where the reason is shown.
  const pictures = [...(composer.pictures ?? []), ...(panel.state.composer.pictures ?? [])];
  panel.update((state) => ({ ...state, composer: { ...composer, pictures } }));
  writeInComposer(panel, [composer.text, comment].filter((text) => text !== "").join("\n"));
}
