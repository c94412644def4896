import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { codeOf, linkOf, type SmtpStandIn, startSmtp, textOf } from "../../../test/support/smtpStandIn.ts"
import type { Environment } from "../src/config/EnvironmentReader.ts"
import { readConfig } from "../src/config/readConfig.ts"
import { serveRefusals } from "../src/config/rules/serveRules.ts"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { serveHere, type ServerHere } from "./processes/serveHere.ts"

const FROM = "Parley <sign-in@parley.example>"

/** A browser without scripts: it keeps cookies, sends forms, and shows where it was led. */
class Browser {
  readonly cookies = new Map<string, string>()
  readonly #url: string
  constructor(url: string) {
    this.#url = url
  }

  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const headers = { cookie, "sec-fetch-site": "same-origin", ...(init.headers as Record<string, string>) }
    const response = await fetch(new URL(path, this.#url), { ...init, headers, redirect: "manual" })
    for (const each of response.headers.getSetCookie()) {
      const [name = "", value = ""] = each.split(";")[0]?.split("=") ?? []
      if (value === "") this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }

  form(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    return this.send(path, { method: "POST", body: new URLSearchParams(fields), headers })
  }

  async me(): Promise<{ readonly userId: string; readonly email: string } | null> {
    const { me } = (await (await this.send("/api/session")).json()) as { me: { userId: string; email: string } | null }
    return me
  }
}

/** The claims of a session, unverified. */
const decodeJwt = (token = ""): Record<string, unknown> & { readonly iat?: number; readonly exp?: number } =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"))

const leadsTo = (response: Response) => [response.status, response.headers.get("location")]

let smtp: SmtpStandIn
let server: ServerHere
const folder = temporaryFolder()
const run = (...argv: ReadonlyArray<string>) =>
  runHere(argv, folder.path, { PARLEY_SMTP_URL: smtp.url, PARLEY_SMTP_FROM: FROM })

beforeAll(async () => {
  smtp = await startSmtp()
  server = await serveHere(folder.path, { PARLEY_SMTP_URL: smtp.url, PARLEY_SMTP_FROM: FROM })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await smtp.stop()
  folder[Symbol.dispose]()
})

/** Asks for a mail; returns it once it is there. All mails to this address that were asked for before have arrived. */
const ask = async (browser: Browser, email: string, headers: Record<string, string> = {}) => {
  const address = email.toLowerCase()
  const count = smtp.mails.filter(({ to }) => to.includes(address)).length
  const response = await browser.form("/sign-in", { email }, headers)
  expect(leadsTo(response)).toEqual([303, "/sign-in?step=code"])
  return smtp.mailTo(address, count + 1)
}

const signIn = async (email: string) => {
  const browser = new Browser(server.url)
  const mail = await ask(browser, email)
  expect(leadsTo(await browser.form("/sign-in/code", { code: codeOf(mail) }))).toEqual([303, "/"])
  return browser
}

describe("a sign-in by e-mail", () => {
  it("leads by the link of the mail to a session of this server, which signs out as any other", async () => {
    const browser = new Browser(server.url)
    const settings = (await (await browser.send("/dashboard.json")).json()) as { signIn: unknown }
    expect(settings.signIn).toEqual({ kind: "elsewhere", url: "/sign-in", signOutUrl: "/" })
    const mail = await ask(browser, "Ann@Example.org")
    expect(mail).toMatchObject({ from: "sign-in@parley.example", to: ["ann@example.org"] })
    expect(linkOf(mail)).toBe(`${server.url}/sign-in?code=${codeOf(mail)}`)
    const page = await (await browser.send(linkOf(mail))).text()
    expect(page).toContain(`name="code" value="${codeOf(mail)}"`)
    const answer = await browser.form("/sign-in/code", { code: codeOf(mail) })
    expect(leadsTo(answer)).toEqual([303, "/"])
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^parley_session=[^;]+; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^parley_sign_in=; Max-Age=0;/)
    ])
    const me = await browser.me()
    expect(me).toMatchObject({ email: "ann@example.org" })
    const claims = decodeJwt(browser.cookies.get("parley_session") ?? "")
    expect(claims).toMatchObject({ sub: me?.userId, aud: "parley", auth_time: claims.iat })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(86_400)
    expect((await browser.form("/api/sign-out", {})).status).toBe(200)
    expect(await browser.me()).toBeNull()
    expect((await (await signIn("ann@example.org")).me())?.userId).toBe(me?.userId)
  })

  it("ends the session that the browser had before, also in a copy of its token, and no other", async () => {
    const browser = await signIn("twice@example.org")
    const elsewhere = await signIn("twice@example.org")
    const copy = new Browser(server.url)
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
    expect(await copy.me()).toMatchObject({ email: "twice@example.org" })
    const mail = await ask(browser, "twice@example.org")
    expect(leadsTo(await browser.form("/sign-in/code", { code: codeOf(mail) }))).toEqual([303, "/"])
    expect(await copy.me()).toBeNull()
    for (const other of [browser, elsewhere]) expect(await other.me()).toMatchObject({ email: "twice@example.org" })
  })

  it("answers known, unknown and blocked people alike", async () => {
    const known = await (await signIn("known@example.org")).me()
    const blocked = await (await signIn("blocked@example.org")).me()
    expect((await run("users", "block", blocked?.userId ?? "")).exit).toBe(0)
    const answers = []
    for (const email of ["known@example.org", "blocked@example.org", "nobody@example.org"]) {
      const browser = new Browser(server.url)
      const response = await browser.form("/sign-in", { email })
      await smtp.mailTo(email, email.startsWith("nobody") ? 1 : 2)
      const headers = Object.fromEntries(response.headers)
      const cookie = headers["set-cookie"]?.replace(/=[\w-]{43};/, "=SECRET;")
      const varying = { date: "", "x-request-id": "", "set-cookie": cookie }
      answers.push({ status: response.status, headers: { ...headers, ...varying }, body: await response.text() })
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
    const last = new Browser(server.url)
    const mail = await ask(last, "blocked@example.org")
    expect(leadsTo(await last.form("/sign-in/code", { code: codeOf(mail) }))).toEqual([303, "/sign-in?problem=blocked"])
    expect(last.cookies.has("parley_session")).toBe(false)
    expect((await run("users", "find", "known@example.org")).stdout).toContain(known?.userId)
  })

  it("opening the link changes nothing, in any browser", async () => {
    const browser = new Browser(server.url)
    const mail = await ask(browser, "scanned@example.org")
    for (let visit = 0; visit < 10; visit++) {
      const scanner = new Browser(server.url)
      const response = await scanner.send(linkOf(mail), { headers: { "sec-fetch-site": "cross-site" } })
      expect([response.status, response.headers.getSetCookie()]).toEqual([200, []])
      expect(await response.text()).toContain(`<p class="code">${codeOf(mail)}</p>`)
      await (await browser.send(linkOf(mail))).text()
    }
    expect(leadsTo(await browser.form("/sign-in/code", { code: codeOf(mail) }))).toEqual([303, "/"])
  })

  it("counts once of two concurrent requests, and in the browser that asked only", async () => {
    const browser = new Browser(server.url)
    const mail = await ask(browser, "race@example.org")
    const other = new Browser(server.url)
    await ask(other, "eve@example.org")
    const refused = [303, "/sign-in?step=code&problem=code"]
    expect(leadsTo(await other.form("/sign-in/code", { code: codeOf(mail) }))).toEqual(refused)
    expect(leadsTo(await new Browser(server.url).form("/sign-in/code", { code: codeOf(mail) }))).toEqual(refused)
    const both = await Promise.all([1, 2].map(() => browser.form("/sign-in/code", { code: codeOf(mail) })))
    expect(both.map((response) => response.headers.get("location")).toSorted()).toEqual(["/", refused[1]])
  })

  it("refuses other sites, changed codes and changed sessions", async () => {
    const browser = new Browser(server.url)
    const mail = await ask(browser, "site@example.org")
    const code = codeOf(mail)
    const changed = code.replace(/.$/, (last) => (last === "2" ? "3" : "2"))
    const tried = await browser.form("/sign-in/code", { code: changed })
    expect(leadsTo(tried)).toEqual([303, "/sign-in?step=code&problem=code"])
    for (const path of ["/sign-in", "/sign-in/code"]) {
      const response = await browser.form(path, { code, email: "x@example.org" }, { "sec-fetch-site": "cross-site" })
      expect(response.status).toBe(403)
    }
    await browser.form("/sign-in/code", { code })
    const [head = "", claims = "", signature = ""] = (browser.cookies.get("parley_session") ?? "").split(".")
    const forged = { ...decodeJwt(`${head}.${claims}.${signature}`), sub: "somebody" }
    const token = `${head}.${Buffer.from(JSON.stringify(forged)).toString("base64url")}.${signature}`
    browser.cookies.set("parley_session", token)
    expect(await browser.me()).toBeNull()
  })

  it("sends no mail to a text with more than one address or header, nor to one that is too long", async () => {
    const before = smtp.mails.length
    for (const email of [
      "",
      "ann",
      "ann@example.org\r\nBcc: eve@example.org",
      "ann@example.org, eve@example.org",
      `${"a".repeat(300)}@example.org`
    ]) {
      const response = await new Browser(server.url).form("/sign-in", { email })
      expect(leadsTo(response)).toEqual([303, "/sign-in?problem=email"])
    }
    const long = await new Browser(server.url).form("/sign-in", { email: "a".repeat(20_000) })
    expect(long.status).toBe(413)
    await ask(new Browser(server.url), "last@example.org")
    expect(smtp.mails.slice(before).map(({ to }) => to)).toEqual([["last@example.org"]])
  })

  it("has its page and its mail in the language of the browser, without scripts", async () => {
    const browser = new Browser(server.url)
    const german = { "accept-language": "fr;q=0.9, de-CH;q=0.8, en;q=0.2" }
    const page = await browser.send("/sign-in", { headers: german })
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-/)
    expect(page.headers.get("content-security-policy")).toContain(
      "; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    expect(page.headers.get("permissions-policy")).toContain("camera=()")
    expect(page.headers.get("cache-control")).toBe("no-store")
    const html = await page.text()
    expect(html).toContain('<html lang="de">')
    expect(html).toContain("E-Mail-Adresse")
    expect(html).not.toContain("<script")
    expect(textOf(await ask(browser, "ünï+tag@example.org", german))).toContain("Öffnen Sie diesen Link")
    expect(await (await browser.send("/sign-in?code=%3Cscript%3E&problem=%3Cb%3E&step=x")).text()).toContain(
      "Send the mail"
    )
  })

  it("is exported with the person, and erased", async () => {
    const browser = await signIn("leaving@example.org")
    const { userId = "" } = (await browser.me()) ?? {}
    const exported = await run("users", "export", userId)
    expect(exported.stdout).toContain('"kind":"sign_in","data":{"email":"leaving@example.org"')
    expect((await run("users", "delete", userId)).exit).toBe(0)
    // 401 or null, depending on the age of the server's list of ended sessions.
    expect(await (await browser.send("/api/session")).text()).not.toContain(userId)
    expect((await run("users", "find", "leaving@example.org")).stdout).not.toContain(userId)
  })

  it("keeps its secret for itself", async () => {
    await signIn("quiet@example.org")
    const key = join(folder.path, ".parley", "session.key")
    expect(readFileSync(key, "utf8").trim()).toHaveLength(44)
    expect(statSync(key).mode & 0o777).toBe(0o600)
  })

  it("is reported by doctor with the state of the mail server", async () => {
    const { stdout } = await run("doctor", "--json")
    expect(stdout).toContain("the mail server accepts the login")
  })
})

describe("a mail server that is down", () => {
  it("changes no answer, and is in the log and in doctor", async () => {
    using own = temporaryFolder()
    const log = vi.spyOn(console, "error").mockReturnValue(undefined)
    onTestFinished(() => log.mockRestore())
    const refusing = await startSmtp("refusing")
    const settings = { PARLEY_SMTP_URL: refusing.url, PARLEY_SMTP_FROM: FROM }
    await using down = await serveHere(own.path, settings)
    const response = await new Browser(down.url).form("/sign-in", { email: "ann@example.org" })
    expect(leadsTo(response)).toEqual([303, "/sign-in?step=code"])
    await vi.waitFor(() => expect(String(log.mock.calls)).toContain("A sign-in mail was not sent."))
    expect(String(log.mock.calls)).not.toMatch(/secret-detail|ann@example/)
    await refusing.stop()
    const doctor = await runHere(["doctor"], own.path, settings)
    expect([doctor.exit, doctor.stdout]).toEqual([69, expect.stringContaining("unreachable")])
  })
})

describe("the settings of the sign-in by e-mail", () => {
  const read = (environment: Environment) => Effect.runPromise(readConfig(environment, "/srv/parley"))
  const problemsOf = async (environment: Environment) =>
    (await Effect.runPromise(Effect.flip(readConfig(environment, "/srv/parley")))).problems
  const mail = { PARLEY_SMTP_URL: "smtps://u:hunter2@mail.example", PARLEY_SMTP_FROM: FROM }
  const production = { ...mail, NODE_ENV: "production", OPENAI_API_KEY: "k", HOST: "0.0.0.0" }
  const namesOf = async (environment: Environment) =>
    serveRefusals(await read(environment)).map((refusal) => refusal.split(":")[0])

  it("stand for an identity provider in production, with an https address and no further setting", async () => {
    expect(await namesOf({ ...production, PARLEY_BASE_URL: "https://chat.example" })).toEqual([])
    expect(await namesOf(production)).toEqual(["PARLEY_BASE_URL"])
    expect(await namesOf({ ...production, PARLEY_BASE_URL: "http://chat.example" })).toEqual(["PARLEY_BASE_URL"])
    const shared = {
      ...production,
      PARLEY_BASE_URL: "https://chat.example",
      DATABASE_URL: "postgres://localhost/parley"
    }
    expect(await namesOf(shared)).toEqual(["PARLEY_SESSION_SECRET"])
    expect(await namesOf({ ...shared, PARLEY_SESSION_SECRET: "Zq8vT3mLw5Xs9RbN2hJc7KdP4gYf6AtE" })).toEqual([])
    expect(await namesOf({ ...shared, PARLEY_SESSION_SECRET: "short" })).toEqual(["PARLEY_SESSION_SECRET"])
  })

  it("do not replace an identity provider that is set", async () => {
    const issuer = { ...mail, PARLEY_SESSION_ISSUER: "https://id.example.com" }
    expect((await read(issuer)).session.proof).toMatchObject({ _tag: "Keys" })
    expect((await read(mail)).session.proof).toEqual({ _tag: "Own", secrets: [] })
  })

  it("never print mails where others could reach the server", async () => {
    expect(await namesOf({ PARLEY_SMTP_URL: "log:" })).toEqual([])
    expect(await namesOf({ PARLEY_SMTP_URL: "log:", HOST: "0.0.0.0" })).toEqual(["PARLEY_SMTP_URL", "PARLEY_BASE_URL"])
  })

  it("are reported together, without their values", async () => {
    const problems = await problemsOf({ PARLEY_SMTP_URL: "http://u:hunter2@mail.example", PARLEY_SMTP_FROM: "hunter2" })
    expect(problems.map((problem) => problem.split(":")[0])).toEqual(["PARLEY_SMTP_URL", "PARLEY_SMTP_FROM"])
    expect(problems.join()).not.toContain("hunter2")
    expect(await problemsOf({ PARLEY_SMTP_URL: mail.PARLEY_SMTP_URL })).toEqual([
      expect.stringMatching(/^PARLEY_SMTP_FROM: expected an address/)
    ])
  })

  it("let a developer read the mails in the output of the server", async () => {
    using own = temporaryFolder()
    const output = vi.spyOn(console, "log").mockReturnValue(undefined)
    onTestFinished(() => output.mockRestore())
    await using here = await serveHere(own.path, { PARLEY_SMTP_URL: "log:" })
    const browser = new Browser(here.url)
    await browser.form("/sign-in", { email: "dev@example.org" })
    await vi.waitFor(() => expect(String(output.mock.calls)).toContain("A mail to dev@example.org"))
    const code = /[?]code=([0-9A-Z-]{9})/.exec(String(output.mock.calls))?.[1] ?? ""
    await browser.form("/sign-in/code", { code })
    expect(await browser.me()).toMatchObject({ email: "dev@example.org" })
  })
})
