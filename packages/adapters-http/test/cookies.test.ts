import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { cookiePairs } from "../src/sessions/cookies.ts"
import { openRaw } from "./support/openRaw.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"

const NAME = "__Host-parley_session"
const VICTIM = "victim"
const ATTACKER = "attacker"

let server: TestServer
let victim: string
let attacker: string
beforeAll(async () => {
  server = await startServer({ app: { baseUrl: "https://parley.example" } })
  const tokenOf = async (user: string) => (await cookieFor(user)).slice("parley_session=".length)
  ;[victim, attacker] = await Promise.all([tokenOf(VICTIM), tokenOf(ATTACKER)])
  await server.parley.credits.balance(VICTIM)
  await server.parley.credits.balance(ATTACKER)
  await server.parley.credits.grant({ userId: VICTIM, amount: 1, key: "victim" })
  await server.parley.credits.grant({ userId: ATTACKER, amount: 2, key: "attacker" })
})
afterAll(() => server.close())

const names: Readonly<Record<string, string>> = { "101": VICTIM, "102": ATTACKER }

/** The person that the server sees behind these lines of Cookie headers, sent byte by byte. */
const seenBehind = async (...lines: ReadonlyArray<string>): Promise<string> => {
  const raw = await openRaw(server.port)
  const head = ["GET /api/billing/balance HTTP/1.1", "Host: parley.example", "Connection: close"]
  raw.socket.write(`${[...head, ...lines.map((line) => `Cookie: ${line}`)].join("\r\n")}\r\n\r\n`, "latin1")
  await raw.closed
  const status = raw.received().slice(9, 12)
  const available = /"available":(\d+)/.exec(raw.received())?.[1] ?? ""
  return status === "200" ? (names[available] ?? available) : status
}

describe("a cookie that a sibling domain can plant", () => {
  const utf8 = (text: string) => Buffer.from(text).toString("latin1")
  test.each<readonly [string, string, string]>([
    ["U+00A0 before the name", `\xa0${NAME}`, ""],
    ["U+00A0 after the name", `${NAME}\xa0`, ""],
    ["several of them", `\xa0\xa0 ${NAME}`, ""],
    ["U+00A0 in UTF-8", `${utf8("\u00a0")}${NAME}`, ""],
    ["a byte order mark", `${utf8("\ufeff")}${NAME}`, ""],
    ["an ideographic space", `${utf8("\u3000")}${NAME}`, ""],
    ["a line separator", `${utf8("\u2028")}${NAME}`, ""],
    ["NEL", `\x85${NAME}`, ""],
    ["a quote before the name", `"${NAME}`, ""],
    ["a quoted name", `"${NAME}"`, ""],
    ["another case", "__host-parley_session", ""],
    ["__Secure-", "__Secure-parley_session", ""],
    ["the plain name", "parley_session", ""],
    ["a percent-encoded name", "%5F%5FHost-parley_session", ""],
    ["a blank within", "__Host- parley_session", ""],
    ["a blank before the equals sign", `${NAME} `, ""],
    ["no name, and the name within the value", "", `${NAME}=`],
    ["a name that ends with it", `x${NAME}`, ""],
    ["a comma, which separated cookies once", `a=b, ${NAME}`, ""],
    ["a quoted value with the pair within", 'a="b', `, ${NAME}=`]
  ])("neither counts nor hides the real one: %s", async (_, name, within) => {
    const planted = `${name}=${within}${attacker}`
    expect(await seenBehind(`${planted}; ${NAME}=${victim}`)).toBe(VICTIM)
    expect(await seenBehind(`${NAME}=${victim}; ${planted}`)).toBe(VICTIM)
    expect(await seenBehind(planted)).toBe("401")
    expect(await seenBehind(planted, `${NAME}=${victim}`)).toBe(VICTIM)
  })
})

describe("several cookies of the session's name", () => {
  const one = () => `${NAME}=${victim}`
  const other = () => `${NAME}=${attacker}`

  test("that are valid and differ are refused, in any order, on any line", async () => {
    expect(await seenBehind(`${one()}; ${other()}`)).toBe("401")
    expect(await seenBehind(`${other()}; ${one()}`)).toBe("401")
    expect(await seenBehind(one(), other())).toBe("401")
    expect(await seenBehind(`${one()}; ${one()}; ${other()}`)).toBe("401")
  })

  test("that are the same are one", async () => {
    expect(await seenBehind(Array.from({ length: 9 }, one).join("; "))).toBe(VICTIM)
    expect(await seenBehind(`${one()}; ${NAME}="${victim}"`)).toBe(VICTIM)
  })

  test("of which one is valid prove that one, wherever it stands", async () => {
    const expired = (await cookieFor(ATTACKER, { expiresAt: "-1h" })).replace("parley_session", NAME)
    for (const header of [`${expired}; ${one()}`, `${one()}; ${expired}`, `${NAME}=noise; ${NAME}=; ${one()}`]) {
      expect(await seenBehind(header)).toBe(VICTIM)
    }
  })

  test("that are more than a browser has are refused, so that none can hide behind them", async () => {
    const noise = Array.from({ length: 4 }, (_, index) => `${NAME}=noise${index}`)
    expect(await seenBehind([...noise, one()].join("; "))).toBe("401")
    expect(await seenBehind([one(), ...noise].join("; "))).toBe("401")
  })

  test("are cut at semicolons, spaces and tabs, as browsers and proxies join them", async () => {
    for (const header of [`a=b; ${one()}`, `a=b;${one()}`, `a=b ;\t ${one()} \t; c`, `; ;=;${one()};`]) {
      expect(await seenBehind(header)).toBe(VICTIM)
    }
  })
})

describe("reading a Cookie header", () => {
  /** The letter of RFC 6265, section 4.2.1, with the optional blanks of RFC 9110 around a pair; written as one pattern. */
  const STRICT =
    /(?:^|;)[ \t]*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=("?)([\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*)\2[ \t]*(?=;|$)/g
  const strictly = (header: string) =>
    [...header.matchAll(STRICT)].map(([, name = "", , value = ""]) => ({ name, value }))

  const piece = fc.constantFrom(
    ...[
      ";",
      "; ",
      "=",
      " ",
      "\t",
      "\xa0",
      "\x85",
      "\ufeff",
      "\u3000",
      '"',
      ",",
      "\\",
      "\v",
      "\f",
      "\0",
      "é",
      "$",
      "%3B"
    ],
    ...[NAME, "parley_session", "__Host-", "a", "b=c", `${NAME}=x`, `\xa0${NAME}=x`, `${NAME}\xa0=x`]
  )
  const hostile = fc.array(fc.oneof({ weight: 6, arbitrary: piece }, fc.string({ unit: "binary", maxLength: 3 })), {
    maxLength: 24
  })

  test("gives no name and no value that a strict reading of RFC 6265 does not, and misses none", () => {
    fc.assert(
      fc.property(hostile, (pieces) => {
        const header = pieces.join("")
        expect(cookiePairs(header)).toEqual(strictly(header))
      }),
      { numRuns: 5_000, examples: [[[`\xa0${NAME}=x; ${NAME}=y`]], [[`${NAME}=x ; \t${NAME}="y"\t`]]] }
    )
  })

  test("is linear: the longest header that is taken costs next to nothing", () => {
    for (const part of [" ", "\t;", "=", '"', `${NAME}=`, "a= ", "\xa0"]) {
      const header = part.repeat(Math.ceil(1_000_000 / part.length))
      const began = process.threadCpuUsage()
      cookiePairs(header)
      // A fraction of a second; with each part looked at from the header's beginning, many minutes.
      expect(process.threadCpuUsage(began).user / 1_000).toBeLessThan(20_000)
    }
  })
})
