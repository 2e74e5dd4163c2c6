import type { CardButton } from "../../schema/card-buttons.ts";
import { t } from "../../texts/language.ts";
import { findPlainArgumentName, type WaitingCard } from "./waiting-card.ts";

/** The label of a button, and its tooltip. */
interface ButtonFace {
  readonly label: string;
  readonly title: string;
}

/** Label and tooltip of a button that decides on a proposal. */
export function getCardButtonFace(name: CardButton, waiting: WaitingCard): ButtonFace {
  const face = FACES[name](waiting);
  return { label: face.label, title: face.title ?? face.label };
}

type Face = (waiting: WaitingCard) => Pick<ButtonFace, "label"> & Partial<ButtonFace>;

const FACES: Readonly<Record<CardButton, Face>> = {
  saveAndApprove: () => ({
    label: t("approval.saveAndApproveButton"),
    title: t("approval.saveAndApprove"),
  }),
  approve: ({ card }) => ({
    label: card.unsavedFiles ? t("approval.approveUnsavedButton") : t("approval.approveButton"),
  }),
  review: () => ({ label: t("approval.showDiffButton"), title: t("approval.showDiff") }),
  saveAndReviewAgain: () => ({ label: t("approval.saveFirstButton"), title: t("approval.saveFirst") }),
  refuse: () => ({ label: t("approval.rejectButton"), title: t("approval.reject") }),
  approveNext: () => ({ label: t("approval.approveMoreButton"), title: t("approval.approveNext") }),
  alwaysAllow: ({ card: { teaches = "" } }) => ({
    label: t("approval.alwaysAllowButton", { command: teaches }),
  }),
  editArguments: (waiting) => ({
    label:
      findPlainArgumentName(waiting) === undefined
        ? t("approval.editArgumentsButton")
        : t("approval.editCommandButton"),
  }),
  criticise: () => ({ label: t("approval.selfReviewButton"), title: t("approval.selfReview") }),
  openWhole: () => ({ label: t("actions.openInEditorButton") }),
};
