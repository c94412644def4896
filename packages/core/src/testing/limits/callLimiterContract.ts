import { Effect, type Layer } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Admission, type CallLimit, CallLimiter } from "../../limits/CallLimiter.ts"
import { type Run, suiteOn } from "../suiteOn.ts"

const HOUR_MS = 3_600_000
const MANY_TRIES = 10_000

const newSubject = () => `subject-${crypto.randomUUID()}`
const refused = (place: number, reached: "calls" | "atOnce") => ({ _tag: "Refused", place, reached })
const admitted = { _tag: "Admitted" }

interface Call {
  readonly limits: ReadonlyArray<CallLimit>
  readonly lease?: string
  readonly ended?: ReadonlyArray<string>
  readonly windowMs?: number
  readonly leaseMs?: number
}

const admit = ({ ended = [], lease, leaseMs = HOUR_MS, limits, windowMs = HOUR_MS }: Call) =>
  CallLimiter.use((limiter) => limiter.admit({ limits, windowMs, lease: lease ?? crypto.randomUUID(), leaseMs, ended }))
const atTheSameTime = <A, E, R>(calls: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(calls, { concurrency: "unbounded" })
const times = (count: number, call: Call) => atTheSameTime(Array.from({ length: count }, () => admit(call)))
const admittedOf = (admissions: ReadonlyArray<Admission>) => admissions.filter(({ _tag }) => _tag === "Admitted").length

/** Repeats the call until it is admitted: a window of a millisecond ends before one of the next calls. */
const untilAdmitted = (call: Call) =>
  Effect.gen(function* () {
    for (let time = 0; time < MANY_TRIES; time += 1) if ((yield* admit(call))._tag === "Admitted") return
    return expect.unreachable("It was never admitted.")
  })

const windows = (run: Run<CallLimiter>) => {
  it("admits as many calls as a window allows, even at the same moment, and returns its end", () =>
    run(
      Effect.gen(function* () {
        const limits = [{ subject: newSubject(), name: "ip", calls: 7 }]
        const admissions = yield* times(40, { limits })
        expect(admittedOf(admissions)).toBe(7)
        for (const admission of admissions) {
          if (admission._tag === "Admitted") continue
          expect(admission).toMatchObject(refused(0, "calls"))
          expect(admission.remainingMs).toBeGreaterThan(HOUR_MS / 2)
          expect(admission.remainingMs).toBeLessThanOrEqual(HOUR_MS)
        }
      })
    ))

  it("counts a refused call on none of its limits", () =>
    run(
      Effect.gen(function* () {
        const bot = { subject: newSubject(), name: "bot", calls: 10 }
        const abuser = { subject: newSubject(), name: "ip", calls: 2 }
        const visitors = Array.from({ length: 8 }, () => ({ subject: newSubject(), name: "ip", calls: 2 }))
        const calls = [...Array.from({ length: 40 }, () => abuser), ...visitors]
        const admissions = yield* atTheSameTime(calls.map((ip) => admit({ limits: [ip, bot] })))
        expect(admittedOf(admissions.slice(0, 40))).toBe(2)
        expect(admissions.slice(40)).toEqual(visitors.map(() => admitted))
        expect(yield* admit({ limits: [{ ...abuser, subject: newSubject() }, bot] })).toMatchObject(refused(1, "calls"))
      })
    ))

  it("names the first limit that refuses, in the order of the call", () =>
    run(
      Effect.gen(function* () {
        const [one, other] = ["ip", "bot"].map((name) => ({ subject: newSubject(), name, calls: 1 })) as [
          CallLimit,
          CallLimit
        ]
        yield* admit({ limits: [one, other] })
        expect(yield* admit({ limits: [one, other] })).toMatchObject(refused(0, "calls"))
        expect(yield* admit({ limits: [other, one] })).toMatchObject(refused(0, "calls"))
        const free = { subject: newSubject(), name: "ip", calls: 1 }
        expect(yield* admit({ limits: [free, other] })).toMatchObject(refused(1, "calls"))
        expect(yield* admit({ limits: [free] })).toEqual(admitted)
      })
    ))

  it("counts subjects and names apart", () =>
    run(
      Effect.gen(function* () {
        const limit = { subject: newSubject(), name: "ip", calls: 1 }
        for (const each of [limit, { ...limit, name: "bot" }, { ...limit, subject: newSubject() }]) {
          expect(yield* admit({ limits: [each] })).toEqual(admitted)
          expect(yield* admit({ limits: [each] })).toMatchObject(refused(0, "calls"))
        }
      })
    ))

  it("admits again once a window has ended, and no more than it holds", () =>
    run(
      Effect.gen(function* () {
        const limits = [{ subject: newSubject(), name: "ip", calls: 1 }]
        yield* admit({ limits, windowMs: 1 })
        yield* untilAdmitted({ limits })
        expect(yield* admit({ limits })).toMatchObject(refused(0, "calls"))
      })
    ))
}

const openCalls = (run: Run<CallLimiter>) => {
  it("has no more calls open at once than there may be, also of the same moment", () =>
    run(
      Effect.gen(function* () {
        const limits = [
          { subject: newSubject(), name: "ip", calls: 100 },
          { subject: newSubject(), name: "bot", calls: 100, atOnce: 3 }
        ]
        const admissions = yield* times(20, { limits })
        expect(admittedOf(admissions)).toBe(3)
        for (const admission of admissions) {
          if (admission._tag === "Refused") expect(admission).toMatchObject(refused(1, "atOnce"))
        }
      })
    ))

  it("passes the place of an ended call to the next one, and does not count refused calls", () =>
    run(
      Effect.gen(function* () {
        const limits = [{ subject: newSubject(), name: "bot", calls: 4, atOnce: 1 }]
        const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
        yield* admit({ limits, lease: first })
        expect(yield* times(10, { limits })).toEqual(Array(10).fill(expect.objectContaining(refused(0, "atOnce"))))
        expect(yield* admit({ limits, lease: second, ended: [first] })).toEqual(admitted)
        expect(yield* admit({ limits })).toMatchObject(refused(0, "atOnce"))
        yield* CallLimiter.use((limiter) => limiter.keep({ leases: [], leaseMs: HOUR_MS, ended: [second] }))
        const third = crypto.randomUUID()
        expect(yield* admit({ limits, lease: third })).toEqual(admitted)
        expect(yield* admit({ limits, ended: [third] })).toEqual(admitted)
        expect(yield* admit({ limits })).toMatchObject(refused(0, "calls"))
      })
    ))

  it("a call counts as ended if it was not kept in time, and as open while it is kept", () =>
    run(
      Effect.gen(function* () {
        const limits = [{ subject: newSubject(), name: "bot", calls: 100_000, atOnce: 1 }]
        const kept = crypto.randomUUID()
        yield* admit({ limits, lease: crypto.randomUUID(), leaseMs: 1 })
        yield* untilAdmitted({ limits, lease: kept, leaseMs: 1 })
        yield* CallLimiter.use((limiter) => limiter.keep({ leases: [kept], leaseMs: HOUR_MS, ended: [] }))
        expect(yield* admit({ limits })).toMatchObject(refused(0, "atOnce"))
      })
    ))

  it("forgets nothing that still counts", () =>
    run(
      Effect.gen(function* () {
        const limits = [
          { subject: newSubject(), name: "ip", calls: 1 },
          { subject: newSubject(), name: "bot", calls: 2, atOnce: 1 }
        ]
        yield* admit({ limits })
        yield* CallLimiter.use((limiter) => limiter.sweep({ limit: 1_000 }))
        expect(yield* admit({ limits })).toMatchObject(refused(0, "calls"))
        expect(yield* admit({ limits: limits.slice(1) })).toMatchObject(refused(0, "atOnce"))
      })
    ))
}

/** A call on some of a few limits that several calls share. */
const plannedCall = fc.record({
  ip: fc.nat({ max: 2 }),
  conversation: fc.option(fc.nat({ max: 2 })),
  bot: fc.nat({ max: 1 })
})
const plan = fc.record({
  calls: fc.record({
    ip: fc.integer({ min: 1, max: 5 }),
    conversation: fc.integer({ min: 1, max: 4 }),
    bot: fc.integer({ min: 1, max: 9 })
  }),
  atOnce: fc.record({ ip: fc.integer({ min: 1, max: 3 }), bot: fc.integer({ min: 1, max: 5 }) }),
  rounds: fc.array(
    fc.record({
      calls: fc.array(plannedCall, { minLength: 1, maxLength: 8 }),
      ends: fc.array(fc.nat({ max: 9 }), { maxLength: 4 })
    }),
    { minLength: 1, maxLength: 5 }
  )
})

/**
 * Tests with random calls. Within a window, the admitted calls of a limit only increase. So a limit that refused a call
 * during a round is full at the end of the round; if a refused call were counted anywhere, a limit that is not full
 * would refuse a call.
 */
const laws = (run: Run<CallLimiter>) => {
  it("however calls fall together: no limit is passed, and only a full one refuses", () =>
    fc.assert(
      fc.asyncProperty(plan, ({ atOnce, calls, rounds }) =>
        run(
          Effect.gen(function* () {
            const world = newSubject()
            const counted = new Map<string, number>()
            const open = new Map<string, ReadonlyArray<CallLimit>>()
            const openOn = ({ name, subject }: CallLimit) =>
              [...open.values()].filter((limits) =>
                limits.some((each) => each.name === name && each.subject === subject)
              ).length
            for (const round of rounds) {
              const asked = round.calls.map(({ bot, conversation, ip }) => ({
                lease: crypto.randomUUID(),
                limits: [
                  { name: "ip", subject: `${world} ${ip}`, calls: calls.ip, atOnce: atOnce.ip },
                  ...(conversation === null
                    ? []
                    : [{ name: "conversation", subject: `${world} ${conversation}`, calls: calls.conversation }]),
                  { name: "bot", subject: `${world} ${bot}`, calls: calls.bot, atOnce: atOnce.bot }
                ] as ReadonlyArray<CallLimit>
              }))
              const answers = yield* atTheSameTime(asked.map(admit))
              for (const [index, { lease, limits }] of asked.entries()) {
                if (answers[index]?._tag !== "Admitted") continue
                open.set(lease, limits)
                for (const { name, subject } of limits) {
                  counted.set(`${name} ${subject}`, (counted.get(`${name} ${subject}`) ?? 0) + 1)
                }
              }
              for (const [index, { limits }] of asked.entries()) {
                for (const limit of limits) {
                  expect(counted.get(`${limit.name} ${limit.subject}`) ?? 0).toBeLessThanOrEqual(limit.calls)
                  expect(openOn(limit)).toBeLessThanOrEqual(limit.atOnce ?? Infinity)
                }
                const answer = answers[index]
                if (answer?._tag !== "Refused") continue
                const limit = limits[answer.place] as CallLimit
                if (answer.reached === "calls") expect(counted.get(`${limit.name} ${limit.subject}`)).toBe(limit.calls)
                else expect(openOn(limit)).toBe(limit.atOnce)
              }
              const ended = round.ends.flatMap((place) => [...open.keys()].slice(place, place + 1))
              for (const lease of ended) open.delete(lease)
              yield* CallLimiter.use((limiter) => limiter.keep({ leases: [...open.keys()], leaseMs: HOUR_MS, ended }))
            }
          })
        )
      ),
      { numRuns: 25 }
    ))
}

/** Tests the guarantees of a `CallLimiter`. `layer` is built once, for all tests. */
export const callLimiterContract = (name: string, layer: Layer.Layer<CallLimiter, unknown>): void =>
  suiteOn(`CallLimiter: ${name}`, layer, (run) => {
    describe("windows", () => windows(run))
    describe("open calls", () => openCalls(run))
    laws(run)
  })
