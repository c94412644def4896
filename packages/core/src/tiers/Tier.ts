/** The name of a tier in configuration, receipts and programs; by default `free`, `pro` and `business`. */
export type TierName = string

/** A name begins with a letter, because JavaScript reorders the keys of an object that are numbers. */
const TIER_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,49}$/

/**
 * Returns true if a tier may have this name: 1 to 50 letters, digits, `-` and `_`, beginning with a letter; not the
 * name of a property that all objects have.
 */
export const isTierName = (name: string): boolean => TIER_NAME.test(name) && !(name in Object.prototype)

/** A tier: its credits, models and limits. */
export interface Tier {
  readonly name: TierName
  /** The display name. */
  readonly displayName: string
  /** Names that accounts may still have for the tier: its own earlier names, and those of tiers that it replaced. */
  readonly formerly?: ReadonlyArray<TierName>
  /** The whole credits that the tier grants in each period. */
  readonly monthlyCredits: number
  /** The public ids of the models of this tier; the first is the default. */
  readonly models: ReadonlyArray<string>
  readonly maxDocuments: number
  /** The maximum number of bytes of all documents together. */
  readonly maxDocumentBytes: number
  /** The maximum number of bytes of all chats together. */
  readonly maxChatBytes: number
  /** The maximum number of concurrent replies of an account, 1 or more; unlimited unless given. */
  readonly maxConcurrentReplies?: number
  /**
   * The maximum number of replies that an account may abandon before their first word within a minute, 1 or more: such
   * replies are free, so their number is limited.
   */
  readonly abandonedTriesPerMinute: number
}

/** Returns the present name of a tier, and its former ones. */
export const namesOf = ({ formerly = [], name }: Tier): ReadonlyArray<TierName> => [name, ...formerly]
