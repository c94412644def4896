import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { cookieFor, startServer, type TestServer } from "../support/startServer.ts"

const NAME = "sb-abcdefghijklmnop-auth-token"
/** As `createChunks` of `@supabase/ssr` cuts. */
const CHUNK_LENGTH = 3_180

interface StoredSession {
  readonly access_token?: unknown
  readonly user?: unknown
}

const encoded = (session: unknown) => `base64-${Buffer.from(JSON.stringify(session)).toString("base64url")}`

/** The cookies in which `@supabase/ssr` keeps a session, as a browser sends them. */
const chunksOf = (session: StoredSession, name = NAME): ReadonlyArray<string> => {
  const value = encoded(session)
  if (value.length <= CHUNK_LENGTH) return [`${name}=${value}`]
  const count = Math.ceil(value.length / CHUNK_LENGTH)
  return Array.from(
    { length: count },
    (_, index) => `${name}.${index}=${value.slice(index * CHUNK_LENGTH, (index + 1) * CHUNK_LENGTH)}`
  )
}

interface TokenOptions {
  readonly length?: number
  readonly expiresAt?: string
}

/** A token with claims as long as those of real providers. */
const tokenOf = async (user: string, { length = 0, expiresAt = "1h" }: TokenOptions = {}) =>
  (await cookieFor(user, { expiresAt, claims: { user_metadata: "x".repeat(length) } })).slice("parley_session=".length)

/** A session in the library's form; `bytes` is the size of its data about the person. */
const sessionOf = async (
  user: string,
  { bytes = 3_000, ...token }: TokenOptions & { readonly bytes?: number } = {}
): Promise<StoredSession> => ({
  access_token: await tokenOf(user, token),
  user: { email: `${user}@example.com`, about: "ä".repeat(bytes / 2) }
})

let http: TestServer
let https: TestServer
let preset: TestServer
beforeAll(async () => {
  const baseUrl = "https://parley.example"
  ;[http, https, preset] = await Promise.all([
    startServer({ app: { sessionCookie: NAME } }),
    startServer({ app: { sessionCookie: NAME, baseUrl } }),
    startServer({ app: { sessionCookie: NAME, baseUrl, sessionPreset: "supabase" } })
  ])
})
afterAll(() => Promise.all([http.close(), https.close(), preset.close()]))

/** The user id that a server sees behind cookies, or the status of its refusal. */
const seenBy = async (server: TestServer, cookies: ReadonlyArray<string>): Promise<string | number> => {
  const answer = await server.fetch("/api/me", { headers: { cookie: cookies.join("; ") } })
  return answer.status === 200 ? ((await answer.json()) as { userId: string }).userId : answer.status
}

describe("a session that Supabase's library keeps", () => {
  test("is read from one cookie, or from its chunks in any order", async () => {
    const short = chunksOf(await sessionOf("ann", { bytes: 100 }))
    const long = chunksOf(await sessionOf("ann", { bytes: 8_000 }))
    expect([short.length, long.length]).toEqual([1, 4])
    for (const server of [http, preset]) {
      for (const cookies of [short, long, long.toReversed(), ["a=b", ...long, "c=d"]]) {
        expect(await seenBy(server, cookies)).toBe("ann")
      }
    }
  })

  test("is read where the token itself is longer than a chunk", async () => {
    const cookies = chunksOf(await sessionOf("ann", { length: 4_000 }))
    expect(cookies.length).toBeGreaterThan(2)
    expect(await seenBy(preset, cookies)).toBe("ann")
  })

  test("counts over https under the library's own name with its preset alone, else with __Host-", async () => {
    const session = await sessionOf("ann")
    expect(await seenBy(https, chunksOf(session))).toBe(401)
    expect(await seenBy(https, chunksOf(session, `__Host-${NAME}`))).toBe("ann")
    expect(await seenBy(preset, chunksOf(session, `__Host-${NAME}`))).toBe(401)
    expect(await seenBy(preset, [`${NAME}=${await tokenOf("ann")}`])).toBe("ann")
    expect(await seenBy(preset, [await cookieFor("ann")])).toBe(401)
  })

  test("is none where a chunk is missing, changed, or of another session", async () => {
    const chunks = chunksOf(await sessionOf("ann", { bytes: 8_000 }))
    const others = chunksOf(await sessionOf("eve", { bytes: 7_000 }))
    for (const index of chunks.keys()) expect(await seenBy(preset, chunks.toSpliced(index, 1))).toBe(401)
    expect(await seenBy(preset, chunks.with(0, others[0] ?? ""))).not.toBe("ann")
    const [first = "", ...rest] = chunks
    for (const changed of [
      first.replace("base64-", ""),
      first.replace("base64-", "base32-"),

      `${first}A`
    ]) {
      expect(await seenBy(preset, [changed, ...rest])).toBe(401)
    }
  })

  test.each<readonly [string, unknown]>([
    ["no object", 7],
    ["null", null],
    ["a list, as older libraries kept it", ["token", "refresh"]],
    ["an object without a token", { user: "ann" }],
    ["a token that is none", { access_token: { sub: "ann" } }],
    ["an empty token", { access_token: "" }],
    ["a token within itself", { access_token: encoded({ access_token: "x" }) }]
  ])("is none where it is %s", async (_, session) => {
    expect(await seenBy(preset, [`${NAME}=${encoded(session)}`])).toBe(401)
  })

  test("is none where it is no JSON, or JSON in no encoding", async () => {
    const token = await tokenOf("ann")
    for (const value of ["base64-", "base64-AAAA", `base64-${token}`, encodeURIComponent(JSON.stringify({ token }))]) {
      expect(await seenBy(preset, [`${NAME}=${value}`])).toBe(401)
    }
  })

  test("is refused beside another valid one, and stands beside an expired one", async () => {
    const [ann, eve, old] = await Promise.all([
      sessionOf("ann"),
      sessionOf("eve"),
      sessionOf("ann", { expiresAt: "-1h" })
    ])
    const both = [...chunksOf(ann), ...chunksOf(eve)]
    expect(both).toHaveLength(4)
    expect(await seenBy(preset, both)).toBe(401)
    expect(await seenBy(preset, both.toReversed())).toBe(401)
    expect(await seenBy(preset, [`${NAME}=${await tokenOf("eve")}`, ...chunksOf(ann)])).toBe(401)
    expect(await seenBy(preset, [...chunksOf(old), ...chunksOf(ann)])).toBe("ann")
    expect(await seenBy(preset, [...chunksOf(ann), ...chunksOf(old)])).toBe("ann")
    expect(await seenBy(preset, [...chunksOf(ann), ...chunksOf(ann)])).toBe("ann")
  })

  test("is refused where more can be put together than a browser has, at no cost", async () => {
    const chunks = Array.from({ length: 10 }, (_, index) => [`${NAME}.${index}=a`, `${NAME}.${index}=b`]).flat()
    const began = process.cpuUsage()
    expect(await seenBy(preset, chunks)).toBe(401)
    expect(process.cpuUsage(began).user).toBeLessThan(1_000_000)
    expect(await seenBy(preset, [...chunksOf(await sessionOf("ann", { bytes: 100 })), ...chunks])).toBe(401)
  })

  test("is ended by signing out: each of its cookies is emptied, and its token refused", async () => {
    const cookies = chunksOf(await sessionOf("ann", { bytes: 5_000 }))
    const out = await preset.fetch("/api/sign-out", { method: "POST", headers: { cookie: cookies.join("; ") } })
    expect(out.status).toBe(200)
    const names = cookies.map((cookie) => cookie.split("=")[0])
    expect(out.headers.getSetCookie().map((cookie) => cookie.split("=")[0])).toEqual(names)
    for (const cookie of out.headers.getSetCookie()) {
      expect(cookie).toMatch(/^sb-abcdefghijklmnop-auth-token\.\d=; Max-Age=0; Path=\/; .*Secure/)
    }
    expect(await seenBy(preset, cookies)).toBe(401)
  })
})
