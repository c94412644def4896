import { type Form, formAt, textAt } from "./formBody.ts"
import { badParameter } from "./ApiRefusal.ts"

interface Listed {
  readonly id: string
  readonly created: number
}

const limitOf = (query: Form): number => {
  const limit = Number(textAt(query, "limit") ?? 10)
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) throw badParameter("limit", "Invalid limit.")
  return limit
}

/** Returns one page of objects, newest first as at Stripe. The objects are stored in the order of their creation. */
export const pageOf = <A extends Listed>(
  url: string,
  kept: ReadonlyArray<A>,
  query: Form,
  render: (item: A) => unknown
): object => {
  const since = Number(textAt(formAt(query, "created"), "gte") ?? 0)
  const all = kept.filter(({ created }) => created >= since).toReversed()
  const after = textAt(query, "starting_after")
  const place = after === undefined ? -1 : all.findIndex(({ id }) => id === after)
  if (after !== undefined && place < 0) throw badParameter("starting_after", "No such object.", "resource_missing")
  const data = all.slice(place + 1, place + 1 + limitOf(query))
  return { object: "list", url, has_more: place + 1 + data.length < all.length, data: data.map(render) }
}
