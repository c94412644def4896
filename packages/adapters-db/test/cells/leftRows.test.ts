/** Lists and reports over all people while rows of a person who has moved are still in the former cell. */
import {
  AccessStore,
  BillingUpkeep,
  CreditUpkeep,
  DeliveryRecords,
  DocumentStore,
  JobQueue,
  MoneyRecords,
  Outbox,
  PaymentEventStore,
  PersonalData,
  ReindexRecords
} from "@parley/core/adapter"
import { ampleQuota, newDocument, TestJob } from "@parley/core/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres } from "../databases.ts"
import { reply } from "./movingOwners.ts"
import { catchUp, insist, openPaymentCells, type PaymentCells, run, storyIn } from "./paymentCells.ts"

const PAGE = { limit: 50, after: undefined }

/** Everything that reads the rows of all people. */
const lists = {
  people: PersonalData.use((data) => data.list({ ...PAGE, search: undefined, blocked: false })),
  blocked: PersonalData.use((data) => data.list({ ...PAGE, search: undefined, blocked: true })),
  charges: MoneyRecords.use((records) => records.charges({ firstDay: 0, lastDay: 40_000 })),
  revenue: MoneyRecords.use((records) => records.revenue({ firstDay: 0, lastDay: 40_000 })),
  payments: PaymentEventStore.use((store) => store.list({ ...PAGE, state: undefined, userId: undefined })),
  payers: BillingUpkeep.use((upkeep) => upkeep.people(PAGE)),
  several: BillingUpkeep.use((upkeep) => upkeep.several(PAGE)),
  credited: BillingUpkeep.use((upkeep) => upkeep.credited({ ...PAGE, since: 0 })),
  verified: CreditUpkeep.use((upkeep) => upkeep.verify({ ...PAGE, since: undefined })),
  documents: DocumentStore.use((store) => store.listByStatus({ ...PAGE, status: "processing" })),
  standing: ReindexRecords.use((records) => records.standing(undefined)),
  jobs: JobQueue.use((jobs) => jobs.list(undefined, PAGE)),
  deliveries: DeliveryRecords.use((records) => records.list({ state: undefined, destination: "hook:x", limit: 50 })),
  destinations: Effect.map(
    DeliveryRecords.use((records) => records.destinations),
    (found) => found.map(({ id, pending }) => ({ id, pending }))
  )
}

describe.runIf(hasPostgres)("a person who has moved, before the rows in the former cell are erased", () => {
  let cells: PaymentCells
  beforeAll(async () => {
    cells = await openPaymentCells()
  })
  afterAll(() => cells.close())

  const readAll = () =>
    run(cells.other, Effect.all(lists) as Effect.Effect<{ readonly [Name in keyof typeof lists]: unknown }, never>)

  it("is listed and counted once, as before the move", { timeout: 240_000 }, async () => {
    const { other } = cells
    const destinations = ["hook:x"].map((id) => ({ id, types: ["credits.purchased", "credits.refunded"] as const }))
    await run(
      other,
      Outbox.use((outbox) => outbox.subscribe({ destinations, lowBelow: undefined }))
    )
    const story = storyIn(0)
    for (const event of story.events) await insist(other, event)
    await catchUp(other)
    const userId = story.userId as never
    await run(
      other,
      AccessStore.use((access) => access.change({ userId, change: "block" }))
    )
    const document = newDocument(userId)
    await run(
      other,
      DocumentStore.use((store) => store.insert(document, ampleQuota))
    )
    await run(
      other,
      JobQueue.use((jobs) => jobs.enqueue(userId, TestJob, { name: "one" }))
    )
    await run(other, reply(story.userId, new Set()))
    const before = await readAll()
    expect(before).toMatchObject({
      people: { rows: [{ userId }] },
      verified: { accounts: 1 },
      charges: [{ replies: 1 }]
    })
    expect(await cells.move(story.userId, "cell-2")).toBeGreaterThan(5)
    expect(await readAll()).toEqual(before)
    await cells.eraseMoved({ olderThanMs: 0 })
    expect(await readAll()).toEqual(before)
  })
})
