import { createParley, type CreditCalls, type MeteredWork, type Parley, type WorkBound } from "@parley/core"
import { ChatModels } from "@parley/core/adapter"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { openDatabase } from "../../src/openDatabase.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"

const PROCESSES = 4
const CALLERS = 20

const models = ChatModels.of({ resolve: () => Effect.die("No model is asked.") })

/** The credits of several processes on one database: each with connections, a heartbeat and waiting calls of its own. */
const withProcesses = (use: (processes: ReadonlyArray<CreditCalls>) => Promise<void>): Promise<void> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(migratedPostgres, (url) =>
        Effect.promise(async () => {
          const ends: Array<() => Promise<void>> = []
          const open = async (): Promise<Parley> => {
            const database = await openDatabase({ url, maxConnections: 3 })
            ends.unshift(() => database.close())
            const parser = { parse: () => Effect.die("No document is parsed.") }
            const parley = await createParley({ ...database, models, parser, work: false })
            ends.unshift(() => parley.close())
            return parley
          }
          try {
            const first = await open()
            const others = await Promise.all(Array.from({ length: PROCESSES - 1 }, open))
            await use([first, ...others].map(({ credits }) => credits))
          } finally {
            for (const end of ends) await end()
          }
        })
      )
    )
  )

const tagOf = (error: unknown): unknown => (error as { readonly _tag?: unknown })._tag

/** Asks again for as long as another caller does the work, or many write the account. */
const patiently = async <A>(ask: () => Promise<MeteredWork<A>>): Promise<MeteredWork<A>> => {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (tagOf(error) !== "WorkInProgress" && tagOf(error) !== "StorageFailed") throw error
    }
  }
}

describe.runIf(hasPostgres)(
  `metered work on Postgres, asked for ${CALLERS} times at once by ${PROCESSES} processes`,
  () => {
    it("is done once for a key, and everybody gets what it gave", () =>
      withProcesses(async (processes) => {
        const bound: WorkBound = { userId: "ann", key: "order-7", amount: 25, source: "meter:images" }
        let done = 0
        const paint = () => {
          done += 1
          return Promise.resolve({ lines: [{ label: "image", quantity: 2, unitPrice: 4 }], result: `image ${done}` })
        }
        const callers = Array.from({ length: CALLERS }, (_, index) =>
          patiently(() => (processes[index % PROCESSES] as CreditCalls).meter(bound, paint))
        )
        const answers = await Promise.all(callers)
        expect(done).toBe(1)
        expect(new Set(answers.map(({ result }) => result))).toEqual(new Set(["image 1"]))
        expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
        const [credits] = processes as readonly [CreditCalls]
        expect(await credits.balance("ann")).toMatchObject({ available: 92, held: 0 })
        expect(await credits.verify()).toEqual({ accounts: 1, differences: [] })
      }))

    it("is done as often as the balance pays for, under keys of its own", () =>
      withProcesses(async (processes) => {
        const [credits] = processes as readonly [CreditCalls]
        let done = 0
        const everybodyAsked = Promise.withResolvers<void>()
        let asked = 0
        const ask = async (index: number) => {
          const bound: WorkBound = { userId: "ann", key: `order-${index}`, amount: 9, source: "meter:images" }
          try {
            await patiently(() =>
              (processes[index % PROCESSES] as CreditCalls).meter(bound, async () => {
                if (++asked === CALLERS) everybodyAsked.resolve()
                await everybodyAsked.promise
                done += 1
                return { lines: [{ label: "image", quantity: 1, unitPrice: 9 }] }
              })
            )
          } catch (error) {
            expect(tagOf(error)).toBe("InsufficientCredits")
            if (++asked === CALLERS) everybodyAsked.resolve()
          }
        }
        await Promise.all(Array.from({ length: CALLERS }, (_, index) => ask(index)))
        expect(done).toBe(11)
        expect(await credits.balance("ann")).toMatchObject({ available: 1, held: 0, debt: 0 })
        expect(await credits.verify()).toEqual({ accounts: 1, differences: [] })
      }))
  }
)
