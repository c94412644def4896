import { createHmac } from "node:crypto"
import { Effect, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it, vi } from "vitest"
import { DeliveryFailed } from "../../src/events/EventSink.ts"
import { eventOf } from "../../src/events/ParleyEvent.ts"
import { isPrivateAddress, webhookUrlProblem } from "../../src/events/webhookAddress.ts"
import { type WebhookAnswer, type WebhookRequest, WebhookUnanswered } from "../../src/events/WebhookPoster.ts"
import { verifyWebhook } from "../../src/events/verifyWebhook.ts"
import { webhookHeaders, webhookSinks } from "../../src/events/webhooks.ts"

/** Of the specification's own tests. */
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const VECTOR = {
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
}

/** As any other implementation signs. */
const signed = (secret: string, id: string, timestamp: number, body: string) =>
  `v1,${createHmac("sha256", Buffer.from(secret.slice(6), "base64"))
    .update(`${id}.${timestamp}.${body}`)
    .digest("base64")}`

const OTHER = `whsec_${Buffer.from("another secret of 32 bytes......").toString("base64")}`

const event = eventOf({
  id: "evt_1",
  type: "credits.charged",
  at: 1_767_225_600_000,
  data: { account: "user-1", credits: 3, balance: 97, key: "reply:1", source: "chat" }
})

const at = <A, E>(seconds: number, work: Effect.Effect<A, E>) =>
  Effect.runPromise(
    Effect.andThen(TestClock.setTime(seconds * 1000), work).pipe(Effect.provide(TestClock.layer()), Effect.scoped)
  )

/** A sink whose receiver answers as scripted, and the received requests. */
const sinkOf = async (answer: WebhookAnswer | WebhookUnanswered, secrets: ReadonlyArray<string> = [SECRET]) => {
  const sent: Array<WebhookRequest> = []
  const poster = {
    post: (request: WebhookRequest) => {
      sent.push(request)
      return answer instanceof WebhookUnanswered ? Effect.fail(answer) : Effect.succeed(answer)
    }
  }
  const url = "https://hooks.example/in?token=secret"
  const endpoint = { url, secrets: secrets.map((each) => Redacted.make(each)) }
  const [sink] = await Effect.runPromise(webhookSinks([endpoint], poster))
  if (sink === undefined) throw new Error("There is no sink.")
  return { sink, sent }
}

const now = () => Math.floor(Date.now() / 1000)

describe("the signature of webhooks", () => {
  it("is that of the specification", async () => {
    const { body, id, signature, timestamp } = VECTOR
    expect(await at(timestamp, webhookHeaders(id, body, [SECRET]))).toEqual({
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signature
    })
    expect(signed(SECRET, id, timestamp, body)).toBe(signature)
  })

  it("is verified as other libraries sign it, for any form of headers and body, by any of several secrets", async () => {
    const body = JSON.stringify(event)
    const timestamp = now()
    const headers = {
      "Webhook-Id": "evt_1",
      "Webhook-Timestamp": String(timestamp),
      "Webhook-Signature": `v1a,unknown v1,bm9uZQ== ${signed(OTHER, "evt_1", timestamp, body)}`
    }
    expect(await verifyWebhook(headers, body, OTHER)).toEqual(event)
    expect(await verifyWebhook(new Headers(headers), Buffer.from(body), [SECRET, OTHER])).toEqual(event)
  })

  it("refuses what was changed, signed by another, is too old or ahead of time, or has no headers", async () => {
    const body = JSON.stringify(event)
    const headersAt = (timestamp: number, secret = SECRET) => ({
      "webhook-id": "evt_1",
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signed(secret, "evt_1", timestamp, body)
    })
    const problemOf = (headers: Record<string, string>, text = body, secret = SECRET) =>
      verifyWebhook(headers, text, secret).then(
        () => undefined,
        ({ problem }: { problem: string }) => problem
      )
    expect(await problemOf(headersAt(now()))).toBeUndefined()
    expect(await problemOf(headersAt(now()), `${body} `)).toBe("signature")
    expect(await problemOf({ ...headersAt(now()), "webhook-id": "evt_2" })).toBe("signature")
    expect(await problemOf(headersAt(now(), OTHER))).toBe("signature")
    expect(await problemOf({ ...headersAt(now()), "webhook-signature": "v1," })).toBe("signature")
    expect(await problemOf(headersAt(now() - 310))).toBe("timestamp")
    expect(await problemOf(headersAt(now() + 310))).toBe("timestamp")
    expect(await problemOf({})).toBe("headers")
    expect(await problemOf(headersAt(now()), body, "not a secret")).toBe("secret")
  })

  it("is found among thousands that are wrong without the body being hashed for each", async () => {
    const body = "x".repeat(4_000_000)
    const timestamp = now()
    const wrong = Array.from({ length: 5_000 }, () => "v1,").join(" ")
    const headers = {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(timestamp),
      "webhook-signature": `${wrong} v1,% v1,${"A".repeat(44)} ${signed(SECRET, "evt_1", timestamp, body)}`
    }
    let hashed = 0
    const { sign, verify } = crypto.subtle
    const counting = [
      vi
        .spyOn(crypto.subtle, "sign")
        .mockImplementation((...given) => ((hashed += 1), sign.apply(crypto.subtle, given))),
      vi
        .spyOn(crypto.subtle, "verify")
        .mockImplementation((...given) => ((hashed += 1), verify.apply(crypto.subtle, given)))
    ]
    try {
      const problem = await verifyWebhook(headers, body, [SECRET, OTHER]).catch((error: unknown) => error)
      expect(problem).toMatchObject({ problem: "content" })
      expect(hashed).toBe(2)
    } finally {
      for (const each of counting) each.mockRestore()
    }
  })

  it.each([
    ["a parsed body", { type: "credits.charged" }],
    ["a parsed body that claims a length", { length: 4_000_000_000 }],
    ["a list", [123, 125]],
    ["nothing", undefined],
    ["null", null]
  ])("refuses %s in place of bytes, by name", async (_name, body) => {
    const headers = { "webhook-id": "evt_1", "webhook-timestamp": String(now()), "webhook-signature": "v1,bm9uZQ==" }
    await expect(verifyWebhook(headers, body as never, SECRET)).rejects.toMatchObject({
      _tag: "InvalidWebhook",
      problem: "body"
    })
  })
})

describe("a webhook", () => {
  it("is sent as the event's JSON, signed by every secret at the time it is tried", async () => {
    const { sent, sink } = await sinkOf({ status: 204, retryAfter: undefined }, [SECRET, OTHER])
    await at(1_767_225_700, sink.deliver(event))
    const [{ body, headers }] = sent as [WebhookRequest]
    expect(JSON.parse(body)).toEqual(event)
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": "evt_1",
      "webhook-timestamp": "1767225700",
      "webhook-signature": `${signed(SECRET, "evt_1", 1_767_225_700, body)} ${signed(OTHER, "evt_1", 1_767_225_700, body)}`
    })
  })

  it.each([
    [
      { status: 500, retryAfter: undefined },
      { reason: "http_500", retryAfterMs: 0, isGone: false }
    ],
    [{ status: 302, retryAfter: undefined }, { reason: "http_302" }],
    [
      { status: 410, retryAfter: undefined },
      { reason: "http_410", isGone: true }
    ],
    [
      { status: 429, retryAfter: "120" },
      { reason: "http_429", retryAfterMs: 120_000 }
    ],
    [
      { status: 503, retryAfter: "Thu, 01 Jan 1970 00:10:00 GMT" },
      { reason: "http_503", retryAfterMs: 300_000 }
    ],
    [
      { status: 503, retryAfter: "10000000000" },
      { reason: "http_503", retryAfterMs: 10_000_000_000_000 }
    ],
    [
      { status: 503, retryAfter: "soon" },
      { reason: "http_503", retryAfterMs: 0 }
    ],
    [new WebhookUnanswered({ reason: "timeout" }), { reason: "timeout" }]
  ])("that is answered by %o fails", async (answer, failure) => {
    const { sink } = await sinkOf(answer)
    const result = await at(300, Effect.result(sink.deliver(event)))
    expect(Result.isFailure(result) && result.failure).toBeInstanceOf(DeliveryFailed)
    expect(result).toMatchObject({ failure })
  })

  it("names its endpoint without what is in the address", async () => {
    const { sink } = await sinkOf({ status: 200, retryAfter: undefined })
    expect(sink.id).toMatch(/^webhook:hooks\.example#[\da-f]{8}$/)
  })

  it("is refused where it could not be sent safely, with every problem and no secret", async () => {
    const poster = { post: () => Effect.succeed({ status: 200, retryAfter: undefined }) }
    const bad = { url: "http://hooks.example/", secrets: [Redacted.make("hunter2")], events: [] }
    const error = await Effect.runPromise(Effect.flip(webhookSinks([bad], poster)))
    expect(error.problems.map((problem) => problem.split(":")[0])).toEqual([
      "webhooks[0].url",
      "webhooks[0].secret",
      "webhooks[0].events"
    ])
    expect(error.message).not.toContain("hunter2")
  })
})

describe("addresses of webhooks", () => {
  it.each(["https://a.example/x?y", "http://localhost:8080/", "http://127.0.0.1/", "http://[::1]:1/"])(
    "%s may be",
    (url) => expect(webhookUrlProblem(url)).toBeUndefined()
  )
  it.each([
    "http://a.example/",
    "ftp://a.example/",
    "https://me:secret@a.example/",
    "http://127.0.0.1.example/",
    "a",
    7
  ])("%s may not be", (url) => expect(webhookUrlProblem(url)).toBeDefined())
  it.each([
    ...["127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254"],
    ...["100.64.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1%eth0", "fd00::1", "::ffff:10.0.0.1"],
    ...["::ffff:7f00:1", "64:ff9b::127.0.0.1", "2002:7f00:1::", "2001:db8::1", "2001::1", "ff02::1", "name", "1.2.3"]
  ])("%s is private", (address) => expect(isPrivateAddress(address)).toBe(true))
  it.each([
    "8.8.8.8",
    "172.32.0.1",
    "100.128.0.1",
    "1.1.1.1",
    "2606:4700::1111",
    "2a00:1450:4001:81b::200e",
    "::ffff:8.8.8.8"
  ])("%s is the internet's", (address) => expect(isPrivateAddress(address)).toBe(false))
})
