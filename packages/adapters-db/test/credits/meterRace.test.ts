import type { CreditCalls, WorkBound } from "@parley/core"
import { describe, expect, it } from "vitest"
import { hasPostgres } from "../databases.ts"
import { patiently, tagOf, withProcesses } from "./creditProcesses.ts"

const PROCESSES = 4
const CALLERS = 20

const withCredits = (use: (processes: ReadonlyArray<CreditCalls>) => Promise<void>) =>
  withProcesses(PROCESSES, {}, (processes) => use(processes.map(({ credits }) => credits)))

/** Asks again while another caller does the work, or many write the account. */
const untilDone = <A>(ask: () => Promise<A>) => patiently(ask, ["WorkInProgress", "StorageFailed"])

describe.runIf(hasPostgres)(
  `metered work on Postgres, asked for ${CALLERS} times at once by ${PROCESSES} processes`,
  () => {
    it("is done once for a key, and every caller gets its result", () =>
      withCredits(async (processes) => {
        const bound: WorkBound = { userId: "ann", key: "order-7", amount: 25, source: "meter:images" }
        let done = 0
        const paint = () => {
          done += 1
          return Promise.resolve({ lines: [{ label: "image", quantity: 2, unitPrice: 4 }], result: `image ${done}` })
        }
        const callers = Array.from({ length: CALLERS }, (_, index) =>
          untilDone(() => (processes[index % PROCESSES] as CreditCalls).meter(bound, paint))
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
      withCredits(async (processes) => {
        const [credits] = processes as readonly [CreditCalls]
        let done = 0
        const everybodyAsked = Promise.withResolvers<void>()
        let asked = 0
        const ask = async (index: number) => {
          const bound: WorkBound = { userId: "ann", key: `order-${index}`, amount: 9, source: "meter:images" }
          try {
            await untilDone(() =>
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
