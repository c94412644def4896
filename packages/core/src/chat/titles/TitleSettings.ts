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

/** The settings in force: titles are generated and cost nothing, unless configured. */
export class TitleSettings extends Context.Reference<TitleSettingsData>("@parley/core/chat/titles/TitleSettings", {
  defaultValue: () => ({ generate: true, credits: 0 })
}) {}
