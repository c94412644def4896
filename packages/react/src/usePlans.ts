import type { ParleyError, Plans, Price } from "@parley/client"
import { useQuery } from "@tanstack/react-query"
import { useCallback } from "react"
import { useShared } from "./ParleyProvider.ts"
import { plansQuery } from "./queries.ts"

export interface PlansState {
  /** The plans and the credits on sale; undefined until they are read. */
  readonly plans: Plans | undefined
  /** The failure of the last read; undefined after a success. */
  readonly error: ParleyError | undefined
  readonly reload: () => void
  /**
   * Resolves with the address of the payment provider's page for a price; the page sends the browser there. `returnTo`
   * is the path to which the browser returns. Rejects with a `ParleyError`.
   */
  readonly checkout: (price: Price, returnTo?: string) => Promise<string>
}

/** Everything that is on sale. */
export const usePlans = (): PlansState => {
  const { client, queryClient } = useShared()
  const { data, error, refetch } = useQuery(plansQuery(client), queryClient)
  const reload = useCallback(() => void refetch(), [refetch])
  const checkout = useCallback(
    async ({ every, priceId }: Price, returnTo?: string) => {
      const mode = every === null ? "one-time" : "subscription"
      const back = returnTo === undefined ? {} : { returnTo }
      return (await client.billing.checkout({ priceId, mode, ...back })).url
    },
    [client]
  )
  return { plans: data, error: error ?? undefined, reload, checkout }
}
