import { pieceTokenizer } from "@parley/core/adapter"
import { priceOf } from "@parley/core"
import { expect } from "vitest"
import type { ChatRecord, Person } from "./chatLoad.ts"
import {
  type Charge,
  type CrashRig,
  HEARTBEAT_MS,
  type LeftHold,
  type StoredReply,
  TOKENS_AT_MOST
} from "./CrashRig.ts"

/** A heartbeat may be late by this much on a busy machine. */
const LATE_MS = 1_500

/** A killed process, the time of its death, and the holds that it left open. */
export interface Death {
  readonly at: number
  readonly left: ReadonlyArray<LeftHold>
  /** The output that was recorded before, by the key of the hold. */
  readonly delivered: ReadonlyMap<string, string>
  readonly judgesLateness: boolean
}

export const keyOf = ({ messageId }: ChatRecord): string => `reply:${messageId}`

/** The estimated tokens of a text without a vendor's count: never more than the reply's limit. */
export const counted = (text: string): number => Math.min(pieceTokenizer.count(text).estimate, TOKENS_AT_MOST)

/** The model's text for this many spoken tokens. */
export const spoken = (count: number): string => Array.from({ length: count }, (_, index) => index + 1).join(" ")

/** The key of the reply that a hold pays: if a sweep ends it while the process is late, a hold for the rest follows. */
export const replyKeyOf = (key: string): string => key.replace(/:rest:\d+$/, "")

/**
 * Checks that each charge follows from its receipt, belongs to a delivered reply, and is its only one, or is with those
 * before it the price of that reply so far.
 */
const judgeCharges = (charges: ReadonlyArray<Charge>, records: ReadonlyArray<ChatRecord>): void => {
  const known = new Set(records.filter(({ messageId }) => messageId !== undefined).map(keyOf))
  const paid = new Map<string, number>()
  for (const { key, amount, receipt } of charges) {
    const reply = replyKeyOf(key)
    expect(known, `${key} was charged, ${JSON.stringify(receipt)}`).toContain(reply)
    expect(-amount).toBe(receipt.charged)
    paid.set(reply, (paid.get(reply) ?? 0) - amount)
    expect(paid.get(reply)).toBe(priceOf(receipt.usage, receipt.price))
  }
  expect(new Set(charges.map(({ key }) => key)).size).toBe(charges.length)
}

/** A reply whose process died is charged for exactly its stored text, which is all but the last seconds, or is free. */
const judgeCutReply = (
  record: ChatRecord,
  charge: Charge | undefined,
  stored: StoredReply | undefined,
  hold: LeftHold,
  death: Death
): void => {
  const what = `${hold.key} of ${record.userId}, recorded ${hold.recorded}`
  expect(record.end, what).not.toBe("complete")
  const latest = death.judgesLateness ? death.at - HEARTBEAT_MS - LATE_MS : -Infinity
  const seen = record.received.findLast(({ at }) => at < latest)?.length ?? 0
  expect(hold.recorded, what).toBeGreaterThanOrEqual(counted(record.text.slice(0, seen)))
  expect(hold.recorded, what).toBeGreaterThanOrEqual(counted(death.delivered.get(hold.key) ?? ""))
  expect(hold.recorded, what).toBeLessThanOrEqual(counted(spoken(record.asked.tokens)))
  if (hold.recorded === 0) expect(charge, what).toBeUndefined()
  else
    expect(charge?.receipt, what).toMatchObject({ ended: "expired", estimated: true, usage: { output: hold.recorded } })
  expect(counted(stored?.content ?? ""), what).toBe(hold.recorded)
  const kept = [record.text.slice(0, seen), death.delivered.get(hold.key) ?? ""]
  for (const text of kept) expect(stored?.content.startsWith(text) ?? text === "", what).toBe(true)
  if (stored !== undefined) expect(stored.state, what).toBe("failed")
}

/** A reply that ended while its process lived is charged by its vendor's figures, or by the delivered output. */
const judgeEndedReply = (record: ChatRecord, charge: Charge | undefined, stored: StoredReply | undefined): void => {
  const what = `${keyOf(record)} of ${record.userId}, ${record.end} after "${record.text.slice(-20)}"`
  expect(charge, what).toBeDefined()
  if (record.end === "complete") expect(record.text, what).toBe(spoken(record.asked.tokens))
  if (record.end === "complete") expect(stored, what).toEqual({ content: record.text, state: "complete" })
  expect(stored?.content.startsWith(record.text), what).toBe(true)
  const { ended, usage } = charge?.receipt ?? {}
  // Even if the reader did not see the end, or left at it.
  if (record.end === "complete" || ended === "completed") {
    expect(charge?.receipt, what).toMatchObject({ ended: "completed", usage: { output: record.asked.tokens } })
  } else {
    expect(["stopped", "failed"], what).toContain(ended)
    expect(usage?.output, what).toBeGreaterThanOrEqual(counted(record.text))
  }
}

/** Checks one person's replies and charges; `death` is set if the process was killed, not stopped. */
const judgePerson = (
  records: ReadonlyArray<ChatRecord>,
  charges: ReadonlyArray<Charge>,
  stored: ReadonlyMap<string, StoredReply>,
  death: Death | undefined
): void => {
  judgeCharges(charges, records)
  // The last charge of a reply has the figures of all of it.
  const chargeOf = new Map(charges.map((charge) => [replyKeyOf(charge.key), charge]))
  const left = new Map(death?.left.map((hold) => [replyKeyOf(hold.key), hold]))
  for (const record of records) {
    if (record.status === 500 || record.status === 409) expect(record.messageId).toBeUndefined()
    if (record.messageId === undefined) continue
    const hold = left.get(keyOf(record))
    const charge = chargeOf.get(keyOf(record))
    const reply = stored.get(keyOf(record))
    if (hold === undefined || death === undefined) judgeEndedReply(record, charge, reply)
    else judgeCutReply(record, charge, reply, hold, death)
  }
}

/** Checks a round's replies and their charges. */
export const judgePeople = async (
  rig: CrashRig,
  people: Readonly<Record<string, Pick<Person, "userId">>>,
  records: ReadonlyArray<ChatRecord>,
  death?: Death
): Promise<void> => {
  for (const { userId } of Object.values(people)) {
    const ofPerson = records.filter((record) => record.userId === userId)
    const stored = await rig.replies(userId)
    const charges = await rig.charges(userId)
    judgePerson(ofPerson, charges, stored, death)
    for (const { key } of charges)
      expect(stored.get(replyKeyOf(key))?.content, `the text that ${key} paid`).toBeTruthy()
  }
  expect(await rig.unended(), "messages that no process writes").toBe(0)
}
