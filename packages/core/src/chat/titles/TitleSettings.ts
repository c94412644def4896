import { Context, Schema } from "effect"
import { whole } from "../../storage/inputs.ts"

/** The settings of the titles of people's chats. */
export const TitleSettingsData = Schema.Struct({
  /**
   * True: after the first reply of a person's chat, the cheapest model of the person's tier writes the title. False:
   * the title is the first sentence of the question.
   */
  generate: Schema.Boolean,
  /** The price of a generated title, in credits, held before the model is asked. If 0, nothing is charged. */
  credits: whole(0, 1_000)
})
export type TitleSettingsData = typeof TitleSettingsData.Type

/**
 * The settings in force. Unless configured, no titles are generated, and generated titles cost nothing. The command
 * line turns them on, because a server for people shows their chats; a library does not call a model unless it is
 * configured to.
 */
export class TitleSettings extends Context.Reference<TitleSettingsData>("@parley/core/chat/titles/TitleSettings", {
  defaultValue: () => ({ generate: false, credits: 0 })
}) {}
