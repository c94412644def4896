import { PAGE_PATHS } from "../../src/pagePaths.ts"

/** Failures that more credits or another plan would have prevented, and what a person looks for then. */
const WAYS_OUT = {
  insufficient_credits: "billing.getCredits",
  model_not_allowed: "billing.seePlans",
  document_quota: "billing.seePlans",
  storage_quota: "billing.seePlans",
  too_many_replies: "billing.seePlans"
} as const

/** What leads to the page of plans and credits after a failure, as a text's key; undefined where that is no way out. */
export const wayOut = (code: string): (typeof WAYS_OUT)[keyof typeof WAYS_OUT] | undefined =>
  Object.hasOwn(WAYS_OUT, code) ? WAYS_OUT[code as keyof typeof WAYS_OUT] : undefined

/** A chat, also a new one: where a person may have come from. */
const CHAT = /^\/(chats\/[\w-]{1,64})?$/

/** The chat that the page was opened from, as its query says; undefined where that names no page of a chat. */
export const chatOf = (query: URLSearchParams): string | undefined => {
  const from = query.get("from")
  return from !== null && CHAT.test(from) ? from : undefined
}

/** The page of plans and credits, for somebody who is at `pathname` and may want to go back. */
export const billingPath = (pathname: string): string =>
  CHAT.test(pathname) ? `${PAGE_PATHS.billing}?${new URLSearchParams({ from: pathname })}` : PAGE_PATHS.billing
