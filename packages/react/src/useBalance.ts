import type { Balance, ParleyError } from "@parley/client"
import { useEffect } from "react"
import { useShared } from "./ParleyProvider.ts"
import { useLoaded } from "./useLoaded.ts"

export interface BalanceState {
  /** Undefined until it is read. */
  readonly balance: Balance | undefined
  readonly error: ParleyError | undefined
  readonly reload: () => void
}

/** The credits of the signed-in person; read again after each reply of the page. */
export const useBalance = (): BalanceState => {
  const { client, spending } = useShared()
  const { data, error, reload } = useLoaded(client.billing.balance)
  useEffect(() => spending.listen(reload), [spending, reload])
  return { balance: data, error, reload }
}
