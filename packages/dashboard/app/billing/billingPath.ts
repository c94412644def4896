import { PAGE_PATHS } from "../../src/pagePaths.ts"

/** The failures that more credits or another plan would have prevented, each with the text key of its remedy. */
const WAYS_OUT = {
  insufficient_credits: "billing.getCredits",
  model_not_allowed: "billing.seePlans",
  document_quota: "billing.seePlans",
  storage_quota: "billing.seePlans",
  too_many_replies: "billing.seePlans"
} as const

/** The text key of the link to plans and credits after a failure; undefined if buying does not help. */
export const wayOut = (code: string): (typeof WAYS_OUT)[keyof typeof WAYS_OUT] | undefined =>
  Object.hasOwn(WAYS_OUT, code) ? WAYS_OUT[code as keyof typeof WAYS_OUT] : undefined

/** The path of a chat or of a new chat, from which a person may have opened the page. */
const CHAT = /^\/(chats\/[\w-]{1,64})?$/

/** The chat from which the person opened the page, according to the page's query; undefined if it names no chat. */
export const chatOf = (query: URLSearchParams): string | undefined => {
  const from = query.get("from")
  return from !== null && CHAT.test(from) ? from : undefined
}

/** The address of the page of plans and credits. `pathname` is the page to which the person may want to return. */
export const billingPath = (pathname: string): string =>
  CHAT.test(pathname) ? `${PAGE_PATHS.billing}?${new URLSearchParams({ from: pathname })}` : PAGE_PATHS.billing
