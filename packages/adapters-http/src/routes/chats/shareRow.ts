import type { ChatShare } from "@parley/core/adapter"
import { moment, named, text, uuid } from "../fields.ts"

/** Converts a time in Unix milliseconds to ISO 8601. */
export const iso = (milliseconds: number) => new Date(milliseconds).toISOString()

export const ShareBody = named("ChatShare", "The share of a chat.", {
  id: text("The secret of the link: the page is `/shared/<id>`."),
  upTo: uuid("The last message that is shared."),
  sharedAt: moment("When it was shared last.")
})

export const shareRow = ({ id, sharedAt, upTo }: ChatShare): typeof ShareBody.Type => ({
  id,
  upTo,
  sharedAt: iso(sharedAt)
})
