/** What people are, from none to most paid. */
export const TIER_NAMES = ["free", "pro", "business"] as const
export type TierName = (typeof TIER_NAMES)[number]

/** What a tier gives. */
export interface Tier {
  readonly name: TierName
  /** What people call it. */
  readonly displayName: string
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
