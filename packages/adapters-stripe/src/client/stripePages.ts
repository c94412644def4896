import type { PaymentFailed } from "@parley/core/adapter"
import { Effect, Option, Stream } from "effect"
import type Stripe from "stripe"
import { ShapeReader } from "../shapes/ShapeReader.ts"
import type { StripeClient } from "./StripeClient.ts"

/** The most entries of a page that Stripe allows. */
export const PAGE_SIZE = 100

/** The parameters with which a page of a list is requested. */
export interface PageParams {
  readonly limit: number
  readonly starting_after?: string
}

/** Requests one page of a list, in Stripe's order: the newest entries first. */
export type AskPage<A, E> = (params: PageParams) => Effect.Effect<Stripe.ApiList<A>, E>

/** All entries of a list. A page is requested only when the consumer of the stream needs it. */
export const allPages = <A, E>(client: StripeClient, askPage: AskPage<A, E>): Stream.Stream<A, E | PaymentFailed> =>
  Stream.paginate(undefined as string | undefined, (after) =>
    Effect.gen(function* () {
      const { data, has_more } = yield* askPage({ limit: PAGE_SIZE, ...(after && { starting_after: after }) })
      const last = data.at(-1)
      if (!has_more || last === undefined) return [data, Option.none()] as const
      const next = yield* client.read("list", () => new ShapeReader(last, "list").text("id"))
      return [data, Option.some(next)] as const
    })
  )
