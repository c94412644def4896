import { Context, Schema } from "effect"
import { whole } from "../../storage/inputs.ts"

/** The settings of the titles of people's chats. */
export const TitleSettingsData = Schema.Struct({
  /**
   * After the first reply of a person's chat, the cheapest model of the person's tier writes its title; otherwise the title is
   * the first sentence of the question.
   */
  generate: Schema.Boolean,
  /** The price of a generated title, in credits: it is held before the model is asked; with 0 nothing is charged. */
  credits: whole(0, 1_000)
})
export type TitleSettingsData = typeof TitleSettingsData.Type

/**
 * The settings in force: no titles are generated, and generated ones cost nothing, unless configured. The command line
 * generates them: a server of people shows its chats, but a library asks no model on its own.
 */
export class TitleSettings extends Context.Reference<TitleSettingsData>("@parley/core/chat/titles/TitleSettings", {
  defaultValue: () => ({ generate: false, credits: 0 })
}) {}
