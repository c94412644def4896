import { parseEnv } from "node:util"
import { describe, expect, it } from "vitest"
import {
  changed,
  type ProviderFixture,
  providerFixtures,
  type TokenFacts
} from "../../../../test/support/providerTokens.ts"
import { codeOf, headerOf, linkOf, startSmtp } from "../../../../test/support/smtpStandIn.ts"
import { type CodeBlock, codeBlocks } from "../../../../tooling/docs/codeBlocks.ts"
import { KeyServer, makeKey, signWithSecret } from "../../../adapters-http/test/support/KeyServer.ts"
import { temporaryFolder } from "../processes/ParleyProcess.ts"

/** The means by which the guides are followed: the packages of this repository, or packed ones. */
export interface FollowedGuides {
  /** Serves these settings as production does, or fails with the reasons against them. */
  readonly serve: (
    folder: string,
    environment: Readonly<Record<string, string>>
  ) => Promise<{ readonly url: string } & AsyncDisposable>
  /** The exports of a program of a guide. */
  readonly load: (program: CodeBlock) => Promise<unknown>
}

const SECRET = "Zq8vT3mLw5Xs9RbN2hJc7KdP4gYf6AtE"
const blocks = codeBlocks()
const blocksOf = (guide: string, language: string): ReadonlyArray<CodeBlock> =>
  blocks.filter((block) => block.path === `docs/guides/sign-in-${guide}.md` && block.language === language)

/** The settings that a guide writes, in the order of its blocks. */
const settingsOf = (guide: string): Readonly<Record<string, string>> =>
  Object.assign({}, ...blocksOf(guide, "ini").map(({ text }) => parseEnv(text))) as Record<string, string>

const pairOf = (setCookie: string): string => setCookie.split(";")[0] ?? ""

/** The person that a server sees behind cookies, or the status of its refusal. */
const seenBy = async (url: string, cookies: ReadonlyArray<string>): Promise<unknown> => {
  const answer = await fetch(`${url}/api/me`, { headers: { cookie: cookies.join("; ") } })
  return answer.status === 200 ? await answer.json() : answer.status
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

/** Every guide to a sign-in, followed from an empty folder into production. */
export const describeSignInGuides = ({ load, serve }: FollowedGuides): void => {
  /** The program of a guide that makes a cookie. */
  const cookieProgram = async <Made>(guide: string): Promise<Made> => {
    const [program] = blocksOf(guide, "ts")
    if (program === undefined) throw new Error(`The guide ${guide} has no program.`)
    return ((await load(program)) as { readonly sessionCookie: Made }).sessionCookie
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
      await using server = await serve(folder.path, environment)
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
      const server = await serve(folder.path, settings)
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
      await using restarted = await serve(folder.path, settings)
      expect(await seenBy(restarted.url, [pairOf(session)])).toMatchObject({ email: "ann@example.com" })
      await smtp.stop()
    })

    it("to own tokens signs people in, and changes the secret without signing one out", async () => {
      const settings = settingsOf("own-tokens")
      const sessionCookie = await cookieProgram<(person: object, secret: string) => Promise<string>>("own-tokens")
      const person = { id: "user-1", email: "ann@example.com", name: "Ann" }
      const [old = "", next] = [settings["PARLEY_SESSION_SECRET"], "Hn4cW8pRk2Yd6TzM9vQb3FsX7jLg5EaU"]
      using folder = temporaryFolder()
      await using server = await serve(folder.path, {
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
}
