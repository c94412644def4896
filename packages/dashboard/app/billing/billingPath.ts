import { PAGE_PATHS } from "../../src/pagePaths.ts"

/** Failures that more credits or another plan would have prevented, and the text key of the remedy. */
const WAYS_OUT = {
  insufficient_credits: "billing.getCredits",
  model_not_allowed: "billing.seePlans",
  document_quota: "billing.seePlans",
  storage_quota: "billing.seePlans",
  too_many_replies: "billing.seePlans"
} as const

/** The text key of the link to plans and credits after a failure; undefined if they are no remedy. */
export const wayOut = (code: string): (typeof WAYS_OUT)[keyof typeof WAYS_OUT] | undefined =>
  Object.hasOwn(WAYS_OUT, code) ? WAYS_OUT[code as keyof typeof WAYS_OUT] : undefined

/** A chat, or the page of a new one, from which a person may have come. */
const CHAT = /^\/(chats\/[\w-]{1,64})?$/

/** The chat from which the page was opened, according to its query; undefined if the query names no chat's page. */
export const chatOf = (query: URLSearchParams): string | undefined => {
  const from = query.get("from")
  return from !== null && CHAT.test(from) ? from : undefined
}

/** The page of plans and credits, for a person at `pathname` who may want to return. */
export const billingPath = (pathname: string): string =>
  CHAT.test(pathname) ? `${PAGE_PATHS.billing}?${new URLSearchParams({ from: pathname })}` : PAGE_PATHS.billing
