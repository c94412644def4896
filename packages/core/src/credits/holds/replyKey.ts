/** The business key of the hold that pays a reply. */
export const replyKey = (messageId: string): string => `reply:${messageId.toLowerCase()}`

/** The key of the `place`-th hold (from 1) that pays the rest of a reply whose holds before it were ended. */
export const restKey = (first: string, place: number): string => `${first}:rest:${place}`
