import { afterAll, beforeAll, expect, it } from "vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { serveHere, type ServerHere } from "./processes/serveHere.ts"

const SECRET = "0x4AAAAAAA-turnstile-secret"
const folder = temporaryFolder()
const environment = {
  PARLEY_CONFIG: "parley.json",
  TURNSTILE_SITE_KEY: "0x4AAAAAAA-site",
  TURNSTILE_SECRET_KEY: SECRET
}
let server: ServerHere
let publicKey = ""

beforeAll(async () => {
  writeFileSync(join(folder.path, "parley.json"), JSON.stringify({ widget: { messagesBeforeChallenge: 1 } }))
  server = await serveHere(folder.path, environment)
  const made = await runHere(["bots", "create", "--owner", "ann@example.com", "--name", "Ada", "--json"], folder.path)
  publicKey = (JSON.parse(made.stdout) as { readonly publicKey: string }).publicKey
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const ask = () =>
  fetch(`${server.url}/api/widget/chat`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ publicKey, visitorId: "visitor-1", message: "May I?" })
  })

it("with the keys of Turnstile, a server asks for a challenge after the first messages, and its frame can show it", async () => {
  const first = await ask()
  expect([first.status, (await first.text()) !== ""]).toEqual([200, true])
  const second = await ask()
  expect(second.status).toBe(403)
  expect(await second.json()).toMatchObject({
    code: "visitor_challenge_required",
    challenge: { kind: "turnstile", siteKey: "0x4AAAAAAA-site" }
  })
  const frame = await fetch(`${server.url}/widget/${publicKey}`)
  const policy = (frame.headers.get("content-security-policy") ?? "").split("; ")
  expect(policy).toContain("script-src 'self' https://challenges.cloudflare.com")
  expect(policy).toContain("frame-src https://challenges.cloudflare.com")
  expect(await frame.text()).not.toContain(SECRET)
})

it("doctor says whether visitors are asked for a challenge, without the secret", async () => {
  const { stdout } = await runHere(["doctor"], folder.path, environment)
  expect(stdout).toMatch(/visitors\s+Turnstile; messages an hour without it: 1/)
  expect(stdout).not.toContain(SECRET)
})
