import { Schema } from "effect"

/**
 * The kinds of spenders: people's own chats, bots that answer visitors, metered work, service keys of the API. The
 * ledger stores its counts by the position in this list: add new kinds at its end.
 */
export const SPENDER_KINDS = ["chat", "bot", "meter", "key"] as const
export type SpenderKind = (typeof SPENDER_KINDS)[number]

/**
 * The part of the product that spends an account's credits: `chat`, `bot:<id>`, `meter:<name>` or `key:<id>`. Daily
 * caps apply to its kind. Rows, receipts and the API name it in their field `source`.
 */
export type Spender = "chat" | `${Exclude<SpenderKind, "chat">}:${string}`

/** A person's own chats. */
export const CHAT_SPENDER: Spender = "chat"

const PATTERN = /^(?:chat|(?:bot|meter|key):[A-Za-z0-9._~-]{1,100})$/

/** A spender as text: its kind and, except for `chat`, a name of 1 to 100 letters, digits, dots, dashes, `_` or `~`. */
export const Spender = Schema.String.check(
  Schema.isPattern(PATTERN, { message: "Expected chat, bot:<id>, meter:<name> or key:<id>" })
)

/** Reads a spender from text; undefined if the text is not a spender. */
export const parseSpender = (text: string): Spender | undefined => (PATTERN.test(text) ? (text as Spender) : undefined)

/** The kind of a spender. */
export const kindOfSpender = (spender: Spender): SpenderKind => {
  const colon = spender.indexOf(":")
  return (colon < 0 ? spender : spender.slice(0, colon)) as SpenderKind
}

const DAY_MS = 86_400_000

/** The UTC day of a time in Unix milliseconds, counted from 1970-01-01. */
export const dayOf = (at: number): number => Math.floor(at / DAY_MS)

/** The start of a UTC day, in Unix milliseconds. */
export const startOfDay = (day: number): number => day * DAY_MS

/**
 * For each of `SPENDER_KINDS`, in that order: the credits charged on the account's day of usage, and the credits that
 * open holds have set aside. Stored with the account, so that a daily cap needs no other rows.
 */
export type UsageByKind = ReadonlyArray<number>

export const NO_USAGE: UsageByKind = SPENDER_KINDS.flatMap(() => [0, 0])

/** The account's day of usage and the amounts of that day. */
export interface DayUsage {
  /** The UTC day of the newest usage, counted from 1970-01-01; 0 if there was none. */
  readonly usageDay: number
  /** The charged and the held credits of each kind of spender on that day. */
  readonly usageByKind: UsageByKind
}

/**
 * The credits that a kind of spender was charged on the account's day of usage, and the credits that its open holds
 * have set aside. Whole credits.
 */
export const usageOfKind = ({ usageByKind }: Pick<DayUsage, "usageByKind">, kind: SpenderKind) => {
  const place = 2 * SPENDER_KINDS.indexOf(kind)
  return { charged: usageByKind[place] ?? 0, held: usageByKind[place + 1] ?? 0 }
}

/**
 * The credits that count towards a daily cap at `now`: charged on that UTC day, or set aside by open holds of any day,
 * because those are charged on this day or a later one.
 */
export const spentOn = (usage: DayUsage, kind: SpenderKind, now: number): number => {
  const { charged, held } = usageOfKind(usage, kind)
  return (usage.usageDay < dayOf(now) ? 0 : charged) + held
}

const withChange = (usage: UsageByKind, kind: SpenderKind, charged: number, held: number): UsageByKind => {
  const place = 2 * SPENDER_KINDS.indexOf(kind)
  const changed = [...usage]
  changed[place] = (usage[place] ?? 0) + charged
  changed[place + 1] = (usage[place + 1] ?? 0) + held
  return changed
}

/** An account's usage after `held` credits were set aside; negative if held credits are freed. */
export const withHeld = ({ usageDay, usageByKind }: DayUsage, source: Spender, held: number): DayUsage => ({
  usageDay,
  usageByKind: withChange(usageByKind, kindOfSpender(source), 0, held)
})

/**
 * An account's usage after a charge at a time in Unix milliseconds. The counts of a later day begin at zero; a charge
 * of an earlier day, from a clock that is behind, is not counted.
 */
export const withCharge = (
  { usageDay, usageByKind }: DayUsage,
  source: Spender,
  charged: number,
  time: number
): DayUsage => {
  const day = dayOf(time)
  if (day < usageDay) return { usageDay, usageByKind }
  const before = day > usageDay ? usageByKind.map((value, index) => (index % 2 === 0 ? 0 : value)) : usageByKind
  return { usageDay: day, usageByKind: withChange(before, kindOfSpender(source), charged, 0) }
}
