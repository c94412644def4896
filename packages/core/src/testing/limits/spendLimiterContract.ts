import { Clock, Effect, type Layer } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { type Spending, type SpendInput, SpendLimiter } from "../../limits/SpendLimiter.ts"
import { suiteOn } from "../suiteOn.ts"

const newSubject = () => crypto.randomUUID()

const spend = (input: Partial<SpendInput> & Pick<SpendInput, "limits">) =>
  SpendLimiter.use((limiter) => limiter.spend({ amount: 10, minimumAmount: 1, ...input }))

const grantedOf = (spending: Spending): number => (spending._tag === "Granted" ? spending.amount : 0)

const atTheSameTime = <A, E, R>(all: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(all, { concurrency: "unbounded" })

/**
 * Tests the guarantees of a `SpendLimiter`. A test that begins shortly before midnight (UTC) may fail after it. `layer`
 * is built once, for all tests.
 */
export const spendLimiterContract = (name: string, layer: Layer.Layer<SpendLimiter, unknown>): void =>
  suiteOn(`SpendLimiter: ${name}`, layer, (run) => {
    it("grants the rest of the limit, at least the useful minimum, and refuses until the next day", () =>
      run(
        Effect.gen(function* () {
          const limits = [{ subject: newSubject(), name: "bot", credits: 25 }]
          const day = Math.floor((yield* Clock.currentTimeMillis) / 86_400_000)
          expect(yield* spend({ limits })).toEqual({ _tag: "Granted", amount: 10, day })
          expect(yield* spend({ limits, minimumAmount: 10 })).toMatchObject({ amount: 10 })
          expect(yield* spend({ limits, minimumAmount: 6 })).toMatchObject({ _tag: "Refused", place: 0 })
          expect(yield* spend({ limits, minimumAmount: 5 })).toMatchObject({ amount: 5 })
          const refused = yield* spend({ limits })
          expect(refused).toMatchObject({ _tag: "Refused", place: 0 })
          if (refused._tag !== "Refused") return
          expect(refused.remainingMs).toBeGreaterThan(0)
          expect(refused.remainingMs).toBeLessThanOrEqual(86_400_000)
        })
      ))

    it("counts on all limits or on none, and a refusal names the first that has too little", () =>
      run(
        Effect.gen(function* () {
          const small = { subject: newSubject(), name: "address", credits: 10 }
          const large = { subject: newSubject(), name: "bot", credits: 30 }
          expect(yield* spend({ limits: [large, small] })).toMatchObject({ amount: 10 })
          expect(yield* spend({ limits: [large, small] })).toMatchObject({ _tag: "Refused", place: 1 })
          const other = { ...small, subject: newSubject() }
          expect(yield* spend({ limits: [large, other], amount: 20 })).toMatchObject({ amount: 10 })
          expect(yield* spend({ limits: [large], amount: 20 })).toMatchObject({ amount: 10 })
          expect(yield* spend({ limits: [large, { ...small, subject: newSubject() }] })).toMatchObject({ place: 0 })
        })
      ))

    it("returns credits that were not spent", () =>
      run(
        Effect.gen(function* () {
          const limits = [{ subject: newSubject(), name: "bot", credits: 10 }]
          const first = yield* spend({ limits })
          if (first._tag !== "Granted") throw new Error("Nothing was granted.")
          expect(yield* spend({ limits })).toMatchObject({ _tag: "Refused" })
          yield* SpendLimiter.use((limiter) => limiter.giveBack({ limits, day: first.day, amount: 7 }))
          expect(yield* spend({ limits })).toMatchObject({ amount: 7 })
          // Returning credits for a deleted day, or more credits than were taken, does not raise what may be spent.
          yield* SpendLimiter.use((limiter) => limiter.giveBack({ limits, day: first.day - 9, amount: 7 }))
          expect(yield* spend({ limits })).toMatchObject({ _tag: "Refused" })
        })
      ))

    it("lets a subject begin that has spent nothing, where the limit spares the first, and only one at once", () =>
      run(
        Effect.gen(function* () {
          const limits = [{ subject: newSubject(), name: "address", credits: 2, sparesFirst: true }]
          const all = yield* atTheSameTime(Array.from({ length: 10 }, () => spend({ limits, minimumAmount: 5 })))
          expect(all.map(grantedOf).toSorted((a, b) => b - a)).toEqual([10, ...Array.from({ length: 9 }, () => 0)])
        })
      ))

    it("forgets nothing of today", () =>
      run(
        Effect.gen(function* () {
          const limits = [{ subject: newSubject(), name: "bot", credits: 10 }]
          yield* spend({ limits })
          yield* SpendLimiter.use((limiter) => limiter.sweep({ limit: 1_000 }))
          expect(yield* spend({ limits })).toMatchObject({ _tag: "Refused" })
        })
      ))

    const request = fc.record({
      address: fc.nat({ max: 3 }),
      bot: fc.nat({ max: 1 }),
      amount: fc.integer({ min: 1, max: 20 }),
      least: fc.integer({ min: 1, max: 20 }),
      used: fc.integer({ min: 0, max: 20 })
    })
    const plan = fc.record({
      credits: fc.record({ address: fc.nat({ max: 40 }), bot: fc.nat({ max: 80 }) }),
      rounds: fc.array(fc.array(request, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 })
    })

    it("for any interleaving of requests: no limit is exceeded by granted or spent credits, and only a limit with too little refuses", () =>
      fc.assert(
        fc.asyncProperty(plan, ({ credits, rounds }) =>
          run(
            Effect.gen(function* () {
              const world = newSubject()
              const counted = new Map<string, number>()
              for (const round of rounds) {
                const asked = round.map(({ address, amount, bot, least }) => ({
                  limits: [
                    { subject: `${world} ${bot}`, name: "bot", credits: credits.bot },
                    { subject: `${world} ${address}`, name: "address", credits: credits.address }
                  ],
                  amount,
                  minimumAmount: Math.min(amount, least)
                }))
                const answers = yield* atTheSameTime(asked.map(spend))
                answers.forEach((answer, index) => {
                  const input = asked[index] as SpendInput
                  if (answer._tag !== "Granted") return
                  expect(answer.amount).toBeGreaterThanOrEqual(input.minimumAmount)
                  expect(answer.amount).toBeLessThanOrEqual(input.amount)
                  for (const { name, subject } of input.limits) {
                    counted.set(`${name} ${subject}`, (counted.get(`${name} ${subject}`) ?? 0) + answer.amount)
                  }
                })
                answers.forEach((answer, index) => {
                  const input = asked[index] as SpendInput
                  for (const limit of input.limits) {
                    expect(counted.get(`${limit.name} ${limit.subject}`) ?? 0).toBeLessThanOrEqual(limit.credits)
                  }
                  if (answer._tag !== "Refused") return
                  // Within a round the counts only increase, so a limit that refused has too little left at the end of
                  // the round.
                  const { credits: most, name, subject } = input.limits[answer.place] as SpendInput["limits"][number]
                  expect(most - (counted.get(`${name} ${subject}`) ?? 0)).toBeLessThan(input.minimumAmount)
                })
                for (const [index, answer] of answers.entries()) {
                  if (answer._tag !== "Granted") continue
                  const { limits } = asked[index] as SpendInput
                  const amount = answer.amount - Math.min(answer.amount, round[index]?.used ?? 0)
                  yield* SpendLimiter.use((limiter) => limiter.giveBack({ limits, day: answer.day, amount }))
                  for (const { name, subject } of limits) {
                    counted.set(`${name} ${subject}`, (counted.get(`${name} ${subject}`) ?? 0) - amount)
                  }
                }
              }
            })
          )
        ),
        { numRuns: 25 }
      ))
  })
