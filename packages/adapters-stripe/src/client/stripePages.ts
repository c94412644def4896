import type { PaymentFailed } from "@parley/core/adapter"
import { Effect, Option, Stream } from "effect"
import type Stripe from "stripe"
import { ShapeReader } from "../shapes/ShapeReader.ts"
import type { StripeClient } from "./StripeClient.ts"

/** Stripe's largest page. */
export const PAGE_SIZE = 100

/** The parameters of a page of a list. */
export interface PageParams {
  readonly limit: number
  readonly starting_after?: string
}

/** One page of a list, in the order of Stripe: newest first. */
export type AskPage<A, E> = (params: PageParams) => Effect.Effect<Stripe.ApiList<A>, E>

/** All entries of a list; each page is requested when the reader needs it. */
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
