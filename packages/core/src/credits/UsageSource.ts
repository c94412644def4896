import { Schema } from "effect"

/**
 * What kinds of use spend credits: people's own chats, bots that answer visitors, work that is metered, keys of the
 * API. The ledger counts by their place in this list: kinds are added at its end.
 */
export const SOURCE_KINDS = ["chat", "bot", "meter", "key"] as const
export type SourceKind = (typeof SOURCE_KINDS)[number]

/** What spends an account's credits: `chat`, `bot:<id>`, `meter:<name>` or `key:<id>`. Daily caps hold by its kind. */
export type UsageSource = "chat" | `${Exclude<SourceKind, "chat">}:${string}`

/** A person's own chats. */
export const CHAT_SOURCE: UsageSource = "chat"

const PATTERN = /^(?:chat|(?:bot|meter|key):[A-Za-z0-9._~-]{1,100})$/

/** A source as text: its kind and, but for `chat`, a name of 1 to 100 letters, digits, dots, dashes, `_` or `~`. */
export const UsageSource = Schema.String.check(
  Schema.isPattern(PATTERN, { message: "Expected chat, bot:<id>, meter:<name> or key:<id>" })
)

/** Takes a source as text; undefined where it is none. */
export const parseUsageSource = (text: string): UsageSource | undefined =>
  PATTERN.test(text) ? (text as UsageSource) : undefined

/** The kind of a source. */
export const kindOfSource = (source: UsageSource): SourceKind => {
  const colon = source.indexOf(":")
  return (colon < 0 ? source : source.slice(0, colon)) as SourceKind
}
