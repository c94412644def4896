import { Effect, Option, Stream } from "effect"
import type Stripe from "stripe"
import { ShapeReader } from "../shapes/ShapeReader.ts"

/** The most that Stripe gives at once. */
export const PAGE_SIZE = 100

/** What a page of a list is asked with. */
export interface PageParams {
  readonly limit: number
  readonly starting_after?: string
}

/** One page of a list, in the order of Stripe: newest first. */
export type AskPage<A, E> = (params: PageParams) => Effect.Effect<Stripe.ApiList<A>, E>

/** Everything of a list, page by page; no page is asked for that nobody takes. */
export const allPages = <A, E>(askPage: AskPage<A, E>): Stream.Stream<A, E> =>
  Stream.paginate(undefined as string | undefined, (after) =>
    Effect.map(askPage({ limit: PAGE_SIZE, ...(after === undefined ? {} : { starting_after: after }) }), (page) => {
      const last = page.data.at(-1)
      const next = page.has_more && last !== undefined ? new ShapeReader(last, "list").text("id") : undefined
      return [page.data, Option.fromUndefinedOr(next)] as const
    })
  )
