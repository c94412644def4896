import type { Balance } from "@parley/client"
import { balanceQuery as balanceQueryOf } from "@parley/react"
import { queryOptions } from "@tanstack/react-query"
import { parley } from "./parley.ts"

/**
 * The credits that the page shows as remaining. They change with each charge but not with the holds of running replies,
 * because most of a hold comes back.
 */
export const creditsLeft = ({ allowance, topup }: Balance): number => allowance + topup

export const balanceQuery = balanceQueryOf(parley)

/** The models, the default model first. */
export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: async ({ signal }) => (await parley.models({ signal })).models,
  staleTime: 60_000
})
