/** What a tier is called by configuration, receipts and programs: `free`, `pro` and `business` where nothing else is configured. */
export type TierName = string

/** A letter first, so that the names of an object keep the order they are written in. */
const TIER_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,49}$/

/** Whether a tier may be called so: 1 to 50 letters, digits, `-` and `_`, a letter first; not by a name that every object has. */
export const isTierName = (name: string): boolean => TIER_NAME.test(name) && !(name in Object.prototype)

/** What a tier gives. */
export interface Tier {
  readonly name: TierName
  /** What people call it. */
  readonly displayName: string
  /** Names that accounts may still have for it: of tiers that were renamed, or that it replaced. */
  readonly formerly?: ReadonlyArray<TierName>
  /** Whole credits each period. */
  readonly monthlyCredits: number
  /** Public ids of the models this tier may use; the first is its default. */
  readonly models: ReadonlyArray<string>
  readonly maxDocuments: number
  /** Of all documents together. */
  readonly maxDocumentBytes: number
  /** Of all chats together. */
  readonly maxChatBytes: number
  /** Replies of an account that may be written at the same time, 1 or more; no bound unless given. */
  readonly maxConcurrentReplies?: number
  /** Replies an account may leave before their first word within a minute, 1 or more: they are free, and so bounded. */
  readonly abandonedTriesPerMinute: number
}

/** What a tier is called, and what it was called before. */
export const namesOf = ({ formerly = [], name }: Tier): ReadonlyArray<TierName> => [name, ...formerly]
