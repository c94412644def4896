import { useQuery } from "@tanstack/react-query"
import { useSyncExternalStore } from "react"
import { balanceQuery, creditsLeft } from "../api/billing.ts"
import { meQuery } from "../api/session.ts"

/** The key under which this browser stores the person's threshold for the warning. */
const keyOf = (userId: string): string => `parley.warn-under.${userId}`
const CHANGED = "parley:warn-under"

const listen = (changed: () => void): (() => void) => {
  addEventListener(CHANGED, changed)
  addEventListener("storage", changed)
  return () => {
    removeEventListener(CHANGED, changed)
    removeEventListener("storage", changed)
  }
}

/** The stored threshold in credits; undefined for no warning. */
export const readThreshold = (kept: string | null): number | undefined => {
  if (kept === null || !/^\d{1,12}$/.test(kept)) return undefined
  const credits = Number(kept)
  return credits > 0 ? credits : undefined
}

/** The person's threshold in credits, and a function that changes it; undefined if the person wants no warning. */
export const useThreshold = () => {
  const { data: me } = useQuery(meQuery)
  const key = keyOf(me?.userId ?? "")
  const kept = useSyncExternalStore(listen, () => localStorage.getItem(key))
  const change = (credits: number | undefined) => {
    if (credits === undefined || credits <= 0) localStorage.removeItem(key)
    else localStorage.setItem(key, String(Math.round(credits)))
    dispatchEvent(new Event(CHANGED))
  }
  return [readThreshold(kept), change] as const
}

/** The balance if it is below the person's threshold; otherwise undefined. */
export const useLowBalance = (): number | undefined => {
  const [threshold] = useThreshold()
  const { data: balance } = useQuery({ ...balanceQuery, enabled: threshold !== undefined })
  if (threshold === undefined || balance === undefined) return undefined
  const left = creditsLeft(balance)
  return left < threshold ? left : undefined
}
