import { visitorChallengeContract } from "@parley/core/testing"
import { Effect, Redacted } from "effect"
import { afterAll, expect, it } from "vitest"
import { TurnstileChallenge } from "../../src/index.ts"
import { OUTAGE_NAMES, SiteVerify } from "./SiteVerify.ts"

const SECRET = "0x4AAAAAAA-turnstile-secret"
const servers: Array<SiteVerify> = []
afterAll(() => Promise.all(servers.map((server) => server[Symbol.asyncDispose]())))

const staged = async () => {
  const server = await SiteVerify.start(SECRET)
  servers.push(server)
  const secretKey = Redacted.make(SECRET)
  // A late response is late after a short limit; other ones have as long as a busy machine needs.
  const challenge = (timeoutMs: number) =>
    TurnstileChallenge({ siteKey: "1x00000000000000000000AA", secretKey, verifyUrl: server.url, timeoutMs })
  return { server, challenge }
}

visitorChallengeContract("Turnstile", {
  outages: OUTAGE_NAMES,
  stage: async () => {
    const { challenge, server } = await staged()
    const [patient, hasty] = [challenge(60_000), challenge(100)]
    return {
      challenge: {
        ...patient,
        verify: (answer) => (server.outage === "it does not answer" ? hasty : patient).verify(answer)
      },
      secret: SECRET,
      solve: () => server.solve(),
      breakDown: (outage) => {
        server.outage = outage
      }
    }
  }
})

it("asks as Cloudflare's reference says: a form with the secret, the token and the visitor's address", async () => {
  const { challenge, server } = await staged()
  const token = server.solve()
  await Effect.runPromise(challenge(60_000).verify({ token, address: "2001:db8::1" }))
  const [request] = server.requests
  expect(request?.head).toMatch(/^POST \/turnstile\/v0\/siteverify HTTP\/1\.1/)
  expect(request?.head).toMatch(/content-type: application\/x-www-form-urlencoded/i)
  expect(Object.fromEntries(request?.form ?? [])).toEqual({ secret: SECRET, response: token, remoteip: "2001:db8::1" })
})

it("sends no request for a text that no challenge returns", async () => {
  const { challenge, server } = await staged()
  for (const token of ["", "   ", "x".repeat(2_049)]) {
    expect(await Effect.runPromise(challenge(60_000).verify({ token, address: undefined }))).toBe(false)
  }
  expect(server.requests).toEqual([])
})

it("never prints its secret", async () => {
  const { challenge } = await staged()
  expect(JSON.stringify(challenge(1_000))).not.toContain(SECRET)
})
