import { describe, expect, it } from "vitest"
import { ACCOUNT, PROVIDER_TEXT, type TokenFault } from "../../../../test/support/OAuthServer.ts"
import { callbackPath, type CrmProviderId, type CrmServers } from "../support/crmServers.ts"
import { type CrmAnswer, CrmVisitor } from "../support/CrmVisitor.ts"

/** The exact redirect of the callback. */
const leadsTo = (botId: string, query: string) => ({ status: 303, location: `/dashboard/bots/${botId}?${query}` })

const isGone = ({ cookies }: CrmAnswer): boolean =>
  cookies.length === 1 && cookies.every((cookie) => /^[^=]+=;.*max-age=0/i.test(cookie))

/** Failures and attacks between the beginning of a connection and its end. */
export const attacks = (started: () => CrmServers): void => {
  /** A person of their own with a bot, at the server. */
  const owner = async (name: string) => {
    const visitor = await CrmVisitor.signedIn(started().server.url, `${name}@crm-attacks.example`)
    return { visitor, botId: await visitor.makeBot() }
  }

  const tokenCalls = () => started().provider_one.tokenCalls + started().provider_two.tokenCalls

  /** The number of token requests during some work. */
  const callsDuring = async (work: () => Promise<void>): Promise<number> => {
    const before = tokenCalls()
    await work()
    return tokenCalls() - before
  }

  /** Begins a connection and approves it: the address that the browser comes back to. */
  const approved = async (visitor: CrmVisitor, botId: string, provider: CrmProviderId = "provider_one") =>
    started()[provider].answer(await visitor.connect(provider, botId), "approve")

  describe("connecting", () => {
    it("leads to the provider with a cookie that scripts cannot read, and PKCE at provider_one alone", async () => {
      const { botId, visitor } = await owner("begins")
      for (const provider of ["provider_one", "provider_two"] as const) {
        const begun = await visitor.begin(provider, botId)
        expect(begun.status).toBe(303)
        const address = new URL(begun.location ?? "")
        expect(address.origin + address.pathname).toBe(started()[provider].authorizeUrl)
        expect(Object.fromEntries(address.searchParams)).toMatchObject({
          response_type: "code",
          client_id: "parley",
          redirect_uri: `${started().server.url}${callbackPath(provider)}`,
          scope: "openid email"
        })
        expect(address.searchParams.get("state")).toMatch(/^[\w-]{43}$/)
        expect(address.searchParams.get("code_challenge_method")).toBe(provider === "provider_one" ? "S256" : null)
        expect(begun.cookies).toHaveLength(1)
        expect(begun.cookies[0]).toMatch(/; HttpOnly/i)
        expect(begun.cookies[0]).toMatch(/; SameSite=Lax/i)
        expect(begun.cookies[0]).toMatch(/; Max-Age=600/i)
        expect(begun.cookies[0]).not.toMatch(/; Secure|; Domain/i)
        expect(begun.cookies[0], "sealed").not.toContain(botId)
      }
    })

    it("does not begin without a session, for an unknown provider, or for another person's bot", async () => {
      const { botId, visitor } = await owner("refused")
      const other = await owner("refused-other")
      const stranger = await CrmVisitor.stranger(started().server.url).begin("provider_one", botId)
      expect(stranger).toMatchObject({ status: 401, location: null, cookies: [] })
      for (const provider of ["constructor", "__proto__", "provider_three", "PROVIDER_ONE", "%2e%2e"]) {
        expect(await visitor.begin(provider, botId), provider).toMatchObject({
          status: 404,
          location: null,
          cookies: []
        })
      }
      expect(await visitor.get("/api/crm/provider_one/connect")).toMatchObject({
        status: 400,
        location: null,
        cookies: []
      })
      const [foreign, absent] = [
        await visitor.begin("provider_one", other.botId),
        await visitor.begin("provider_one", crypto.randomUUID())
      ]
      const plain = ({ text }: CrmAnswer) => ({ ...(JSON.parse(text) as object), requestId: "" })
      expect([foreign?.status, absent?.status]).toEqual([404, 404])
      expect(plain(foreign)).toEqual(plain(absent))
      for (const evil of [
        "//evil.example",
        "\\\\evil.example",
        "https://evil.example",
        "javascript:alert(1)",
        "%0d%0aset-cookie: a=b"
      ]) {
        const answer = await visitor.begin("provider_one", evil)
        expect(answer, evil).toMatchObject({ location: null, cookies: [] })
        expect([400, 404]).toContain(answer.status)
      }
    })
  })

  describe("the callback", () => {
    it("stores one connection by one call, leads to the bot's page and takes the cookie away", async () => {
      const { botId, visitor } = await owner("succeeds")
      for (const provider of ["provider_one", "provider_two"] as const) {
        const callback = await approved(visitor, botId, provider)
        const calls = await callsDuring(async () => {
          const answer = await visitor.comeBack(callback)
          expect(answer).toMatchObject(leadsTo(botId, `crm_connected=${provider}`))
          expect(isGone(answer)).toBe(true)
          expect(answer.text).not.toContain(callback.searchParams.get("code"))
        })
        expect(calls).toBe(1)
        expect(await visitor.connection(botId, provider)).toMatchObject({
          state: "connected",
          account: ACCOUNT,
          connectedBy: "succeeds@crm-attacks.example"
        })
      }
    })

    it("of two that one browser has begun ends at its own bot, whichever comes back first", async () => {
      for (const isTurned of [false, true]) {
        const { botId, visitor } = await owner(`tabs-${isTurned}`)
        const bots = [botId, await visitor.makeBot()]
        const begun = [await approved(visitor, bots[0] ?? ""), await approved(visitor, bots[1] ?? "")]
        const order = isTurned ? [1, 0] : [0, 1]
        for (const index of order) {
          const answer = await visitor.comeBack(begun[index] ?? new URL(""))
          expect(answer).toMatchObject(leadsTo(bots[index] ?? "", "crm_connected=provider_one"))
        }
      }
    })

    it("made again replaces the connection", async () => {
      const { botId, visitor } = await owner("again")
      for (let time = 0; time < 2; time++) {
        const answer = await visitor.comeBack(await approved(visitor, botId))
        expect(answer).toMatchObject(leadsTo(botId, "crm_connected=provider_one"))
      }
      expect(await visitor.connection(botId, "provider_one")).toMatchObject({ state: "connected" })
      expect(await visitor.delete(`/api/bots/${botId}/crm/provider_one`)).toMatchObject({
        status: 200,
        text: JSON.stringify({ revocation: "revoked" })
      })
      expect(await visitor.connection(botId, "provider_one")).toBe(null)
    })

    it("replayed asks the provider nothing, with the cookie or without", async () => {
      const { botId, visitor } = await owner("replays")
      const callback = await approved(visitor, botId)
      const thief = visitor.twin()
      await visitor.comeBack(callback)
      const calls = await callsDuring(async () => {
        expect(await visitor.comeBack(callback), "the cookie is gone").toMatchObject({ status: 400, location: null })
        expect(await thief.comeBack(callback)).toMatchObject(leadsTo(botId, "crm_error=state"))
      })
      expect(calls).toBe(0)
    })

    it("sent twelve times at once is taken once", async () => {
      const { botId, visitor } = await owner("parallel")
      const callback = await approved(visitor, botId)
      const calls = await callsDuring(async () => {
        const answers = await Promise.all(Array.from({ length: 12 }, () => visitor.twin().comeBack(callback)))
        const made = answers.filter(({ location }) => location?.endsWith("?crm_connected=provider_one"))
        const refused = answers.filter(({ location }) => location?.endsWith("?crm_error=state"))
        expect([made.length, refused.length]).toEqual([1, 11])
      })
      expect(calls).toBe(1)
    })

    it("forged asks the provider nothing, and does not spoil the real one", async () => {
      const { botId, visitor } = await owner("forged")
      const attacker = await owner("forger")
      const callback = await approved(visitor, botId)
      const forged = await approved(attacker.visitor, attacker.botId)
      const calls = await callsDuring(async () => {
        const state = callback.searchParams.get("state") ?? ""
        for (const query of [
          "",
          "?code=stolen",
          "?code=stolen&state=",
          "?code=stolen&state=wrong",
          `?code=stolen&state=${state.slice(0, -1)}`,
          `?code=stolen&state=${state}&state=${state}`,
          `?error=access_denied&state=${"A".repeat(43)}`,
          `?code=stolen&state=${"x".repeat(10_000)}`
        ]) {
          const answer = await visitor.get(`${callbackPath("provider_one")}${query}`)
          expect(answer, query.slice(0, 60)).toMatchObject({ status: 400, location: null })
        }
        expect(await visitor.comeBack(forged), "login CSRF: another browser's").toMatchObject({
          status: 400,
          location: null
        })
        expect(await attacker.visitor.comeBack(callback), "without its cookie").toMatchObject({
          status: 400,
          location: null
        })
        const noIssuer = new URL(callback)
        noIssuer.searchParams.delete("iss")
        expect(await visitor.twin().comeBack(noIssuer)).toMatchObject(leadsTo(botId, "crm_error=state"))
        const wrongIssuer = new URL(callback)
        wrongIssuer.searchParams.set("iss", started().provider_two.issuer)
        expect(await visitor.twin().comeBack(wrongIssuer)).toMatchObject(leadsTo(botId, "crm_error=state"))
      })
      expect(calls).toBe(0)
      expect(await visitor.connection(botId, "provider_one")).toBe(null)
      expect(await visitor.comeBack(callback)).toMatchObject(leadsTo(botId, "crm_connected=provider_one"))
    })

    it("of one provider is nothing to the other", async () => {
      const { botId, visitor } = await owner("mixes-up")
      const callback = await approved(visitor, botId, "provider_one")
      const calls = await callsDuring(async () => {
        for (const isNamed of [true, false]) {
          const elsewhere = new URL(callback)
          elsewhere.pathname = callbackPath("provider_two")
          if (!isNamed) elsewhere.searchParams.delete("iss")
          const answer = await visitor.twin().comeBack(elsewhere)
          expect(answer).toMatchObject(leadsTo(botId, "crm_error=state"))
        }
      })
      expect(calls).toBe(0)
      expect(await visitor.connection(botId, "provider_two")).toBe(null)
      expect(await visitor.comeBack(callback)).toMatchObject(leadsTo(botId, "crm_connected=provider_one"))
    })

    it("for a bot that was deleted in between asks the provider nothing", async () => {
      const { botId, visitor } = await owner("deletes")
      const callback = await approved(visitor, botId)
      expect((await visitor.delete(`/api/bots/${botId}`)).status).toBeLessThan(300)
      const calls = await callsDuring(async () => {
        const answer = await visitor.comeBack(callback)
        expect(answer).toMatchObject(leadsTo(botId, "crm_error=bot"))
        expect(isGone(answer)).toBe(true)
      })
      expect(calls).toBe(0)
    })

    it("in another person's session, or in none, asks the provider nothing", async () => {
      const { botId, visitor } = await owner("changes-user")
      const callback = await approved(visitor, botId)
      const signedOut = visitor.twin()
      signedOut.signOut()
      const other = visitor.twin()
      await other.signIn("other@crm-attacks.example")
      const calls = await callsDuring(async () => {
        expect(await signedOut.comeBack(callback)).toMatchObject({ status: 401, location: null })
        expect(await other.comeBack(callback)).toMatchObject(leadsTo(botId, "crm_error=state"))
      })
      expect(calls).toBe(0)
      expect(await visitor.connection(botId, "provider_one")).toBe(null)
    })

    it("of a refusal returns one of four codes, for any text of the provider", async () => {
      const { botId, visitor } = await owner("denies")
      const calls = await callsDuring(async () => {
        const denied = await started().provider_one.answer(await visitor.connect("provider_one", botId), "deny")
        expect(denied.searchParams.get("error_description")).toBe(PROVIDER_TEXT)
        const answer = await visitor.comeBack(denied)
        expect(answer).toMatchObject(leadsTo(botId, "crm_error=denied"))
        expect(isGone(answer)).toBe(true)
        for (const error of ["server_error", "<script>alert(1)</script>", "a\r\nset-cookie: a=b", "__proto__", ""]) {
          const begun = await visitor.connect("provider_one", botId)
          const hostile = new URL(`${started().server.url}${callbackPath("provider_one")}`)
          hostile.search = new URLSearchParams({
            state: begun.searchParams.get("state") ?? "",
            iss: started().provider_one.issuer,
            error,
            error_description: `<img src=x onerror=alert(1)>\r\nlocation: //evil.example ${PROVIDER_TEXT}`,
            error_uri: "https://evil.example"
          }).toString()
          const refused = await visitor.comeBack(hostile)
          expect(refused, error).toMatchObject(leadsTo(botId, "crm_error=exchange"))
          expect(refused.text).not.toMatch(/PROVIDER|evil|alert/)
          expect(isGone(refused)).toBe(true)
        }
      })
      expect(calls).toBe(0)
    })

    it("trusts nothing of its query but state and code: no other bot, no other address", async () => {
      const { botId, visitor } = await owner("changes-query")
      const other = await visitor.makeBot()
      const callback = await approved(visitor, botId)
      for (const [name, value] of Object.entries({
        botId: other,
        bot_id: other,
        redirect: "https://evil.example",
        redirect_uri: "//evil.example",
        next: "\\\\evil.example",
        returnTo: "javascript:alert(1)"
      })) {
        callback.searchParams.append(name, value)
      }
      expect(await visitor.comeBack(callback)).toMatchObject(leadsTo(botId, "crm_connected=provider_one"))
      expect(await visitor.connection(other, "provider_one")).toBe(null)
    })

    it("whose code the provider does not exchange stores nothing, asks once and leads to a fixed page", async () => {
      const { botId, visitor } = await owner("fails")
      const faults: ReadonlyArray<TokenFault> = [
        ...(["html", "huge", "garbage", "error500", "unavailable", "redirect", "refused", "lost"] as const)
      ]
      for (const fault of faults) {
        const callback = await approved(visitor, botId)
        started().provider_one.failNext(fault)
        const calls = await callsDuring(async () => {
          const answer = await visitor.comeBack(callback)
          expect(answer, fault).toMatchObject(leadsTo(botId, "crm_error=exchange"))
          expect(isGone(answer), fault).toBe(true)
          expect(answer.text).not.toContain(PROVIDER_TEXT)
        })
        expect(calls, fault).toBe(1)
        expect(await visitor.connection(botId, "provider_one"), fault).toBe(null)
      }
      expect(started().provider_one.seen, "no redirect is followed").not.toContain("POST /elsewhere")
      expect(started().provider_one.seen).not.toContain("GET /elsewhere")
    })

    it("whose provider is down stores nothing, and works once it is up", async () => {
      const { botId, visitor } = await owner("down")
      const callback = await approved(visitor, botId)
      await started().provider_one.down()
      try {
        expect(await visitor.comeBack(callback)).toMatchObject(leadsTo(botId, "crm_error=exchange"))
      } finally {
        await started().provider_one.up()
      }
      expect(await visitor.connection(botId, "provider_one")).toBe(null)
      expect(await visitor.comeBack(await approved(visitor, botId))).toMatchObject(
        leadsTo(botId, "crm_connected=provider_one")
      )
    })
  })

  describe("disconnecting", () => {
    it("revokes the access at the provider, and only the owner can do it", async () => {
      const { botId, visitor } = await owner("disconnects")
      const other = await owner("disconnects-other")
      await visitor.comeBack(await approved(visitor, botId))
      const revocations = () => started().provider_one.revocations
      const before = revocations()
      expect((await other.visitor.delete(`/api/bots/${botId}/crm/provider_one`)).status).toBe(404)
      expect(
        (await CrmVisitor.stranger(started().server.url).delete(`/api/bots/${botId}/crm/provider_one`)).status
      ).toBe(401)
      expect(revocations()).toBe(before)
      expect((await visitor.delete(`/api/bots/${botId}/crm/provider_one`)).status).toBe(200)
      expect(revocations() - before).toBe(1)
      expect(await visitor.connection(botId, "provider_one")).toBe(null)
    })
  })
}
