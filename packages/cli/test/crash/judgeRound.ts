import { pieceTokenizer } from "@parley/core/adapter"
import { priceOf } from "@parley/core"
import { expect } from "vitest"
import type { ChatRecord, Person } from "./chatLoad.ts"
import { type Charge, type CrashRig, HEARTBEAT_MS, type LeftHold, TOKENS_AT_MOST } from "./CrashRig.ts"

/** A heartbeat may be late by this much on a busy machine. */
const LATE_MS = 1_500

/** A process that was killed, when, and the holds it left behind. */
export interface Death {
  readonly at: number
  readonly left: ReadonlyArray<LeftHold>
  /** What was recorded as delivered before, by the key of the hold. */
  readonly delivered: ReadonlyMap<string, string>
  readonly judgesLateness: boolean
}

export const keyOf = ({ messageId }: ChatRecord): string => `reply:${messageId}`

/** What a text counts where no vendor told: never more than the reply was allowed. */
export const counted = (text: string): number => Math.min(pieceTokenizer.count(text).estimate, TOKENS_AT_MOST)

/** What the model says when it is told to speak so many tokens. */
export const spoken = (count: number): string => Array.from({ length: count }, (_, index) => index + 1).join(" ")

/** Each charge follows from its receipt, is for a reply that somebody was given, and is the only one for it. */
const judgeCharges = (charges: ReadonlyArray<Charge>, records: ReadonlyArray<ChatRecord>): void => {
  const known = new Set(records.filter(({ messageId }) => messageId !== undefined).map(keyOf))
  for (const { key, amount, receipt } of charges) {
    expect(known, `${key} was charged, ${JSON.stringify(receipt)}`).toContain(key)
    expect(-amount).toBe(receipt.charged)
    expect(receipt.charged).toBe(priceOf(receipt.usage, receipt.price))
  }
  expect(new Set(charges.map(({ key }) => key)).size).toBe(charges.length)
}

/** A reply whose process died is charged for the output recorded last, and is free where none was. */
const judgeCutReply = (record: ChatRecord, charge: Charge | undefined, hold: LeftHold, death: Death): void => {
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
}

/** A reply that ended while its process lived is charged by its vendor's figures, or by what was delivered. */
const judgeEndedReply = (record: ChatRecord, charge: Charge | undefined): void => {
  const what = `${keyOf(record)} of ${record.userId}, ${record.end} after "${record.text.slice(-20)}"`
  expect(charge, what).toBeDefined()
  if (record.end === "complete") expect(record.text, what).toBe(spoken(record.asked.tokens))
  const { ended, usage } = charge?.receipt ?? {}
  // Also where the reader did not see the end, or left at it.
  if (record.end === "complete" || ended === "completed") {
    expect(charge?.receipt, what).toMatchObject({ ended: "completed", usage: { output: record.asked.tokens } })
  } else {
    expect(["stopped", "failed"], what).toContain(ended)
    expect(usage?.output, what).toBeGreaterThanOrEqual(counted(record.text))
  }
}

/** Checks one person's replies and charges; `death` where the process was killed rather than asked to end. */
const judgePerson = (
  records: ReadonlyArray<ChatRecord>,
  charges: ReadonlyArray<Charge>,
  death: Death | undefined
): void => {
  judgeCharges(charges, records)
  const chargeOf = new Map(charges.map((charge) => [charge.key, charge]))
  const left = new Map(death?.left.map((hold) => [hold.key, hold]))
  for (const record of records) {
    if (record.status === 500 || record.status === 409) expect(record.messageId).toBeUndefined()
    if (record.messageId === undefined) continue
    const hold = left.get(keyOf(record))
    const charge = chargeOf.get(keyOf(record))
    if (hold === undefined || death === undefined) judgeEndedReply(record, charge)
    else judgeCutReply(record, charge, hold, death)
  }
}

/** Checks what a round's replies came to and what was charged for them. */
export const judgePeople = async (
  rig: CrashRig,
  people: Readonly<Record<string, Pick<Person, "userId">>>,
  records: ReadonlyArray<ChatRecord>,
  death?: Death
): Promise<void> => {
  for (const { userId } of Object.values(people)) {
    const ofPerson = records.filter((record) => record.userId === userId)
    judgePerson(ofPerson, await rig.charges(userId), death)
  }
}
