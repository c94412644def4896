import { type ChildProcess, spawn } from "node:child_process"
import { testedLedger } from "@parley/core/testing"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { tierOf } from "@parley/core/effect"
import {
  accountAfter,
  atTime,
  worldCatalog,
  billingUnderTest,
  BillingWorld,
  STORY_START,
  storyPlans
} from "@parley/core/testing"
import { Effect, Layer } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { PgBillingStoreLayer } from "../../src/billing/PgBillingStore.ts"
import { LedgerClock } from "../../src/credits/LedgerClock.ts"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"
import type { PaymentStep } from "../fixtures/takePayments.ts"

const program = fileURLToPath(new URL("../fixtures/takePayments.ts", import.meta.url))

const PEOPLE = 10
const KILLS = 12
const DAY = 86_400_000
const FREE = tierOf(worldCatalog, "free").monthlyCredits

/** The first seed of the rounds: `PARLEY_TEST_SEED`, as a failing run prints it, or a random one. */
const firstSeed = Number(process.env["PARLEY_TEST_SEED"] ?? Math.floor(Math.random() * 1e9))

/** The acts of some people, as steps of servers in the order of time. */
const toldBy = (seed: number) => {
  const [plans = []] = fc.sample(fc.array(storyPlans(9), { minLength: PEOPLE, maxLength: PEOPLE }), {
    seed,
    numRuns: 1
  })
  const worlds = plans.map((plan, person) => {
    const world = new BillingWorld(`${seed}-${person}`, STORY_START)
    for (const { act, afterHours } of plan.acts) world.act(act, afterHours * 3_600_000)
    return { name: `${seed}-${person}`, world, plan }
  })
  const steps = worlds.flatMap(({ plan, world }) => [
    ...world.events.flatMap((event, index) => {
      const { days = 0, twice = false } = plan.delays[index % plan.delays.length] ?? {}
      const first = { at: event.createdAt + days * DAY, does: "take" as const, event }
      return twice ? [first, { ...first, at: first.at + 5 * DAY }] : [first]
    }),
    ...plan.resets.map((days) => ({ at: STORY_START + days * DAY, does: "reset" as const }))
  ])
  const end = Math.max(...steps.map(({ at }) => at)) + DAY
  const catchUps = [0.3, 0.6].map((part) => ({
    at: STORY_START + Math.floor((end - STORY_START) * part),
    does: "catch-up" as const
  }))
  return {
    worlds,
    end,
    steps: [...steps, ...catchUps]
      .toSorted((a, b) => a.at - b.at)
      .map((step, number): PaymentStep => ({ number, ...step }))
  }
}

/**
 * Lets a process take steps, and kills it after this number; returns the steps that it had begun and those that it
 * reported as done.
 */
const takeSome = async (
  url: string,
  folder: string,
  listed: object,
  steps: ReadonlyArray<PaymentStep>,
  killAfter: number
) => {
  const file = join(folder, "steps.json")
  writeFileSync(file, JSON.stringify({ steps, listed }))
  const child: ChildProcess = spawn(process.execPath, ["--conditions=@parley/source", program, url, file], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const closed = once(child, "close")
  const begun = new Set<number>()
  const done = new Set<number>()
  try {
    for await (const line of createInterface({ input: child.stdout! })) {
      const set = line.endsWith("+") ? begun : done
      set.add(Number(line.slice(0, -1)))
      if (done.size >= killAfter) child.kill("SIGKILL")
    }
  } finally {
    child.kill("SIGKILL")
    await closed
  }
  return { begun, done, exit: child.exitCode }
}

describe.runIf(hasPostgres)("a server that is killed while it takes payments in", () => {
  it(
    `leaves each person as their story says, over ${KILLS} kills, beside the monthly job and catching up`,
    { timeout: 900_000 },
    async ({ annotate }) => {
      const folder = await mkdtemp(join(tmpdir(), "parley-payments-"))
      let underWay = 0
      try {
        for (const seed of [firstSeed, firstSeed + 1, firstSeed + 2]) {
          const { end, steps, worlds } = toldBy(seed)
          const listed = worlds.flatMap(({ world }) => world.events)
          await Effect.runPromise(
            Effect.scoped(
              Effect.gen(function* () {
                const url = yield* migratedPostgres
                const stores = Layer.mergeAll(PgBillingStoreLayer, PgCreditLedgerLayer, PgUnitOfWorkLayer).pipe(
                  Layer.provide(Layer.succeed(LedgerClock, "caller")),
                  Layer.provide(PgDatabaseLayer({ url, maxConnections: 2 }))
                )
                const here = yield* Layer.build(billingUnderTest(stores))
                for (const { name } of worlds) {
                  const opened = Effect.flatMap(testedLedger, (credits) =>
                    credits.open({ userId: `user-${name}`, tier: "free", allowance: FREE })
                  )
                  yield* Effect.provide(atTime(STORY_START, opened), here)
                }
                let left: ReadonlyArray<PaymentStep> = steps
                for (let kill = 0; left.length > 0; kill += 1) {
                  // Unfinished steps are repeated, as a provider sends events again: later than they were.
                  const killAfter = kill < KILLS ? 1 + ((seed + kill * 7) % Math.ceil(steps.length / KILLS)) : Infinity
                  const taken = yield* Effect.promise(() => takeSome(url, folder, listed, left, killAfter))
                  if (kill >= KILLS) expect(taken.exit).toBe(0)
                  underWay += [...taken.begun].filter((number) => !taken.done.has(number)).length
                  const reached = Math.max(...left.filter(({ number }) => taken.begun.has(number)).map(({ at }) => at))
                  left = left
                    .filter(({ number }) => !taken.done.has(number))
                    .map((step) => ({ ...step, at: Math.max(step.at, reached) }))
                }
                for (const { name, plan, world } of worlds) {
                  const found = yield* Effect.provide(accountAfter(`user-${name}`, end), here)
                  expect(found, `PARLEY_TEST_SEED=${seed}, person ${name}: ${JSON.stringify(plan.acts)}`).toEqual({
                    account: world.expected(STORY_START, end),
                    debt: 0,
                    differences: []
                  })
                }
              })
            )
          )
        }
      } finally {
        await rm(folder, { recursive: true })
      }
      expect(underWay).toBeGreaterThan(KILLS)
      await annotate(`${underWay} steps were under way when their process was killed.`)
    }
  )
})
