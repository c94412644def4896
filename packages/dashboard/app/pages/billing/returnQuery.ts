import { PAGE_PATHS } from "../../../src/pagePaths.ts"

/** The item that the person wanted to buy. */
export type Bought = { readonly item: "plan" } | { readonly item: "credits"; readonly purchasesBefore: number }

/** The address to which the provider sends the person back, with the item and the chat from which the person came. */
export const returnPath = (bought: Bought | undefined, chat: string | undefined): string => {
  const query = new URLSearchParams()
  if (bought !== undefined) query.set("item", bought.item)
  if (bought?.item === "credits") query.set("before", String(bought.purchasesBefore))
  if (chat !== undefined) query.set("from", chat)
  return query.size === 0 ? PAGE_PATHS.billing : `${PAGE_PATHS.billing}?${query}`
}

/** The result with which a person returned from the provider; undefined for other visits. */
export type Returned = { readonly outcome: "cancelled" } | { readonly outcome: "paid"; readonly bought: Bought }

/** Reads the item and the result of the checkout from the query that `returnPath` wrote. */
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

/** The query without the parameters of `returnPath`. */
export const withoutReturn = (query: URLSearchParams): URLSearchParams => {
  const rest = new URLSearchParams(query)
  for (const name of ["checkout", "item", "before"]) rest.delete(name)
  return rest
}
