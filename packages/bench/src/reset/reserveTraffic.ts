import { setTimeout as sleep } from "node:timers/promises"
import type { OpenDatabase } from "@parley/adapters-db"
import { reserve, settle } from "@parley/core/adapter"
import { Effect } from "effect"
import { receiptDraft } from "../credits/parleyLedger.ts"

const CALLERS = 8
const PAUSE_MS = 40

/** Replies that run during a reset: a few callers reserve credits, pause, charge and pause, on random accounts. */
export interface ReserveTraffic {
  /** Stops the callers, and waits for them. Returns the duration of each `reserve` call in milliseconds. */
  stop(): Promise<ReadonlyArray<number>>
}

export const startReserveTraffic = (
  ledger: OpenDatabase["ledger"],
  userOf: (account: number) => string,
  accounts: number
): ReserveTraffic => {
  const latencies: Array<number> = []
  let running = true
  const call = async () => {
    while (running) {
      const userId = userOf(Math.floor(Math.random() * accounts))
      const key = `reply:${crypto.randomUUID()}`
      const start = performance.now()
      const reserved = await Effect.runPromise(
        ledger.run(
          reserve(
            { userId, key, amount: 4, minimumAmount: 4, source: "chat", ttlMs: 60_000, draft: receiptDraft },
            crypto.randomUUID()
          )
        )
      )
      latencies.push(performance.now() - start)
      await sleep(Math.random() * 2 * PAUSE_MS)
      if (reserved._tag === "Held") {
        await Effect.runPromise(ledger.run(settle({ userId, key, amount: 1, draft: receiptDraft })))
      }
      await sleep(Math.random() * 2 * PAUSE_MS)
    }
  }
  const calls = Promise.all(Array.from({ length: CALLERS }, call))
  return {
    stop: async () => {
      running = false
      await calls
      return latencies
    }
  }
}
