import { type Model, ModelError } from "../core/ports/model.ts";

/** A model that is made anew after trouble its user has to mend, such as a wrong key, so that a run can go on with what was set meanwhile. */
export function reconnecting(first: Model, again: () => Promise<Model>): Model {
  let model = first;
  let troubled = false;
  return {
    get name() {
      return model.name;
    },
    get contextWindow() {
      return model.contextWindow;
    },
    get formats() {
      return model.formats;
    },
    costOf: (usage) => model.costOf?.(usage),
    async complete(request, completing) {
      if (troubled) model = await again();
      troubled = false;
      try {
        return await model.complete(request, completing);
      } catch (error) {
        troubled = error instanceof ModelError && error.trouble === "setup";
        throw error;
      }
    },
  };
}
