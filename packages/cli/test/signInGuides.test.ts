import { parseEnv } from "node:util"
import { Effect, Exit, Scope } from "effect"
import { describe, expect, it } from "vitest"
import {
  changed,
  type ProviderFixture,
  providerFixtures,
  type TokenFacts
} from "../../../test/support/providerTokens.ts"
import { codeOf, headerOf, linkOf, startSmtp } from "../../../test/support/smtpStandIn.ts"
import { type CodeBlock, codeBlocks, moduleName, withProject } from "../../../tooling/docs/codeBlocks.ts"
import { KeyServer, makeKey, signWithSecret } from "../../adapters-http/test/support/KeyServer.ts"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { readConfig } from "../src/config/readConfig.ts"
import { serveRefusals } from "../src/config/rules/serveRules.ts"
import { openHttp } from "../src/server/openHttp.ts"
import { openParts } from "../src/server/openParts.ts"

const SECRET = "Zq8vT3mLw5Xs9RbN2hJc7KdP4gYf6AtE"
const PRODUCTION = { NODE_ENV: "production", PARLEY_ALLOW_STAND_INS: "1", PORT: "0", LOG_LEVEL: "error" }
const blocks = codeBlocks()
const blocksOf = (guide: string, language: string): ReadonlyArray<CodeBlock> =>
  blocks.filter((block) => block.path === `docs/guides/sign-in-${guide}.md` && block.language === language)

/** The settings that a guide writes, in the order of its blocks. */
const settingsOf = (guide: string): Readonly<Record<string, string>> =>
  Object.assign({}, ...blocksOf(guide, "ini").map(({ text }) => parseEnv(text))) as Record<string, string>

/** The program of a guide that makes a cookie. */
const cookieProgram = <Made>(guide: string): Promise<Made> => {
  const programs = blocksOf(guide, "ts")
  return withProject(programs, async (project) => {
    const [program] = programs
    if (program === undefined) throw new Error(`The guide ${guide} has no program.`)
    const made: unknown = await import(pathToFileURL(join(dirname(project), moduleName(program))).href)
    return (made as { readonly sessionCookie: Made }).sessionCookie
  })
}

const pairOf = (setCookie: string): string => setCookie.split(";")[0] ?? ""

/** The person that a server sees behind cookies, or the status of its refusal. */
const seenBy = async (url: string, cookies: ReadonlyArray<string>): Promise<unknown> => {
  const answer = await fetch(`${url}/api/me`, { headers: { cookie: cookies.join("; ") } })
  return answer.status === 200 ? await answer.json() : answer.status
}

/** Serves a configuration as production does, or fails with the reasons against it. Its own address is of https. */
const serveInProduction = async (folder: string, environment: Readonly<Record<string, string>>) => {
  const scope = Effect.runSync(Scope.make())
  const opened = Effect.gen(function* () {
    const config = yield* readConfig({ ...environment, ...PRODUCTION }, folder, serveRefusals)
    return yield* openHttp(config, yield* openParts(config))
  })
  const { port } = await Effect.runPromise(Scope.provide(opened, scope))
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** A guide's settings with the provider's stand-in for the provider. */
const standingIn = async (guide: string, fixture: ProviderFixture) => {
  const { PARLEY_SESSION_ISSUER: named = "", PARLEY_SESSION_SECRET: secret, ...settings } = settingsOf(guide)
  const isSecret = fixture.algorithm === "HS256"
  const key = await makeKey(isSecret ? "RS256" : fixture.algorithm)
  const provider = await KeyServer.start(key)
  const issuer = named.replace(new URL(named).origin, provider.issuer)
  provider.description = { issuer }
  const sign = ({ claims, header }: TokenFacts): Promise<string> =>
    isSecret ? signWithSecret(new TextEncoder().encode(SECRET), claims, header) : key.sign(claims, header)
  const proof = isSecret && secret !== undefined ? { PARLEY_SESSION_SECRET: SECRET } : {}
  return { provider, issuer, sign, environment: { ...settings, ...proof, PARLEY_SESSION_ISSUER: issuer } }
}

describe("the guide, followed from an empty folder into production,", () => {
  it.each<readonly [string, string]>([
    ["supabase", "Supabase, with keys"],
    ["supabase", "Supabase, with a secret"],
    ["auth0", "Auth0"],
    ["clerk", "Clerk"],
    ["keycloak", "Keycloak"],
    ["better-auth", "better-auth"]
  ])("to %s signs people in, and refuses the other tokens of %s", async (guide, name) => {
    const fixture = providerFixtures[name] as ProviderFixture
    const { environment, issuer, provider, sign } = await standingIn(guide, fixture)
    using folder = temporaryFolder()
    await using server = await serveInProduction(folder.path, environment)
    const session = fixture.session(issuer, Math.floor(Date.now() / 1_000))
    const cookiesOf = async (token: string) => {
      if (blocksOf(guide, "ts").length === 0) return fixture.cookies(token)
      const sessionCookie = await cookieProgram<(token: string, seconds: number) => string>(guide)
      return [pairOf(sessionCookie(token, 300))]
    }
    const { email, name: called, userId } = fixture.person
    const expected = { userId, email: email ?? null, ...(called === undefined ? {} : { name: called }) }
    expect(await seenBy(server.url, await cookiesOf(await sign(session)))).toMatchObject(expected)
    for (const changes of Object.values(fixture.foreign)) {
      expect(await seenBy(server.url, await cookiesOf(await sign(changed(session, changes))))).toBe(401)
    }
    await provider.down()
  })

  it("to e-mail signs people in by the code of a mail", async () => {
    const smtp = await startSmtp()
    using folder = temporaryFolder()
    const settings = { ...settingsOf("by-email"), PARLEY_SMTP_URL: smtp.url }
    const server = await serveInProduction(folder.path, settings)
    const send = (path: string, fields: Record<string, string>, cookie = "") =>
      fetch(`${server.url}/sign-in${path}`, {
        method: "POST",
        headers: { cookie },
        body: new URLSearchParams(fields),
        redirect: "manual"
      })
    const asked = await send("", { email: "ann@example.com" })
    const mail = await smtp.mailTo("ann@example.com", 1)
    expect(headerOf(mail, "from")).toBe("Example Chat <sign-in@example.com>")
    expect(linkOf(mail)).toBe(`https://chat.example.com/sign-in?code=${codeOf(mail)}`)
    const browser = asked.headers.get("set-cookie") ?? ""
    expect(browser).toMatch(/^__Host-parley_sign_in=.*Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    const signedIn = await send("/code", { code: codeOf(mail) }, pairOf(browser))
    const session = signedIn.headers.getSetCookie()[0] ?? ""
    expect(session).toMatch(/^__Host-parley_session=.*Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    expect(await seenBy(server.url, [pairOf(session)])).toMatchObject({ email: "ann@example.com" })
    await server[Symbol.asyncDispose]()
    await using restarted = await serveInProduction(folder.path, settings)
    expect(await seenBy(restarted.url, [pairOf(session)])).toMatchObject({ email: "ann@example.com" })
    await smtp.stop()
  })

  it("to own tokens signs people in, and changes the secret without signing one out", async () => {
    const settings = settingsOf("own-tokens")
    const sessionCookie = await cookieProgram<(person: object, secret: string) => Promise<string>>("own-tokens")
    const person = { id: "user-1", email: "ann@example.com", name: "Ann" }
    const [old = "", next] = [settings["PARLEY_SESSION_SECRET"], "Hn4cW8pRk2Yd6TzM9vQb3FsX7jLg5EaU"]
    using folder = temporaryFolder()
    await using server = await serveInProduction(folder.path, {
      ...settings,
      PARLEY_SESSION_SECRET: `${old},${next}`
    })
    for (const secret of [old, next]) {
      const { id: userId, ...texts } = person
      const cookie = pairOf(await sessionCookie(person, secret))
      expect(await seenBy(server.url, [cookie])).toMatchObject({ userId, ...texts })
    }
    const stranger = pairOf(await sessionCookie(person, "J2mX6qWz9Kc4Rt7Bv1Nf8Ls3Hd5Gp0Ey"))
    expect(await seenBy(server.url, [stranger])).toBe(401)
  })
})
