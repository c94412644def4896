import { Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { type CrmEndpoints, type CrmPresetName, crmPresets, isCrmEndpoint, makeOAuthCrmProvider } from "../src/index.ts"
import { json, scriptedServer, type Script } from "../../../test/support/ScriptedServer.ts"

const REDIRECT_URI = "https://parley.example/api/crm/provider_one/callback"
const VERIFIER = "v".repeat(43)

/** The preset with its endpoints moved to a server on this machine, below the same paths. */
const movedTo = (origin: string, preset: CrmEndpoints): CrmEndpoints => {
  const moved = (address: string) => `${origin}${new URL(address).pathname}`
  return {
    ...preset,
    authorizeUrl: moved(preset.authorizeUrl),
    tokenUrl: moved(preset.tokenUrl),
    revokeUrl: preset.revokeUrl === undefined ? undefined : moved(preset.revokeUrl)
  }
}

const staged = async (name: CrmPresetName, script: Script) => {
  const vendor = await scriptedServer(script)
  const provider = makeOAuthCrmProvider({
    ...movedTo(vendor.url, crmPresets[name]),
    id: "provider_one",
    clientId: "app-1",
    clientSecret: Redacted.make("secret-1"),
    limits: { callMs: 110_000, lookupMs: 110_000 }
  })
  const callback = new URLSearchParams({ code: "c-1", state: "s-1" })
  const exchange = provider.exchange({ redirectUri: REDIRECT_URI, state: "s-1", codeVerifier: VERIFIER, callback })
  return { ...vendor, provider, connect: () => Effect.runPromise(exchange) }
}

/** As HubSpot's reference of the OAuth endpoints of 2026-03 has it. */
const hubspotTokens = {
  token_use: "access_token",
  token_type: "bearer",
  refresh_token: "na1-ab12-cd34",
  access_token: "AAA1234-TOKEN",
  hub_id: 62515,
  scopes: ["oauth", "crm.objects.contacts.read"],
  user_id: 123,
  expires_in: 1800
}
const hubspotIntrospection = {
  active: true,
  app_id: 7,
  client_id: "app-1",
  expires_in: 1754,
  hub_domain: "demo.hubspot.com",
  hub_id: 62515,
  is_private_distribution: false,
  scopes: ["oauth"],
  token: "AAA1234-TOKEN",
  token_type: "bearer",
  token_use: "access_token",
  user: "owner@example.com",
  user_id: 123
}

/** As Pipedrive's pages on OAuth and on a user's data have them. */
const pipedriveTokens = (origin: string) => ({
  access_token: "v1:AQIBAHj",
  token_type: "Bearer",
  refresh_token: "1234567:7654321:abc",
  scope: "deals:full users:full",
  expires_in: 3599,
  api_domain: origin
})
const pipedriveMe = {
  success: true,
  data: {
    id: 777,
    name: "James Bond",
    email: "jb@example.com",
    company_id: 1,
    company_name: "MI6",
    company_domain: "casinoroyale"
  }
}

describe("every preset", () => {
  it("names addresses that may be asked", () => {
    for (const { authorizeUrl, revokeUrl, tokenUrl } of Object.values(crmPresets)) {
      for (const address of [authorizeUrl, tokenUrl, revokeUrl ?? ""]) {
        expect(isCrmEndpoint(address), address).toBe(true)
        expect(new URL(address).protocol).toBe("https:")
      }
    }
  })
})

describe("HubSpot", () => {
  it("gets the secret in the form, names the account by number and domain, and its list of scopes is understood", async () => {
    await using vendor = await staged("hubspot", ({ path }, response) =>
      json(response, 200, path.endsWith("/introspect") ? hubspotIntrospection : hubspotTokens)
    )
    const tokens = await vendor.connect()
    expect(tokens).toMatchObject({
      account: { id: "62515", name: "demo.hubspot.com" },
      scope: "oauth crm.objects.contacts.read",
      expiresInSeconds: 1800
    })
    expect(vendor.seen.map(({ path }) => path)).toEqual(["/oauth/2026-03/token", "/oauth/2026-03/token/introspect"])
    const credentials = { client_id: "app-1", client_secret: "secret-1" }
    expect(vendor.seen.map(({ form }) => Object.fromEntries(form))).toEqual([
      {
        grant_type: "authorization_code",
        code: "c-1",
        redirect_uri: REDIRECT_URI,
        code_verifier: VERIFIER,
        ...credentials
      },
      { token: "AAA1234-TOKEN", token_type_hint: "access_token", ...credentials }
    ])
    expect(vendor.seen.some(({ path }) => /secret|TOKEN/.test(path))).toBe(false)
  })

  it("is connected even if the look-up fails, breaks or returns nonsense", async () => {
    const lookups: ReadonlyArray<Script> = [
      (_request, response) => json(response, 500, {}),
      (_request, response) => response.destroy(),
      (_request, response) => response.writeHead(200).end("<html>"),
      (_request, response) => json(response, 200, { hub_domain: { evil: true } })
    ]
    for (const lookup of lookups) {
      await using vendor = await staged("hubspot", (request, response, told) =>
        request.path.endsWith("/introspect") ? lookup(request, response, told) : json(response, 200, hubspotTokens)
      )
      expect((await vendor.connect()).account).toEqual({ id: "62515" })
    }
  })

  it("refuses in words of its own, which are understood", async () => {
    for (const [status, reason] of [
      ["BAD_REFRESH_TOKEN", "grant"],
      ["BAD_CLIENT_SECRET", "client"],
      ["SOMETHING_NEW", "other"]
    ] as const) {
      await using vendor = await staged("hubspot", (_request, response) =>
        json(response, 400, { status, message: "missing or invalid", correlationId: "aeb5f871" })
      )
      const refused = await Effect.runPromise(Effect.flip(vendor.provider.refresh(Redacted.make("r"))))
      expect(refused).toMatchObject({ _tag: "CrmRefused", reason })
    }
  })

  it("receives the refresh token at its revocation endpoint", async () => {
    await using vendor = await staged("hubspot", (_request, response) => response.writeHead(204).end())
    const revoked = vendor.provider.revoke({ accessToken: Redacted.make("a"), refreshToken: Redacted.make("r") })
    expect(await Effect.runPromise(revoked)).toBe("revoked")
    expect(vendor.seen.map(({ form, path }) => [path, form.get("token"), form.get("client_secret")])).toEqual([
      ["/oauth/2026-03/token/revoke", "r", "secret-1"]
    ])
  })
})

describe("Pipedrive", () => {
  it("is asked with the header, and the company is looked up at its own address with the new token", async () => {
    await using vendor = await staged("pipedrive", ({ path }, response, { origin }) =>
      json(response, 200, path === "/oauth/token" ? pipedriveTokens(origin) : pipedriveMe)
    )
    const url = await Effect.runPromise(vendor.provider.authorizationUrl({ redirectUri: REDIRECT_URI, state: "s-1" }))
    expect(url.searchParams.has("scope"), "the app's settings have the scopes").toBe(false)
    const tokens = await vendor.connect()
    expect(tokens).toMatchObject({
      account: { id: "1", name: "MI6" },
      scope: "deals:full users:full",
      tokenType: "bearer"
    })
    expect(vendor.seen.map(({ headers, method, path }) => [method, path, headers.authorization])).toEqual([
      ["POST", "/oauth/token", `Basic ${btoa("app-1:secret-1")}`],
      ["GET", "/api/v1/users/me", "Bearer v1:AQIBAHj"]
    ])
  })

  it("cannot redirect the token to another server by its address", async () => {
    await using elsewhere = await scriptedServer((_request, response) => json(response, 200, pipedriveMe))
    for (const told of [
      elsewhere.url,
      "https://evil.example",
      "https://pipedrive.com.evil.example",
      "http://acme.pipedrive.com",
      "nonsense"
    ]) {
      await using vendor = await staged("pipedrive", (_request, response) => json(response, 200, pipedriveTokens(told)))
      await vendor.connect()
      expect(vendor.seen, told).toHaveLength(1)
    }
    expect(elsewhere.seen).toEqual([])
  })
})
