import { PAGE_PATHS } from "../../../src/pagePaths.ts"

/** What a person went to pay for. */
export type Bought = { readonly item: "plan" } | { readonly item: "credits"; readonly purchasesBefore: number }

/** Where a person comes back to from the provider, with what they went for and the chat that they came from. */
export const returnPath = (bought: Bought | undefined, chat: string | undefined): string => {
  const query = new URLSearchParams()
  if (bought !== undefined) query.set("item", bought.item)
  if (bought?.item === "credits") query.set("before", String(bought.purchasesBefore))
  if (chat !== undefined) query.set("from", chat)
  return query.size === 0 ? PAGE_PATHS.billing : `${PAGE_PATHS.billing}?${query}`
}

/** How a person came back from the provider; undefined for who was not there. */
export type Returned = { readonly outcome: "cancelled" } | { readonly outcome: "paid"; readonly bought: Bought }

/** Reads what `returnPath` wrote, and what became of the checkout. */
export const readReturn = (query: URLSearchParams): Returned | undefined => {
  const outcome = query.get("checkout")
  if (outcome === "cancelled") return { outcome }
  if (outcome !== "success") return undefined
  if (query.get("item") === "plan") return { outcome: "paid", bought: { item: "plan" } }
  const before = Number(query.get("before") ?? Number.NaN)
  return Number.isSafeInteger(before)
    ? { outcome: "paid", bought: { item: "credits", purchasesBefore: before } }
    : undefined
}

/** The query without what the return has put there. */
export const withoutReturn = (query: URLSearchParams): URLSearchParams => {
  const rest = new URLSearchParams(query)
  for (const name of ["checkout", "item", "before"]) rest.delete(name)
  return rest
}
