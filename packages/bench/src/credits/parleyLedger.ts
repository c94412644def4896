import { type OpenDatabase, openDatabase } from "@parley/adapters-db"
import { openAccount, type ReplyReceiptDraft, reserve, settle } from "@parley/core/adapter"
import { Effect } from "effect"
import type pg from "pg"
import { ACCOUNTS, CHARGED, type Contender, FUNDS, RESERVED } from "./Contender.ts"

export const receiptDraft: ReplyReceiptDraft = {
  model: "model-a-mini",
  price: {
    creditsPer1kInput: 1,
    creditsPer1kCachedInput: 0,
    creditsPer1kCacheWrite: 1,
    creditsPer1kOutput: 4,
    minimumCredits: 1
  },
  usage: { freshInput: 900, cacheRead: 0, cacheWrite: 0, output: 6000 },
  estimated: false,
  ended: "completed"
}

/** Returns the user id of a numbered account. */
export const userOf = (account: number): string => `user-${String(account).padStart(8, "0")}`

export const reserveAndSettle = ({ run }: Pick<OpenDatabase["ledger"], "run">, userId: string) =>
  Effect.gen(function* () {
    const key = `reply:${crypto.randomUUID()}`
    const asked = { userId, key, amount: RESERVED, minimumAmount: RESERVED, ttlMs: 60_000, draft: receiptDraft }
    const reserved = yield* run(reserve({ ...asked, source: "chat" }, crypto.randomUUID()))
    if (reserved._tag === "Refused") return yield* Effect.die(new Error("The account has too little."))
    yield* run(settle({ userId, key, amount: CHARGED, draft: receiptDraft }))
  })

/**
 * Counts the accounts whose buckets do not follow from their transactions, that still hold credits, or whose
 * transaction numbers have gaps.
 */
const CHECK = `
  SELECT count(*)::int AS wrong FROM parley.credit_accounts a
  LEFT JOIN (
    SELECT user_id, sum(amount) AS total, count(*) AS entries, max(number) AS newest
    FROM parley.credit_transactions GROUP BY user_id
  ) t USING (user_id)
  WHERE a.allowance + a.topup - a.debt <> t.total OR a.transaction_count <> t.entries OR a.transaction_count <> t.newest
    OR a.held_allowance <> 0 OR a.held_topup <> 0`

const COUNTS = `
  SELECT (SELECT count(*) FROM parley.credit_transactions WHERE type = 'usage')::int AS charged,
    (SELECT count(*) FROM parley.credit_idempotency WHERE key LIKE 'reply:%')::int AS remembered,
    (SELECT count(*) FROM parley.credit_holds)::int AS held`

/** Parley's own ledger with all its guarantees, called in the same way as by the chat service. */
export const makeParleyLedger = async (
  name: string,
  url: string,
  admin: pg.Client
): Promise<Contender & { readonly database: OpenDatabase }> => {
  const database = await openDatabase({ url })
  const { ledger } = database
  const users = Array.from({ length: ACCOUNTS }, (_, account) => userOf(account))
  const open = (userId: string) => ledger.run(openAccount({ userId, tier: "free", allowance: FUNDS }))
  await Effect.runPromise(Effect.forEach(users, open, { concurrency: 500, discard: true }))
  await admin.query("ANALYZE")
  let pairs = 0
  return {
    name,
    database,
    pair: async (account) => {
      await Effect.runPromise(reserveAndSettle(ledger, userOf(account)))
      pairs += 1
    },
    check: async () => {
      const { rows } = await admin.query<{ wrong: number }>(CHECK)
      if (rows[0]?.wrong !== 0) throw new Error(`${name}: ${rows[0]?.wrong} accounts disagree with their transactions.`)
      const { rows: counts } = await admin.query<{ charged: number; remembered: number; held: number }>(COUNTS)
      const { charged, remembered, held } = counts[0] ?? { charged: 0, remembered: 0, held: 0 }
      if (charged !== pairs || remembered !== pairs || held !== 0) {
        throw new Error(`${name}: ${pairs} pairs left ${charged} charges, ${remembered} keys and ${held} holds.`)
      }
    },
    close: () => database.close()
  }
}
