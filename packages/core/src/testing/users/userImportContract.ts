import { Effect, Fiber, Layer, Logger } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { BillingStore } from "../../billing/BillingStore.ts"
import { PaymentInbox } from "../../billing/PaymentInbox.ts"
import { CreditLedger } from "../../credits/CreditLedger.ts"
import { grant } from "../../credits/rules/grantsAndCorrections.ts"
import { openAccount } from "../../credits/rules/openAndClose.ts"
import { periodAt } from "../../credits/rules/period.ts"
import type { StoragePort } from "../../StoragePorts.ts"
import { Catalog, makeCatalog } from "../../tiers/Catalog.ts"
import type { PersonLine } from "../../users/importing/PersonLine.ts"
import { UserImport } from "../../users/importing/UserImport.ts"
import { atTime } from "../atTime.ts"
import { neutralProviderLayer } from "../billing/neutralProvider.ts"
import { WORLD_CATALOG } from "../billing/worldCatalog.ts"
import { type Run, suiteOn } from "../suiteOn.ts"
import {
  account,
  AS_OF,
  countsOf,
  DAY,
  differencesOf,
  importing,
  newName,
  type Parts,
  rowsOf,
  START
} from "./userImportFixtures.ts"
import { definePayments } from "./userImportPayments.ts"

/** An operator's file: people, some of them twice, and lines that cannot be imported. */
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

/** For each interrupted import of the file, the number of steps of its fiber before the interruption. */
const interruptions = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 3 })

type File = ReadonlyArray<PersonLine | string>

/** Returns the same file with other people. */
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

/** Returns the expected result of the file: for each person, the first line that can be imported. */
const expectedOf = (file: File) => {
  const people = new Map<
    string,
    { readonly allowance: number; readonly topup: number; readonly customerId?: string | undefined }
  >()
  const customers = new Set<string>()
  for (const line of file) {
    if (typeof line === "string" || people.has(line.user)) continue
    if (line.stripeCustomer && customers.has(line.stripeCustomer)) {
      // The line is refused, and so is a later line of the same person.
      people.set(line.user, { allowance: -1, topup: 0 })
      continue
    }
    if (line.stripeCustomer) customers.add(line.stripeCustomer)
    const { monthlyCredits } = WORLD_CATALOG.tiers[(line.tier ?? "free") as "free"]
    const customerId = line.stripeCustomer ?? undefined
    people.set(line.user, { allowance: line.allowance ?? monthlyCredits, topup: line.topup ?? 0, customerId })
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
  // Two processes may import the file at the same time.
  const reports = yield* Effect.all([importing(file), importing(file)], { concurrency: 2 })
  for (const report of reports) {
    expect(report.created + report.updated + report.unchanged).toBe(expected.size)
    expect(report.refused.map(({ line }) => line)).toEqual(planned.refused.map(({ line }) => line))
  }
  expect(planned).toMatchObject({ created: expected.size, updated: 0, unchanged: 0 })
  const again = yield* importing(file)
  expect(countsOf(again)).toMatchObject({ created: 0, updated: 0, unchanged: expected.size })
  for (const [userId, { allowance, customerId, topup }] of expected) {
    const known = yield* BillingStore.use((store) => store.account(userId))
    expect(known).toMatchObject(customerId === undefined ? { subscriptions: [] } : { customerId, importedAt: AS_OF })
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

  it("takes the allowance for the period that ran at the moment of the balance, so that a later one is granted", () =>
    run(
      Effect.gen(function* () {
        const user = newName()
        const anchor = AS_OF - 31 * DAY
        const { end, start } = periodAt(anchor, AS_OF - DAY)
        yield* importing([{ user, tier: "pro", allowance: 3, anchor }], { asOf: end - 1, at: end + DAY })
        expect(yield* account(user)).toMatchObject({ allowance: 3, periodStart: start, nextResetAt: end })
      })
    ))

  it("refuses a moment of the balances in the future, before which no purchase would be granted", () =>
    run(
      Effect.gen(function* () {
        const refusal = yield* Effect.flip(importing([{ user: newName() }], { asOf: AS_OF + 1 }))
        expect(refusal).toMatchObject({ _tag: "InvalidInput", field: "asOf" })
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
        // A refused line links no customer.
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

/**
 * Tests the guarantees of an import on any storage. `runs` is the number of random files and stories; `storage` is
 * built once, for all tests.
 */
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
