import type { Balance, ParleyError } from "@parley/client"
import { useQuery } from "@tanstack/react-query"
import { useCallback } from "react"
import { useShared } from "./ParleyProvider.ts"
import { balanceQuery } from "./queries.ts"

export interface BalanceState {
  /** The credits; undefined until they are read. */
  readonly balance: Balance | undefined
  /** The failure of the last read; undefined after a success. */
  readonly error: ParleyError | undefined
  readonly reload: () => void
}

/** The credits of the signed-in person. They are read again after each reply of the page. */
export const useBalance = (): BalanceState => {
  const { client, queryClient } = useShared()
  const { data, error, refetch } = useQuery(balanceQuery(client), queryClient)
  const reload = useCallback(() => void refetch(), [refetch])
  return { balance: data, error: error ?? undefined, reload }
}
