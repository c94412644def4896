/** Replies being read: each entry ends one, as its reader's leaving would. */
export type OpenReplies = Set<() => Promise<void>>
