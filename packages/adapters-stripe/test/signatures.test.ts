import { Effect, Exit, Redacted } from "effect"
import { Stripe } from "stripe"
import { describe, expect, it } from "vitest"
import { makeStripePayments } from "../src/index.ts"
import { event, invoice } from "./payloads/generations.ts"

const SECRET = "whsec_right"
const NOW = 1_767_225_600_000
const text = JSON.stringify(
  event("2026-10-28.endive", "invoice.paid", invoice("2026-10-28.endive", { note: "ä \u2028 \uFEFF" }))
)
const bytes = (value: string) => new TextEncoder().encode(value)

/** Signed by the SDK's own code, as Stripe signs. */
const signed = (payload = text, secret = SECRET, at = NOW, scheme = "v1") =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: at / 1000, scheme })

const verdict = async (
  signature: string | undefined,
  payload = bytes(text),
  webhookSecret = SECRET,
  receivedAt = NOW
) => {
  const gateway = makeStripePayments({
    apiKey: Redacted.make("sk_test_1"),
    webhookSecret: Redacted.make(webhookSecret)
  })
  const exit = await Effect.runPromiseExit(gateway.verify({ payload, signature, receivedAt }))
  if (Exit.isSuccess(exit)) return exit.value.event._tag
  return await Effect.runPromise(
    Effect.match(gateway.verify({ payload, signature, receivedAt }), {
      onSuccess: () => "",
      onFailure: (error) => ("problem" in error ? error.problem : error._tag)
    })
  )
}

const v1 = (header: string) => header.split(",")[1] ?? ""
const t = `t=${NOW / 1000}`

type Case = readonly [
  name: string,
  verdict: string,
  signature: string | undefined,
  payload?: Uint8Array<ArrayBuffer> | undefined,
  secret?: string | undefined,
  receivedAt?: number | undefined
]

const cases: ReadonlyArray<Case> = [
  ["right", "InvoicePaid", signed()],
  ["right, received at the end of its time", "InvoicePaid", signed(), bytes(text), SECRET, NOW + 300_000],
  ["right, received by a clock that is five minutes slow", "InvoicePaid", signed(), bytes(text), SECRET, NOW - 300_000],
  ["right behind a wrong one", "InvoicePaid", [t, v1(signed(text, "whsec_other")), v1(signed())].join(",")],
  ["right before a wrong one", "InvoicePaid", [t, v1(signed()), v1(signed(text, "whsec_other"))].join(",")],
  ["right beside one of an older scheme", "InvoicePaid", `${signed()},v0=00`],
  ["missing", "missing", undefined],
  ["empty", "missing", ""],
  ["nonsense", "malformed", "nonsense"],
  ["without a time", "malformed", v1(signed())],
  ["with a time that is none", "malformed", `t=now,${v1(signed())}`],
  ["without a signature", "malformed", t],
  ["of an older scheme alone", "malformed", signed(text, SECRET, NOW, "v0")],
  ["by another secret", "mismatch", signed(text, "whsec_other")],
  ["checked with another secret", "mismatch", signed(), bytes(text), "whsec_other"],
  ["checked with a secret that has a line break", "mismatch", signed(), bytes(text), `${SECRET}\n`],
  ["checked with an empty secret", "mismatch", signed(text, "x"), bytes(text), ""],
  ["with another time than was signed", "mismatch", signed().replace(t, `t=${NOW / 1000 + 60}`)],
  ["cut short", "mismatch", signed().slice(0, -1)],
  ["of another event", "mismatch", signed(`${text} `)],
  ["too old", "too-old", signed(), bytes(text), SECRET, NOW + 301_000],
  ["signed more than five minutes ahead", "too-new", signed(), bytes(text), SECRET, NOW - 301_000],
  ["signed a year ahead", "too-new", signed(), bytes(text), SECRET, NOW - 31_536_000_000],
  ["signed a year ahead and wrong", "mismatch", signed(text, "whsec_other"), bytes(text), SECRET, NOW - 31_536_000_000],
  ["too old and wrong", "mismatch", signed(text, "whsec_other"), bytes(text), SECRET, NOW + 301_000],
  [
    "right, of a body that was parsed and written again",
    "mismatch",
    signed(),
    bytes(JSON.stringify(JSON.parse(text), null, 2))
  ],
  ["right, of a body with a byte order mark before it", "mismatch", signed(), bytes(`\uFEFF${text}`)],
  ["right, of a body that lost its last byte", "mismatch", signed(), bytes(text).slice(0, -1)],
  ["right, of an empty body", "malformed", signed(), new Uint8Array()],
  ["right, of something that is no event", "malformed", signed("{}"), bytes("{}")]
]

describe("a signature", () => {
  for (const [name, expected, ...given] of cases) {
    it(`${name}: ${expected}`, async () => {
      expect(await verdict(...given)).toBe(expected)
    })
  }

  it("of bytes that are no text counts for those bytes alone", async () => {
    const broken = Uint8Array.of(...bytes(`{"a":"`), 0xff, ...bytes(`"}`))
    const replaced = new TextDecoder().decode(broken)
    expect(await verdict(signed(replaced), broken)).toBe("malformed")
  })
})
