import { Type } from "typebox";
import { StrategyNameSchema } from "./run-values.ts";
import { Count, createTaggedSchema, OnlyTrue, SentenceSchema, type Shape, Text } from "./shape.ts";

const ComposerPictureSchema = Type.Object({
  name: Text,
  mediaType: Text,
  /** Its content in base64. */
  data: Text,
  width: Count,
  height: Count,
  bytes: Count,
  /** True if the page has scaled it down from a larger size. */
  scaled: Type.Optional(OnlyTrue),
});

/** A picture in the composer that was not sent. */
export type ComposerPicture = Shape<typeof ComposerPictureSchema>;

const UnsentTextSchema = Type.Object({
  /** Id of its run; "" for the start page. */
  place: Text,
  text: Text,
  /** Kept only as long as the page. */
  pictures: Type.Optional(Type.Array(ComposerPictureSchema)),
  /** Where the text comes from. */
  note: Type.Optional(SentenceSchema),
});

/** Unsent text, and the place to which it belongs. */
export type UnsentText = Shape<typeof UnsentTextSchema>;

const CardDraftFormSchema = createTaggedSchema("kind", {
  /** Saved by 0.1.0, whose cards had a field for the reason. */
  refusing: { reason: Text },
  /** `argument`: the text is that argument's; otherwise it's all arguments as JSON. `problem` was saved by 0.1.0. */
  editing: { text: Text, argument: Type.Optional(Text), problem: Type.Optional(Text) },
});

const CardDraftSchema = Type.Object({ run: Text, step: Count, form: CardDraftFormSchema });

/** Unsent text on a card, stored by run and step while the card isn't displayed. */
export type CardDraft = Shape<typeof CardDraftSchema>;

export const UnsentOfRunSchema = Type.Object({ text: Text, cards: Type.Array(CardDraftSchema) });

/** Text that was typed for a run and not sent: in the text box, and on its cards. */
export type UnsentOfRun = Shape<typeof UnsentOfRunSchema>;

const GoalFieldSchema = Type.Object({ key: Count, text: Text });

const ProfileFormSchema = Type.Object({
  task: Text,
  name: Text,
  role: Text,
  goals: Type.Array(GoalFieldSchema),
  /** As typed; with "", the user's own budget applies. */
  budget: Text,
  /** Absent: the usual one. */
  strategy: Type.Optional(StrategyNameSchema),
  /** As typed; absent or "": all commands, and the model of the settings. */
  commands: Type.Optional(Text),
  model: Type.Optional(Text),
  /** The name of the agent whose file it comes from. */
  agent: Type.Optional(Text),
  /** Why it isn't a draft by the model. */
  notice: Type.Optional(SentenceSchema),
});

/** A profile under review before its run starts. */
export type ProfileForm = Shape<typeof ProfileFormSchema>;

export const SavedPanelSchema = Type.Object({
  composer: Text,
  /** The composer's pictures, as far as they are small enough. */
  pictures: Type.Optional(Type.Array(ComposerPictureSchema)),
  /** Some pictures were too large to keep. */
  picturesLost: Type.Optional(OnlyTrue),
  note: Type.Optional(SentenceSchema),
  place: Type.Optional(Text),
  written: Type.Array(UnsentTextSchema),
  form: Type.Optional(ProfileFormSchema),
  lastDraft: Type.Optional(Text),
  /** Absent in the state that 0.1.0 saved. */
  cardDrafts: Type.Optional(Type.Array(CardDraftSchema)),
});

/** Text that the user has written but not sent, which survives a reload of the page. */
export type SavedPanel = Shape<typeof SavedPanelSchema>;
