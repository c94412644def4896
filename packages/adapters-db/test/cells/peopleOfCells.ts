/** People of several cells whose databases are exchanged for others, and what tests do with both. */
import { ledgerOfStores, receiptDraft, reservation } from "@parley/core/testing"
import { Effect } from "effect"
import type { OpenCells } from "../../src/cells/openCells.ts"

const run = Effect.runPromise

export const openAccount = (stores: OpenCells, userId: string) =>
  run(ledgerOfStores(stores).open({ userId, tier: "free", allowance: 100 }))

/** Charges five credits. */
export const spend = async (stores: OpenCells, userId: string, key: string): Promise<void> => {
  const ledger = ledgerOfStores(stores)
  await run(ledger.reserve(reservation(userId, key, 5)))
  await run(ledger.settle({ userId, key, amount: 5, draft: receiptDraft }))
}

export const balanceOf = async (stores: OpenCells, userId: string): Promise<number> =>
  (await run(stores.creditRecords.account(userId))).allowance

/** The name of the database in a connection string. */
export const nameOf = (url: string): string => new URL(url).pathname.slice(1)

/** Ends the connections to a database, which keep others from renaming or copying it. */
export const cutOff = (name: string): string =>
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`
