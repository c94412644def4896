import { Effect, Fiber, Layer, Logger } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { BillingStore } from "../../billing/BillingStore.ts"
import { PaymentInbox } from "../../billing/PaymentInbox.ts"
import type { ReceivedPaymentEvent } from "../../billing/provider/PaymentEvent.ts"
import { CreditLedger, CreditRecords, CreditUpkeep } from "../../credits/CreditLedger.ts"
import { grant } from "../../credits/rules/grantsAndCorrections.ts"
import { openAccount } from "../../credits/rules/openAndClose.ts"
import { periodAt } from "../../credits/rules/period.ts"
import type { StoragePort } from "../../StoragePorts.ts"
import { Catalog, makeCatalog } from "../../tiers/Catalog.ts"
import type { PersonLine } from "../../users/importing/PersonLine.ts"
import { type ImportReport, UserImport } from "../../users/importing/UserImport.ts"
import { atTime } from "../atTime.ts"
import { BillingWorld } from "../billing/billingWorld.ts"
import { neutralProviderLayer } from "../billing/neutralProvider.ts"
import { WORLD_CATALOG } from "../billing/worldCatalog.ts"
import { type Run, suiteOn } from "../suiteOn.ts"

const DAY = 86_400_000
const HOUR = 3_600_000
const START = Date.UTC(2027, 0, 31, 10)
/** The moment of the balances, and of the import. */
const AS_OF = START + 10 * DAY

type Parts = StoragePort | PaymentInbox | UserImport

const newName = () => crypto.randomUUID()

const importing = (lines: ReadonlyArray<PersonLine | string>, options: { dryRun?: boolean; asOf?: number } = {}) =>
  atTime(
    AS_OF,
    UserImport.use((users) => users.import(lines, { asOf: AS_OF, ...options }))
  )

const account = (userId: string) => CreditRecords.use((records) => records.account(userId))

const rowsOf = (userId: string) =>
  Effect.map(
    CreditRecords.use((records) => records.history({ userId, limit: 200, offset: 0 })),
    ({ transactions }) => transactions
  )

/** The differences of the accounts of some people. */
const differencesOf = Effect.fnUntraced(function* (people: ReadonlySet<string>) {
  const upkeep = yield* CreditUpkeep
  const found: Array<unknown> = []
  let after: string | undefined
  do {
    const chunk = yield* upkeep.verify({ limit: 500, after, since: undefined })
    found.push(...chunk.differences.filter(({ userId }) => people.has(userId)))
    after = chunk.next
  } while (after !== undefined)
  return found
})

const countsOf = ({ created, refused, unchanged, updated }: ImportReport) => ({
  created,
  updated,
  unchanged,
  refused: refused.length
})

/** Delivers events of the provider, which name no person but their customer. */
const deliver = (events: ReadonlyArray<ReceivedPaymentEvent>, at: number) =>
  Effect.forEach(events, ({ payload }) => {
    const text = payload.replaceAll(/,"userId":"[^"]*"/g, "")
    const signed = { payload: new TextEncoder().encode(text), signature: undefined, receivedAt: 0 }
    return atTime(
      at,
      PaymentInbox.use((inbox) => inbox.receive(signed))
    )
  })

/** A file of an operator: people, some of them twice, and lines that cannot be imported. */
const files = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        user: fc.integer({ min: 0, max: 12 }).map((n) => `user-${n}`),
        tier: fc.constantFrom("free", "pro", "business", null, undefined),
        allowance: fc.option(fc.integer({ min: 0, max: 10_000 }), { nil: undefined }),
        topup: fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: undefined }),
        anchor: fc.option(fc.integer({ min: START - 400 * DAY, max: START }), { nil: undefined }),
        stripeCustomer: fc.option(
          fc.integer({ min: 0, max: 6 }).map((n) => `cus-${n}`),
          { nil: undefined }
        )
      })
    },
    { weight: 1, arbitrary: fc.constantFrom("", "not json", "[]", '{"tier":"pro"}', '{"user":"x","topup":-1}') }
  ),
  { maxLength: 25 }
)

/** How often an import of the file is begun and interrupted, after how many steps of its fiber. */
const interruptions = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 3 })

type File = ReadonlyArray<PersonLine | string>

/** The same file about people of its own. */
const named = (file: File, name: string): File =>
  file.map((line) =>
    typeof line === "string"
      ? line
      : {
          ...line,
          user: `${name}-${line.user}`,
          stripeCustomer: line.stripeCustomer ? `${name}-${line.stripeCustomer}` : undefined
        }
  )

const stepsOfFiber = (steps: number) =>
  Effect.forEach(Array.from({ length: steps }), () => Effect.yieldNow, {
    discard: true
  })

/** What the file gives: for each person the first line that can be imported. */
const expectedOf = (file: File) => {
  const people = new Map<string, { readonly allowance: number; readonly topup: number }>()
  const customers = new Set<string>()
  for (const line of file) {
    if (typeof line === "string" || people.has(line.user)) continue
    if (line.stripeCustomer && customers.has(line.stripeCustomer)) {
      // The line is refused, and so is a later one of the person.
      people.set(line.user, { allowance: -1, topup: 0 })
      continue
    }
    if (line.stripeCustomer) customers.add(line.stripeCustomer)
    const { monthlyCredits } = WORLD_CATALOG.tiers[(line.tier ?? "free") as "free"]
    people.set(line.user, { allowance: line.allowance ?? monthlyCredits, topup: line.topup ?? 0 })
  }
  return new Map([...people].filter(([, { allowance }]) => allowance >= 0))
}

const checkFile = Effect.fnUntraced(function* (given: File, cuts: ReadonlyArray<number>) {
  const file = named(given, newName())
  const expected = expectedOf(file)
  const planned = yield* importing(file, { dryRun: true })
  for (const steps of cuts) {
    const fiber = yield* Effect.forkChild(importing(file))
    yield* stepsOfFiber(steps)
    yield* Fiber.interrupt(fiber)
  }
  // Two processes may run it at once.
  const reports = yield* Effect.all([importing(file), importing(file)], { concurrency: 2 })
  for (const report of reports) {
    expect(report.created + report.updated + report.unchanged).toBe(expected.size)
    expect(report.refused.map(({ line }) => line)).toEqual(planned.refused.map(({ line }) => line))
  }
  expect(planned).toMatchObject({ created: expected.size, updated: 0, unchanged: 0 })
  const again = yield* importing(file)
  expect(countsOf(again)).toMatchObject({ created: 0, updated: 0, unchanged: expected.size })
  for (const [userId, { allowance, topup }] of expected) {
    expect(yield* account(userId)).toMatchObject({ allowance, topup, debt: 0 })
    const rows = yield* rowsOf(userId)
    expect(rows.reduce((sum, { amount }) => sum + amount, 0)).toBe(allowance + topup)
    expect(rows.length).toBe(2)
  }
  expect(yield* differencesOf(new Set(expected.keys()))).toEqual([])
})

const defineFiles = (run: Run<Parts>, runs: number): void => {
  it(
    "gives each person what the file says, once, however often it is interrupted and repeated",
    { timeout: 3_600_000 },
    () =>
      fc.assert(
        fc.asyncProperty(files, interruptions, (file, cuts) => run(checkFile(file, cuts))),
        { numRuns: runs }
      )
  )

  it("imports tier, periods and balance, each as a transaction of its kind", () =>
    run(
      Effect.gen(function* () {
        const user = newName()
        const anchor = "2026-11-05T09:00:00Z"
        const line = { user, tier: "pro", allowance: 40, topup: 7, anchor }
        expect(countsOf(yield* importing([line]))).toEqual({ created: 1, updated: 0, unchanged: 0, refused: 0 })
        const { end, start } = periodAt(Date.parse(anchor), AS_OF)
        expect(yield* account(user)).toMatchObject({
          ...{ tier: "pro", allowance: 40, topup: 7, renewedBy: "schedule", periodCredits: 1_000 },
          ...{ anchor: Date.parse(anchor), periodStart: start, nextResetAt: end }
        })
        expect(yield* rowsOf(user)).toMatchObject([
          { type: "grant", amount: 7, reference: "imported:account" },
          { type: "reset", amount: 40, reference: `period:${user}:${new Date(start).toISOString()}` }
        ])
      })
    ))

  it("writes nothing in a dry run", () =>
    run(
      Effect.gen(function* () {
        const user = newName()
        const stripeCustomer = `cus_${user}`
        const report = yield* importing([{ user, topup: 5, stripeCustomer }], { dryRun: true })
        expect(countsOf(report)).toMatchObject({ created: 1 })
        expect((yield* Effect.flip(account(user)))._tag).toBe("AccountNotFound")
        expect(yield* BillingStore.use((store) => store.ownerOf([`customer:${stripeCustomer}`]))).toBeUndefined()
      })
    ))
}

const defineRefusals = (run: Run<Parts>): void => {
  it("takes over an account that only the first sign-in has opened, and refuses one that was used", () =>
    run(
      Effect.gen(function* () {
        const [fresh, used] = [newName(), newName()]
        const ledger = yield* CreditLedger
        for (const userId of [fresh, used]) {
          yield* atTime(START, ledger.run(openAccount({ userId, tier: "free", allowance: 100 })))
        }
        yield* atTime(START, ledger.run(grant({ userId: used, key: "gift", type: "grant", amount: 5 })))
        const lines = [
          { user: fresh, tier: "pro", allowance: 30, topup: 2 },
          { user: used, tier: "pro", allowance: 30, stripeCustomer: `cus_${used}` }
        ]
        const report = yield* importing(lines)
        expect(countsOf(report)).toEqual({ created: 0, updated: 1, unchanged: 0, refused: 1 })
        expect(report.refused).toMatchObject([{ line: 2, user: used }])
        expect(report.refused[0]?.reason).toContain("2 transactions, tier free, allowance 100, top-up 5")
        expect(yield* account(fresh)).toMatchObject({ tier: "pro", allowance: 30, topup: 2 })
        expect(yield* account(used)).toMatchObject({ tier: "free", allowance: 100, topup: 5 })
        // A line that is refused links no customer.
        expect(yield* BillingStore.use((store) => store.ownerOf([`customer:cus_${used}`]))).toBeUndefined()
        expect(yield* differencesOf(new Set([fresh, used]))).toEqual([])
      })
    ))

  it("refuses other values for an imported person, a customer of another person, and lines that are not people", () =>
    run(
      Effect.gen(function* () {
        const [first, second] = [newName(), newName()]
        yield* importing([{ user: first, topup: 5, stripeCustomer: `cus_${first}` }])
        const report = yield* importing([
          { user: first, topup: 6 },
          { user: second, topup: 1, stripeCustomer: `cus_${first}` },
          "",
          "{",
          '{"user":"someone","credits":3}',
          '{"user":"someone","topup":1.5}',
          '{"user":"someone","tier":"gold"}',
          '{"user":"someone","anchor":"2999-01-01"}',
          '{"user":"someone","anchor":"01.02.2026"}',
          '{"topup":3}'
        ])
        expect(report).toMatchObject({ lines: 9, created: 0, updated: 0, unchanged: 0 })
        expect(report.refused.map(({ line, reason }) => `${line}: ${reason}`)).toEqual([
          expect.stringContaining("1: the person was imported before with other values"),
          "2: the customer belongs to another person, or to one who was erased",
          "4: it is not JSON",
          '5: unknown field "credits": the fields are user, tier, allowance, topup, anchor, stripeCustomer',
          expect.stringContaining("6: topup: expected whole credits from 0 to"),
          '7: tier: the catalog has no tier "gold"; it has free, pro, business',
          "8: anchor: expected a moment at which a period has begun, not one in the future",
          "9: anchor: expected a time as 2026-11-30T09:00:00Z, or Unix milliseconds",
          expect.stringContaining("10: user: expected a person's id")
        ])
        expect((yield* Effect.flip(account(second)))._tag).toBe("AccountNotFound")
      })
    ))
}

/** A customer whose story goes on after the import, without ids of people in the events. */
const imported = Effect.fnUntraced(function* (world: BillingWorld, line: Omit<PersonLine, "user" | "stripeCustomer">) {
  const name = world.customerId.slice("cus_".length)
  const before = world.events.length
  const report = yield* importing([{ ...line, user: `user-${name}`, stripeCustomer: world.customerId }])
  expect(countsOf(report)).toMatchObject({ created: 1 })
  return { userId: `user-${name}`, past: world.events.slice(0, before), later: () => world.events.slice(before) }
})

const buy = { _tag: "buy", payment: "now" } as const
const subscribe = { _tag: "subscribe", price: "price_pro" } as const

const definePayments = (run: Run<Parts>, runs: number): void => {
  it(
    "grants purchases after the import once, and those before it never, in any order and number",
    { timeout: 3_600_000 },
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.nat(4),
          fc.nat(4),
          fc.array(fc.nat(1_000), { minLength: 24, maxLength: 24 }),
          fc.boolean(),
          (before, after, order, early) =>
            run(
              Effect.gen(function* () {
                const world = new BillingWorld(newName(), START)
                for (let n = 0; n < before; n += 1) world.act(buy, HOUR)
                // Without a person, the events wait for their customer.
                if (early) yield* deliver(world.events, START + DAY)
                const { later, past, userId } = yield* imported(world, { topup: 50 })
                world.now = Math.max(world.now, AS_OF)
                for (let n = 0; n < after; n += 1) world.act(buy, HOUR)
                const all = [...past, ...later()]
                const shuffled = order.flatMap((place) => all[place % Math.max(1, all.length)] ?? [])
                yield* deliver([...shuffled, ...all.toReversed()], AS_OF + 5 * DAY)
                expect(yield* account(userId)).toMatchObject({ topup: 50 + 700 * after, allowance: 100 })
                expect(yield* differencesOf(new Set([userId]))).toEqual([])
              })
            )
        ),
        { numRuns: runs }
      )
  )

  it("takes the paid period of a subscription as part of the balance, and grants the next one", () =>
    run(
      Effect.gen(function* () {
        const world = new BillingWorld(newName(), START)
        world.act(subscribe, HOUR)
        const { later, past, userId } = yield* imported(world, { tier: "pro", allowance: 300 })
        expect(yield* account(userId)).toMatchObject({ renewedBy: "invoice" })
        yield* deliver(past, AS_OF + DAY)
        expect(yield* account(userId)).toMatchObject({ tier: "pro", allowance: 300, renewedBy: "invoice" })
        yield* deliver(past.toReversed(), AS_OF + 2 * DAY)
        expect(yield* account(userId)).toMatchObject({ tier: "pro", allowance: 300 })
        world.act({ _tag: "renew", nth: 0, isPaid: true }, DAY)
        yield* deliver([...later(), ...past], world.now)
        expect(yield* account(userId)).toMatchObject({ tier: "pro", allowance: 1_000, renewedBy: "invoice" })
        expect(yield* differencesOf(new Set([userId]))).toEqual([])
      })
    ))

  it("renews a plan by its invoice even if no earlier event is known", () =>
    run(
      Effect.gen(function* () {
        const world = new BillingWorld(newName(), START)
        world.act(subscribe, HOUR)
        const { later, userId } = yield* imported(world, { tier: "pro", allowance: 300 })
        world.act({ _tag: "renew", nth: 0, isPaid: true }, DAY)
        yield* deliver(later(), world.now)
        expect(yield* account(userId)).toMatchObject({ tier: "pro", allowance: 1_000, renewedBy: "invoice" })
      })
    ))

  it("grants what a dearer plan adds that is paid for after the import, in any order of the events", () =>
    run(
      Effect.gen(function* () {
        for (const reversed of [false, true]) {
          const world = new BillingWorld(newName(), START)
          world.act(subscribe, HOUR)
          const { later, past, userId } = yield* imported(world, { tier: "pro", allowance: 300 })
          world.now = Math.max(world.now, AS_OF)
          world.act({ _tag: "change", nth: 0, price: "price_business" }, HOUR)
          const all = [...past, ...later()]
          yield* deliver(reversed ? all.toReversed() : all, AS_OF + DAY)
          expect(yield* account(userId)).toMatchObject({ tier: "business", allowance: 4_300 })
          yield* deliver(all, AS_OF + 2 * DAY)
          expect(yield* account(userId)).toMatchObject({ tier: "business", allowance: 4_300 })
          expect(yield* differencesOf(new Set([userId]))).toEqual([])
        }
      })
    ))

  it("ends a plan from before the import even if its payments are not known", () =>
    run(
      Effect.gen(function* () {
        const world = new BillingWorld(newName(), START)
        world.act(subscribe, HOUR)
        const { later, userId } = yield* imported(world, { tier: "pro", allowance: 300, topup: 20 })
        world.now = Math.max(world.now, AS_OF)
        world.act({ _tag: "cancel", nth: 0 }, HOUR)
        yield* deliver(later(), AS_OF + DAY)
        expect(yield* account(userId)).toMatchObject({ tier: "free", allowance: 100, topup: 20, renewedBy: "schedule" })
      })
    ))
}

/** The guarantees of an import on every storage. `runs` is the number of random files and stories. */
export const userImportContract = (
  name: string,
  storage: Layer.Layer<StoragePort, unknown>,
  { runs }: { readonly runs: number }
): void => {
  const layer = UserImport.layer.pipe(
    Layer.provideMerge(PaymentInbox.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        storage,
        Layer.succeed(Catalog, makeCatalog(WORLD_CATALOG)),
        neutralProviderLayer(),
        Logger.layer([])
      )
    )
  )
  suiteOn(`importing people: ${name}`, layer, (run) => {
    defineFiles(run, runs)
    defineRefusals(run)
    definePayments(run, runs)
  })
}
