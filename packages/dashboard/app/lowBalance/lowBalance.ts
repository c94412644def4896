import { useQuery } from "@tanstack/react-query"
import { useSyncExternalStore } from "react"
import { balanceQuery, creditsLeft } from "../api/billing.ts"
import { meQuery } from "../api/session.ts"

/** Under how many credits a person wants to be warned is kept in this browser, for each person. */
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

/** Under how many credits the person wants to be warned, and how to change that; undefined for never. */
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

/** The balance if it is below the person's threshold. */
export const useLowBalance = (): number | undefined => {
  const [threshold] = useThreshold()
  const { data: balance } = useQuery({ ...balanceQuery, enabled: threshold !== undefined })
  if (threshold === undefined || balance === undefined) return undefined
  const left = creditsLeft(balance)
  return left < threshold ? left : undefined
}
