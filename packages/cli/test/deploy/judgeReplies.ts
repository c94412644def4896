import { priceOf, type ReplyReceipt } from "@parley/core"
import { expect } from "vitest"
import type { CrashRig } from "../crash/CrashRig.ts"
import { replyTo } from "./SlowVendor.ts"
import type { Asked } from "./SteadyReaders.ts"

interface StoredRow extends Record<string, unknown> {
  readonly id: string
  readonly user: string
  readonly content: string
  readonly state: string
  readonly charges: ReadonlyArray<{ readonly amount: number; readonly receipt: ReplyReceipt }>
}

const storedReplies = ({ query, schema }: Pick<CrashRig, "query" | "schema">) =>
  query<StoredRow>(
    `SELECT m.id, m.user_id AS user, m.content, m.state,
            (SELECT coalesce(json_agg(json_build_object('amount', t.amount, 'receipt', t.receipt)), '[]')
             FROM ${schema}.credit_transactions t
             WHERE t.user_id = m.user_id AND t.type = 'usage' AND t.reference = 'reply:' || m.id) AS charges
     FROM ${schema}.messages m WHERE m.role = 'assistant'`
  )

/**
 * Checks that no request failed, that no reply was cut, and that each answer is the stored one and was charged once, by
 * the vendor's count of its `pieces`.
 */
export const judgeReplies = async (rig: CrashRig, asked: ReadonlyArray<Asked>, pieces: number): Promise<void> => {
  const failed = asked.filter(({ status }) => status !== 200)
  expect(
    failed.map(({ problem, status, text, word }) => ({ word, status, problem, text: text.slice(0, 200) }))
  ).toEqual([])
  const cut = asked.filter(({ isWhole, text, word }) => !isWhole || text !== replyTo(word, pieces))
  expect(cut.map(({ problem, text, word }) => ({ word, problem, end: text.slice(-40) }))).toEqual([])
  const rows = new Map(
    (await storedReplies({ query: (...each) => rig.query(...each), schema: rig.schema })).map((row) => [row.id, row])
  )
  expect(rows.size).toBe(asked.length)
  for (const { messageId = "", text, word } of asked) {
    const { charges = [], ...row } = rows.get(messageId) ?? {}
    expect(row).toEqual({ id: messageId, user: word, content: text, state: "complete" })
    expect(charges).toMatchObject([{ receipt: { ended: "completed", usage: { output: pieces } } }])
    for (const { amount, receipt } of charges)
      expect([-amount, receipt.charged]).toEqual([
        priceOf(receipt.usage, receipt.price),
        priceOf(receipt.usage, receipt.price)
      ])
  }
  expect(await rig.leftHolds()).toEqual([])
  expect(await rig.unended()).toBe(0)
  expect(await rig.differences()).toEqual([])
}
