import { BillingStore, type ReceivedPaymentEvent } from "@parley/core/adapter"
import { testedLedger } from "@parley/core/testing"
import { PaymentInbox } from "@parley/core/effect"
import { type BillingAct, billingUnderTest, BillingWorld, deliver, STORY_START } from "@parley/core/testing"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PgBillingStoreLayer } from "../../src/billing/PgBillingStore.ts"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"
import { FaultyWire } from "../faults/FaultyWire.ts"

const stores = Layer.mergeAll(PgBillingStoreLayer, PgCreditLedgerLayer, PgUnitOfWorkLayer)
const BUYS: BillingAct = { _tag: "buy", payment: "now" }

const serverOn = (url: string) =>
  Layer.build(Layer.fresh(billingUnderTest(stores.pipe(Layer.provide(PgDatabaseLayer({ url, maxConnections: 12 }))))))
type Server = Effect.Success<ReturnType<typeof serverOn>>

/** A person whom the server knows, and the only event of their first purchase. */
interface Buyer {
  readonly userId: string
  readonly world: BillingWorld
  readonly bought: ReceivedPaymentEvent
}

describe.runIf(hasPostgres)("events of many people at one server", () => {
  const scope = Scope.makeUnsafe()
  let wire: FaultyWire
  let server: Server
  let direct: pg.Pool
  const run = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.runPromise(Effect.provideContext(work, server as Context.Context<R>))

  beforeAll(async () => {
    const open = Effect.gen(function* () {
      const url = yield* migratedPostgres
      wire = yield* Effect.acquireRelease(
        Effect.promise(() => FaultyWire.open(url)),
        (opened) => Effect.promise(() => opened[Symbol.asyncDispose]())
      )
      server = yield* serverOn(wire.through(url))
      direct = yield* Effect.acquireRelease(
        Effect.sync(() => new pg.Pool({ connectionString: url, max: 3 })),
        (pool) => Effect.promise(() => pool.end())
      )
    })
    await Effect.runPromise(Scope.provide(open, scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  /** Opens an account and applies one purchase of it alone, so that the person is known; returns a second purchase. */
  const buyer = Effect.gen(function* () {
    const name = crypto.randomUUID()
    const userId = `user-${name}`
    const world = new BillingWorld(name, STORY_START)
    world.act(BUYS, 60_000)
    world.act(BUYS, 60_000)
    yield* Effect.flatMap(testedLedger, (credits) => credits.open({ userId, tier: "free", allowance: 100 }))
    const [first, bought] = world.events
    if (first === undefined || bought === undefined) throw new Error("There are two events.")
    yield* deliver(first)
    return { userId, world, bought } satisfies Buyer
  })
  const buyers = (count: number) => run(Effect.all(Array.from({ length: count }, () => buyer)))

  const topupOf = ({ userId }: Buyer) =>
    Effect.gen(function* () {
      const ledger = yield* testedLedger
      const { topup } = yield* ledger.account(userId)
      const { differences } = yield* ledger.verify({ limit: 1, after: undefined, userId })
      expect(differences).toEqual([])
      return topup
    })
  const topupsOf = (people: ReadonlyArray<Buyer>) => run(Effect.all(people.map(topupOf)))

  const takeAll = (events: ReadonlyArray<ReceivedPaymentEvent>) =>
    Promise.all(events.map((event) => run(Effect.exit(deliver(event)))))
  const asked = (text: string) => wire.requests.filter((request) => request.includes(text)).length

  it("share transactions, each with its own answer", async () => {
    const people = await buyers(40)
    wire.start()
    const exits = await takeAll(people.map(({ bought }) => bought))
    await wire.settled()
    expect(exits.map((exit) => Exit.isSuccess(exit) && [exit.value.id, exit.value.state])).toEqual(
      people.map(({ bought }) => [bought.id, "applied"])
    )
    expect(await topupsOf(people)).toEqual(people.map(() => 1_400))
    expect(asked("apply_payments")).toBeLessThan(10)
    expect(asked("receive_payment")).toBe(0)
  })

  it("are answered once they are committed, not before", async () => {
    const people = await buyers(8)
    const ids = people.map(({ bought }) => bought.id)
    let answered = 0
    const early: Array<number> = []
    const stored = async () => {
      const { rowCount } = await direct.query("SELECT FROM parley.payment_events WHERE event_id = ANY($1)", [ids])
      return rowCount ?? 0
    }
    wire.start(new Map(), async (text) => {
      if (text.includes("apply_payments")) early.push(answered - (await stored()))
    })
    const takes = people.map(async ({ bought }) => {
      await run(deliver(bought))
      answered += 1
      expect(await stored()).toBeGreaterThanOrEqual(answered)
    })
    await Promise.all(takes)
    wire.start()
    expect(early.length).toBeGreaterThan(0)
    expect(Math.max(...early)).toBeLessThanOrEqual(0)
  })

  it("grant a purchase once whose event comes several times among them", async () => {
    const people = await buyers(5)
    const events = people.flatMap(({ bought }) => [bought, bought, bought])
    wire.start()
    const exits = await takeAll(events)
    await wire.settled()
    // The first of each is applied in company all the same.
    expect(asked("receive_payment")).toBeLessThanOrEqual(10)
    expect(new Set(exits.map((exit) => Exit.isSuccess(exit) && exit.value.state))).toEqual(new Set(["applied"]))
    expect(await topupsOf(people)).toEqual(people.map(() => 1_400))
  })

  it("all count where several are of one person", async () => {
    const people = await buyers(4)
    const events = people.flatMap(({ bought, world }) => {
      world.act(BUYS, 60_000)
      world.act(BUYS, 60_000)
      return [bought, ...world.events.slice(2)]
    })
    await takeAll(events)
    expect(await topupsOf(people)).toEqual(people.map(() => 2_800))
  })

  it("are not undone by one that the database cannot take", async () => {
    const people = await buyers(6)
    const [first, ...others] = people.map(({ bought }) => bought) as [
      ReceivedPaymentEvent,
      ...Array<ReceivedPaymentEvent>
    ]
    const broken = { ...first, kind: "a\0b" }
    const inbox = await run(PaymentInbox)
    const exits = await Promise.all([
      run(Effect.exit(inbox.accept(broken))),
      ...others.map((event) => run(Effect.exit(inbox.accept(event))))
    ])
    expect(exits.map(Exit.isSuccess)).toEqual([false, ...others.map(() => true)])
    expect(await topupsOf(people)).toEqual([700, ...others.map(() => 1_400)])
    // Nothing of it is left: as it should be, it may come again.
    expect(await run(deliver(first))).toMatchObject({ state: "applied" })
    expect(await topupsOf(people.slice(0, 1))).toEqual([1_400])
  })

  it("do not wait for a person whose account another session has locked", async () => {
    const people = await buyers(6)
    const [held, ...others] = people as [Buyer, ...Array<Buyer>]
    const client = await direct.connect()
    await client.query("BEGIN")
    await client.query("SELECT FROM parley.credit_accounts WHERE user_id = $1 FOR UPDATE", [held.userId])
    let isHeldDone = false
    const heldDone = run(deliver(held.bought)).finally(() => (isHeldDone = true))
    await Promise.all(others.map(({ bought }) => run(deliver(bought))))
    expect(isHeldDone).toBe(false)
    await client.query("COMMIT")
    client.release()
    expect(await heldDone).toMatchObject({ state: "applied" })
    expect(await topupsOf(people)).toEqual(people.map(() => 1_400))
  })

  const writers: Record<string, (person: Buyer) => Effect.Effect<void, unknown, BillingStore | PaymentInbox>> = {
    "an event is concluded alone": ({ world }: Buyer) =>
      Effect.asVoid(PaymentInbox.use((inbox) => inbox.replay(world.events[0]?.id ?? ""))),
    "another customer is linked": ({ userId }: Buyer) =>
      Effect.gen(function* () {
        const store = yield* BillingStore
        const { customerId: replaces } = yield* store.account(userId)
        yield* store.link({ userId, customerId: `cus_${crypto.randomUUID()}`, replaces })
      })
  }
  for (const [what, write] of Object.entries(writers)) {
    it(`are decided again for a person of whom, between the read and the write, ${what}`, async () => {
      const changed = await run(buyer)
      let applied = 0
      let received = 0
      wire.start(new Map(), async (text) => {
        if (!text.includes("apply_payments") || ++applied > 1) return
        await run(write(changed))
        received = asked("receive_payment")
      })
      expect(await run(deliver(changed.bought))).toMatchObject({ state: "applied" })
      await wire.settled()
      expect(asked("receive_payment") - received).toBe(1)
      wire.start()
      expect(await topupsOf([changed])).toEqual([1_400])
    })
  }

  it("find what waited for them", async () => {
    const people = await buyers(4)
    const events = people.map(({ world }) => {
      world.act({ _tag: "dispute", nth: 1, isWon: false }, 60_000)
      return world.events.at(-1) as ReceivedPaymentEvent
    })
    const early = await takeAll(events)
    expect(new Set(early.map((exit) => Exit.isSuccess(exit) && exit.value.state))).toEqual(new Set(["waiting"]))
    await takeAll(people.map(({ bought }) => bought))
    expect(await topupsOf(people)).toEqual(people.map(() => 700))
  })

  it("that the ledger has done before under the same key change nothing, and hold up no other", async () => {
    const people = await buyers(4)
    const [granted, ...others] = people as [Buyer, ...Array<Buyer>]
    const { event } = granted.bought
    if (event._tag !== "Checkout") return expect.unreachable("It is a purchase.")
    const { amountTotal: paid, id, paymentId: charge = "" } = event.session
    await run(
      Effect.flatMap(testedLedger, (credits) =>
        credits.grant({
          userId: granted.userId,
          key: `topup:${id}`,
          type: "topup",
          amount: 700,
          payment: { charge, paid }
        })
      )
    )
    wire.start()
    await takeAll(people.map(({ bought }) => bought))
    await wire.settled()
    expect(asked("receive_payment")).toBe(1)
    expect(await topupsOf([granted, ...others])).toEqual(people.map(() => 1_400))
  })
})
