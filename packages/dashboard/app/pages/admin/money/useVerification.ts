import type { AccountDifference } from "@parley/client"
import { useEffect, useRef, useState } from "react"
import { parley } from "../../../api/parley.ts"

/** The state of the comparison of all accounts with their rows. */
export interface VerificationState {
  readonly status: "never" | "running" | "stopped" | "done" | "failed"
  /** The number of compared accounts. */
  readonly accounts: number
  readonly differences: ReadonlyArray<AccountDifference>
  /** The failure that ended the comparison. */
  readonly error: unknown
}

const NEVER: VerificationState = { status: "never", accounts: 0, differences: [], error: null }

/** Compares the accounts page by page, so that no request takes long. Leaving the page stops the comparison. */
export const useVerification = () => {
  const [state, setState] = useState(NEVER)
  const running = useRef<AbortController>(undefined)
  const stop = () => running.current?.abort()
  useEffect(() => stop, [])
  const start = async () => {
    stop()
    const { signal } = (running.current = new AbortController())
    let now: VerificationState = { ...NEVER, status: "running" }
    setState(now)
    let since: string | undefined
    let after: string | undefined
    try {
      do {
        const page = await parley.call("getVerification", { query: { since, after } }, { signal })
        now = {
          ...now,
          accounts: now.accounts + page.accounts,
          differences: [...now.differences, ...page.differences]
        }
        since = page.since
        after = page.next ?? undefined
        setState(now)
      } while (after !== undefined)
      setState({ ...now, status: "done" })
    } catch (error) {
      setState(signal.aborted ? { ...now, status: "stopped" } : { ...now, status: "failed", error })
    }
  }
  return { state, start, stop }
}
