import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres } from "../crash/CrashRig.ts"
import type { RunningServer } from "../processes/RunningServer.ts"
import { PaymentRig } from "./PaymentRig.ts"

/** Replacements for any value of an event. */
const STRANGE: ReadonlyArray<unknown> = [
  undefined,
  null,
  true,
  "",
  "0",
  "price_business",
  "nul\u0000",
  "half \ud83d",
  "x".repeat(300),
  -1,
  0,
  0.5,
  1,
  4_102_444_800,
  99_999_999_999,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 1,
  -Number.MAX_SAFE_INTEGER,
  [],
  {}
]

type Place = ReadonlyArray<string>

/** The way to each value within a value. */
const placesIn = (value: unknown): ReadonlyArray<Place> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [[name], ...placesIn(inner).map((rest) => [name, ...rest])])
    : []

const twist = (text: string, changes: ReadonlyArray<{ readonly place: number; readonly strange: unknown }>): string => {
  const event = { ...JSON.parse(text), id: `evt_${crypto.randomUUID()}` }
  const places = placesIn(event)
  for (const { place, strange } of changes) {
    const way = places[place % places.length] ?? []
    let holder: unknown = event
    for (const name of way.slice(0, -1)) holder = (holder as Record<string, unknown> | undefined)?.[name]
    // A copy: a later change may land within this value, which every other event shares.
    if (typeof holder === "object" && holder !== null)
      (holder as Record<string, unknown>)[way.at(-1) ?? ""] = structuredClone(strange)
  }
  return JSON.stringify(event)
}

/** One of these events, with a few values that are not as they should be. */
const twistOf = (texts: ReadonlyArray<string>) =>
  fc
    .record({
      text: fc.constantFrom(...texts),
      changes: fc.array(fc.record({ place: fc.nat(10_000), strange: fc.constantFrom(...STRANGE) }), {
        minLength: 1,
        maxLength: 3
      })
    })
    .map(({ changes, text }) => twist(text, changes))

/** `PARLEY_TEST_SEED` makes the same strange events again. */
const { PARLEY_TEST_SEED: seed } = process.env

const COPIES = 20

/** Sends events to this many server processes at once; `twistedCount` of them have a form that no provider sends. */
export const manyServers = (serverCount: number, twistedCount: number) =>
  describe.runIf(hasPostgres)(`an event in ${COPIES} copies at once, on ${serverCount} server processes`, () => {
    let rig: PaymentRig
    let servers: ReadonlyArray<RunningServer> = []
    beforeAll(async () => {
      rig = await PaymentRig.open()
      const first = await rig.start()
      servers = [first, ...(await Promise.all(Array.from({ length: serverCount - 1 }, () => rig.start())))]
    })
    afterAll(async () => {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
      await rig[Symbol.asyncDispose]()
    })

    const serverOf = (index: number) => servers[index % serverCount] as RunningServer

    /** The events of a plan, of credits that are half refunded, and of a lost dispute. */
    const story = (userId: string) =>
      rig.eventsOf(async () => {
        const { provider } = rig.shop
        await rig.shop.buy(userId, "price_pro", "subscription")
        await rig.shop.buy(userId, "price_credits", "one-time")
        provider.refund(provider.payments.at(-1) ?? "", 495)
        await rig.shop.buy(userId, "price_credits", "one-time")
        provider.closeDispute(provider.openDispute(provider.payments.at(-1) ?? ""), "lost")
      })

    /** The final state of a person whose events come once, one after another. */
    const once = async () => {
      const userId = "once@example.com"
      for (const event of await story(userId)) expect(await rig.send(event, serverOf(0))).toBe(200)
      const stored = await rig.storedOf(userId)
      expect(stored.account).toEqual({ tier: "pro", allowance: 1_000, topup: 350, debt: 0 })
      return stored
    }

    it("has one effect, and every copy is answered with 200", async () => {
      const expected = await once()
      const events = await story("copies@example.com")
      expect(events.length).toBeGreaterThan(8)
      for (const event of events) {
        const answers = await Promise.all(Array.from({ length: COPIES }, (_, copy) => rig.send(event, serverOf(copy))))
        expect(answers, event.kind).toEqual(Array<number>(COPIES).fill(200))
      }
      expect(await rig.storedOf("copies@example.com")).toEqual(expected)

      // All at once, and so in any order: the rows may be others, the end and the number of effects are not.
      const mixed = await story("mixed@example.com")
      const copies = Array.from({ length: COPIES / serverCount }, () => mixed).flat()
      const answers = await Promise.all(copies.map((event, copy) => rig.send(event, serverOf(copy * 3))))
      expect(new Set(answers)).toEqual(new Set([200]))
      const { account, purchases, subscriptions } = await rig.storedOf("mixed@example.com")
      expect({ account, purchases, subscriptions }).toEqual({
        account: expected.account,
        purchases: expected.purchases,
        subscriptions: expected.subscriptions
      })
      expect(await rig.differences()).toEqual([])
    })

    it("in any form, is answered and stored, and changes no other person's credits", async () => {
      const bystander = "bystander@example.com"
      for (const event of await story(bystander)) await rig.send(event, serverOf(0))
      const before = await rig.storedOf(bystander)
      const texts = (await story("twisted@example.com")).map(({ text }) => text)
      const twisted = fc.sample(twistOf(texts), {
        numRuns: twistedCount,
        ...(seed === undefined ? {} : { seed: Number(seed) })
      })
      let kept = 0
      for (let from = 0; from < twistedCount; from += COPIES) {
        const some = twisted.slice(from, from + COPIES)
        const answers = await Promise.all(some.map((text, index) => rig.send({ text }, serverOf(index))))
        // An event without an id, or with an invalid one, is refused.
        const wrong = answers.flatMap((status, index) =>
          status === 200 || status === 400 ? [] : [status, some[index]]
        )
        expect(wrong).toEqual([])
        kept += answers.filter((status) => status === 200).length
      }
      expect(kept).toBeGreaterThan(twistedCount / 3)
      expect(await rig.storedOf(bystander)).toEqual(before)
      expect(await rig.differences()).toEqual([])
    })
  })
