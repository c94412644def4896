/** The name of a tier in configuration, receipts and programs; by default `free`, `pro` and `business`. */
export type TierName = string

/** A letter first, so that the names of an object keep the order they are written in. */
const TIER_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,49}$/

/**
 * True if a tier may have this name: 1 to 50 letters, digits, `-` and `_`, a letter first; not the name of an object's
 * own property.
 */
export const isTierName = (name: string): boolean => TIER_NAME.test(name) && !(name in Object.prototype)

/** A tier: its credits, models and limits. */
export interface Tier {
  readonly name: TierName
  /** The name for people. */
  readonly displayName: string
  /** Names that accounts may still have for it: of tiers that were renamed, or that it replaced. */
  readonly formerly?: ReadonlyArray<TierName>
  /** Whole credits each period. */
  readonly monthlyCredits: number
  /** Public ids of the models this tier may use; the first is its default. */
  readonly models: ReadonlyArray<string>
  readonly maxDocuments: number
  /** Bytes of all documents together. */
  readonly maxDocumentBytes: number
  /** Bytes of all chats together. */
  readonly maxChatBytes: number
  /** The most concurrent replies of an account, 1 or more; default unlimited. */
  readonly maxConcurrentReplies?: number
  /** Replies an account may leave before their first word within a minute, 1 or more: they are free, and so bounded. */
  readonly abandonedTriesPerMinute: number
}

/** The current name of a tier, and its former ones. */
export const namesOf = ({ formerly = [], name }: Tier): ReadonlyArray<TierName> => [name, ...formerly]
