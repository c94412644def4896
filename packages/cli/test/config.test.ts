import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parleyListener, type ParleyRuntime } from "@parley/adapters-http"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { tasksOf } from "../src/config/rules/workRules.ts"
import type { Environment } from "../src/config/EnvironmentReader.ts"
import { readConfig, readSettings } from "../src/config/readConfig.ts"
import { configurationChecks } from "../src/doctor/configurationChecks.ts"
import { isLoopback } from "../src/config/databaseTls.ts"
import { serveRefusals } from "../src/config/rules/serveRules.ts"
import { sessionCookieName } from "../src/config/session/sessionProof.ts"

const SECRET = "Zq8vT3mLw5Xs9RbN2hJc7KdP4gYf6AtE"
const SIGN_IN = {
  PARLEY_SESSION_SECRET: SECRET,
  PARLEY_SESSION_ISSUER: "https://id.example.com",
  PARLEY_SESSION_AUDIENCE: "parley"
}
const folder = "/srv/parley"

const read = (environment: Environment) => Effect.runPromise(readConfig(environment, folder))

const problemsOf = async (environment: Environment, serving = false): Promise<ReadonlyArray<string>> => {
  const failing = Effect.flip(readConfig(environment, folder, serving ? serveRefusals : undefined))
  return (await Effect.runPromise(failing)).problems
}

describe("readConfig", () => {
  it("needs nothing: every setting has a default", async () => {
    expect(await read({})).toMatchObject({
      production: false,
      host: "127.0.0.1",
      port: 3000,
      baseUrl: undefined,
      database: { _tag: "Embedded" },
      databaseSchema: "parley",
      dataFolder: "/srv/parley/.parley",
      session: { cookieName: "parley_session", preset: undefined, proof: undefined },
      settings: { titles: { generate: true } },
      logLevel: "info"
    })
  })

  it("takes blank variables for ones that are not set", async () => {
    expect(await read({ PORT: "", DATABASE_URL: " ", PARLEY_SESSION_SECRET: "", LOG_LEVEL: "" })).toEqual(
      await read({})
    )
  })

  it("reports all problems together, each with its variable and none with its value", async () => {
    const environment = {
      PORT: "65536",
      DATABASE_URL: "mysql://root:hunter2@db/x",
      DATABASE_DIRECT_URL: "hunter2",
      PARLEY_BASE_URL: "hunter2",
      PARLEY_TRUST_PROXY: "true, hunter2",
      PARLEY_DB_SCHEMA: "pg_hunter2",
      PARLEY_CONFIG: "/nowhere/hunter2.json",
      PARLEY_SESSION_COOKIE: "hunter2;",
      PARLEY_UPLOAD_MAX_BYTES: "20MB hunter2",
      PARLEY_UPLOAD_TYPES: "pdf,hunter2",
      PARLEY_ALLOW_STAND_INS: "hunter2",
      PARLEY_HOLD_TTL: "60 hunter2",
      PARLEY_PAYMENT_EVENT_DAYS: "0",
      PARLEY_UNMATCHED_EVENT_DAYS: "30",
      PARLEY_RETENTION_CHATS: "0",
      PARLEY_RETENTION_VISITORS: "forever",
      PARLEY_RETENTION_LOGS: "29",
      PARLEY_FIRST_BYTE_SECONDS: "0 hunter2",
      CRON_SECRET: "undefined",
      OPENAI_BASE_URL: "ftp://hunter2",
      LOG_LEVEL: "hunter2",
      OTEL_EXPORTER_OTLP_TIMEOUT: "soon"
    }
    const problems = await problemsOf(environment)
    expect(problems.map((problem) => problem.split(":")[0]).toSorted()).toEqual(Object.keys(environment).toSorted())
    expect(problems.join()).not.toContain("hunter2")
  })

  it("names the settings of a collector that cannot be used, and takes its words in any case", async () => {
    const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }
    const unusable = {
      OTEL_METRIC_EXPORT_INTERVAL: "0",
      OTEL_BSP_SCHEDULE_DELAY: "soon",
      OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: "1s",
      OTEL_EXPORTER_OTLP_COMPRESSION: "brotli",
      OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "lowmemory"
    }
    const problems = await problemsOf({ ...collector, ...unusable })
    expect(problems.map((problem) => problem.split(":")[0]).toSorted()).toEqual(Object.keys(unusable).toSorted())
    const words = {
      OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "Delta",
      OTEL_EXPORTER_OTLP_COMPRESSION: "GZIP"
    }
    const { otlp } = await read({ ...collector, ...words })
    expect(Redacted.value(otlp!.variables)).toMatchObject({
      OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "delta",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip"
    })
  })

  it("prints no secrets", async () => {
    const config = await read({
      DATABASE_URL: "postgres://user:hunter2@db/x",
      OPENAI_API_KEY: "hunter2",
      CRON_SECRET: "hunter2",
      PARLEY_SESSION_SECRET: `hunter2${SECRET}`
    })
    expect(JSON.stringify(config)).not.toContain("hunter2")
    const { proof } = config.session
    expect(proof?._tag === "Secret" && proof.secrets.map(Redacted.value)).toEqual([`hunter2${SECRET}`])
  })

  it("takes for how many days events of the payment provider are kept", async () => {
    const retention = async (environment: Environment) => (await read(environment)).settings.paymentRetention
    expect(await retention({})).toEqual({ doneMs: undefined, unmatchedMs: undefined })
    const days = { PARLEY_PAYMENT_EVENT_DAYS: "7", PARLEY_UNMATCHED_EVENT_DAYS: "31" }
    expect(await retention(days)).toEqual({ doneMs: 7 * 86_400_000, unmatchedMs: 31 * 86_400_000 })
  })

  it("keeps chats, visitors' conversations and logs for ever, or for the given number of days", async () => {
    const retention = async (environment: Environment) => (await read(environment)).settings.retention
    expect(await retention({})).toEqual({ chatsMs: undefined, visitorsMs: undefined, logsMs: undefined })
    const days = { PARLEY_RETENTION_CHATS: "1", PARLEY_RETENTION_VISITORS: "90", PARLEY_RETENTION_LOGS: "30" }
    const [day, quarter, month] = [1, 90, 30].map((count) => count * 86_400_000)
    expect(await retention(days)).toEqual({ chatsMs: day, visitorsMs: quarter, logsMs: month })
  })

  it("accepts the types that LibreOffice converts if it is configured, and does not promise them without it", async () => {
    const types = async (environment: Environment) => (await read(environment)).settings.uploads?.types
    expect(await types({})).toBeUndefined()
    expect(await types({ PARLEY_LIBREOFFICE: "/usr/bin/soffice" })).toEqual(
      expect.arrayContaining(["pdf", "csv", "doc", "xls", "ppt"])
    )
    expect(await types({ PARLEY_LIBREOFFICE: "/usr/bin/soffice", PARLEY_UPLOAD_TYPES: "pdf,doc" })).toEqual([
      "pdf",
      "doc"
    ])
    expect(await problemsOf({ PARLEY_UPLOAD_TYPES: "pdf,doc" })).toEqual([
      "PARLEY_UPLOAD_TYPES: with doc, xls, ppt needs PARLEY_LIBREOFFICE"
    ])
  })

  it("trusts a number of proxies or named addresses, never all addresses", async () => {
    expect((await read({ PARLEY_TRUST_PROXY: "2" })).trustProxy).toBe(2)
    expect((await read({ PARLEY_TRUST_PROXY: "loopback, 10.0.0.0/8" })).trustProxy).toBe("loopback, 10.0.0.0/8")
    for (const value of [
      "true",
      "-1",
      "10.0.0.0/33",
      "2001:db8::/129",
      "10.0.0.0/8/8",
      "proxy.example.com",
      "10.0.0.1,"
    ]) {
      expect(await problemsOf({ PARLEY_TRUST_PROXY: value })).toHaveLength(1)
    }
  })

  it("refuses to trust a range of all addresses, and says what to set instead", async () => {
    for (const value of ["0.0.0.0/0", "::/0", "loopback, 0.0.0.0/0", "10.0.0.0/00", "nonsense/0"]) {
      expect(await problemsOf({ PARLEY_TRUST_PROXY: value })).toEqual([
        expect.stringMatching(/^PARLEY_TRUST_PROXY: .*everybody.*how many proxies/)
      ])
    }
  })

  it("accepts as a proxy's address only what a server can start with", async () => {
    // The listener does not use it before its first request.
    const runtime = ManagedRuntime.make(Layer.empty) as unknown as ParleyRuntime
    const address = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.constantFrom("loopback", "linklocal", "uniquelocal", "fe80::1%eth0")
    )
    const suffix = fc.oneof(
      fc.constant(""),
      fc.integer({ min: 0, max: 130 }).map((bits) => `/${bits}`)
    )
    const value = fc
      .array(
        fc.tuple(address, suffix).map((parts) => parts.join("")),
        { minLength: 1, maxLength: 3 }
      )
      .map((list) => list.join(", "))
    await fc.assert(
      fc.asyncProperty(value, async (PARLEY_TRUST_PROXY) => {
        const { config, problems } = readSettings({ PARLEY_TRUST_PROXY }, folder)
        if (problems.length === 0)
          parleyListener({ runtime, authenticate: () => undefined, trustProxy: config.trustProxy })
      }),
      { numRuns: 500 }
    )
  })

  it("takes for the schema what leaves room for that of the job queue", async () => {
    expect((await read({ PARLEY_DB_SCHEMA: "s".repeat(45) })).databaseSchema).toHaveLength(45)
    expect(await problemsOf({ PARLEY_DB_SCHEMA: "s".repeat(46) })).toEqual([expect.stringContaining("1 to 45")])
  })

  it("takes origins to the letter alone", async () => {
    const origins = await read({ PARLEY_ALLOWED_ORIGINS: "https://app.example.com, http://localhost:5173" })
    expect(origins.allowedOrigins).toEqual(["https://app.example.com", "http://localhost:5173"])
    for (const wrong of ["*", "null", "https://*.example.com", "https://app.example.com/", "app.example.com"]) {
      const problems = await problemsOf({ PARLEY_ALLOWED_ORIGINS: wrong })
      expect(problems).toEqual([expect.stringMatching(/^PARLEY_ALLOWED_ORIGINS: /)])
    }
  })

  it("takes another origin than the base URL's for visitors, encrypted or on this machine", async () => {
    const base = { PARLEY_BASE_URL: "https://app.example.com" }
    for (const origin of ["https://widget.example.com", "http://localhost:3000", "http://127.0.0.1:4000"]) {
      expect((await read({ ...base, PARLEY_WIDGET_ORIGIN: origin })).widgetOrigin).toBe(origin)
    }
    for (const origin of [
      "https://app.example.com",
      "https://widget.example.com/",
      "http://widget.example.com",
      "widget.example.com",
      "https://*.example.com"
    ]) {
      const problems = await problemsOf({ ...base, PARLEY_WIDGET_ORIGIN: origin })
      expect(problems).toEqual([expect.stringMatching(/^PARLEY_WIDGET_ORIGIN: /)])
    }
    expect(await problemsOf({ PARLEY_WIDGET_ORIGIN: "https://widget.example.com" })).toHaveLength(1)
  })

  it("generates titles of chats, unless the file switches that off", async () => {
    const place = mkdtempSync(join(tmpdir(), "parley-config-"))
    const path = join(place, "parts.json")
    const titles = async (part: object) => {
      writeFileSync(path, JSON.stringify({ titles: part }))
      return (await read({ PARLEY_CONFIG: path })).settings.titles
    }
    try {
      expect(await titles({ credits: 2 })).toEqual({ generate: true, credits: 2 })
      expect(await titles({ generate: false })).toEqual({ generate: false })
    } finally {
      rmSync(place, { recursive: true })
    }
  })

  it("takes vendors, tiers and replies of the operator's from the file, with keys from the environment alone", async () => {
    const place = mkdtempSync(join(tmpdir(), "parley-config-"))
    const path = join(place, "parts.json")
    const write = (value: object) => writeFileSync(path, JSON.stringify(value))
    const model = { vendor: "house", vendorModel: "x", creditsPer1kInput: 1, creditsPer1kOutput: 1 }
    const house = { baseUrl: "http://127.0.0.1:9/v1", apiKeyVariable: "HOUSE_KEY" }
    const local = { baseUrl: "http://127.0.0.1:8/v1", protocol: "anthropic" }
    const replies = { systemMessages: "refused", instructions: "Be brief.", passageTokens: 300 }
    try {
      write({ vendors: { house, local }, models: { "house-1": model }, replies })
      const config = await read({ PARLEY_CONFIG: path, HOUSE_KEY: "hunter2" })
      expect(config.settings.replies).toEqual(replies)
      expect(config.vendors).toMatchObject({
        house: { protocol: "openai", baseUrl: house.baseUrl },
        local: { protocol: "anthropic" }
      })
      expect(Redacted.value(config.vendors["house"]?.apiKey ?? Redacted.make(""))).toBe("hunter2")
      expect(await problemsOf({ PARLEY_CONFIG: path })).toEqual([
        expect.stringMatching(/^HOUSE_KEY: expected the key of /)
      ])
      write({ models: { "house-1": model } })
      expect(await problemsOf({ PARLEY_CONFIG: path })).toEqual([
        expect.stringMatching(/models\.house-1\.vendor: expected one of openai, anthropic/)
      ])
      for (const wrong of [
        7,
        { openai: house },
        { offline: house },
        { House: house },
        { house: {} },
        { house: { baseUrl: "ftp://x" } },
        { house: { ...house, apiKey: "hunter2" } }
      ]) {
        write({ vendors: wrong })
        const problems = await problemsOf({ PARLEY_CONFIG: path, HOUSE_KEY: "hunter2" })
        expect(problems).toEqual([expect.stringMatching(/^PARLEY_CONFIG: vendors(?!.*hunter2)/)])
      }
      for (const wrong of [
        7,
        { passageTokens: 0 },
        { systemMessages: "kept" },
        { instructions: " " },
        { prompt: "x" }
      ]) {
        write({ replies: wrong })
        expect(await problemsOf({ PARLEY_CONFIG: path })).toEqual([expect.stringMatching(/^PARLEY_CONFIG: replies/)])
      }
    } finally {
      rmSync(place, { recursive: true })
    }
  })

  it("overrides the shipped catalog by the catalog file, and reports all of its problems", async () => {
    const place = mkdtempSync(join(tmpdir(), "parley-config-"))
    const path = join(place, "catalog.json")
    try {
      writeFileSync(path, JSON.stringify({ tiers: { free: { monthlyCredits: 7 } } }))
      expect((await read({ PARLEY_CONFIG: path })).catalog.tiers[0].monthlyCredits).toBe(7)
      writeFileSync(path, JSON.stringify({ tiers: { free: { monthlyCredits: -1, models: [] } } }))
      expect(await problemsOf({ PARLEY_CONFIG: path })).toHaveLength(2)
      writeFileSync(path, JSON.stringify({ widget: { perIpPerMinute: 0, streamsPerBot: 1.5, perUserPerMinute: 3 } }))
      expect(await problemsOf({ PARLEY_CONFIG: path })).toHaveLength(3)
      const webhook = {
        url: "https://hooks.example/in?token=hunter2",
        secret: ["NEXT", "LAST"],
        events: ["balance.low"]
      }
      const whsec = `whsec_${Buffer.alloc(32).toString("base64")}`
      writeFileSync(path, JSON.stringify({ webhooks: [webhook], lowBalance: { credits: 9 } }))
      const { events, settings } = await read({ PARLEY_CONFIG: path, NEXT: whsec, LAST: whsec })
      expect(events).toMatchObject({ webhooks: [{ url: webhook.url, events: ["balance.low"] }] })
      expect(settings.lowBalance).toEqual({ credits: 9 })
      expect(events.webhooks[0]?.secrets.map(Redacted.value)).toEqual([whsec, whsec])
      expect(await problemsOf({ PARLEY_CONFIG: path, NEXT: whsec })).toEqual([
        "LAST: expected the secret of webhooks[0] in PARLEY_CONFIG"
      ])
      for (const wrong of [
        { webhooks: [{ ...webhook, url: "http://hunter2.example/" }] },
        { webhooks: [{ ...webhook, events: ["hunter2"] }] },
        { webhooks: [webhook, webhook] },
        { webhooks: "hunter2" },
        { lowBalance: { share: 2 } },
        { webhooksToPrivateNetworks: "hunter2" }
      ]) {
        writeFileSync(path, JSON.stringify(wrong))
        const problems = await problemsOf({ PARLEY_CONFIG: path, NEXT: whsec, LAST: whsec })
        expect(problems.length, JSON.stringify(wrong)).toBe(1)
        expect(problems[0]).toMatch(/^PARLEY_CONFIG: (?!.*hunter2)/)
      }
      const embedding = {
        vendor: "openai",
        model: "text-embedding-3-large",
        dimensions: 1024,
        batch: 256,
        weight: 0.2,
        relevantFrom: 0.4
      }
      writeFileSync(path, JSON.stringify({ embedding, tiers: { free: { monthlyCredits: 7 } } }))
      const { catalog, embedding: embedder } = await read({ PARLEY_CONFIG: path, OPENAI_API_KEY: "hunter2" })
      expect(catalog.tiers[0].monthlyCredits).toBe(7)
      expect(embedder).toMatchObject({
        model: "text-embedding-3-large",
        dimensions: 1024,
        isAsked: true,
        batch: 256,
        weight: 0.2,
        relevantFrom: 0.4
      })
      expect(await problemsOf({ PARLEY_CONFIG: path })).toEqual([expect.stringMatching(/^PARLEY_EMBEDDING_API_KEY: /)])
      for (const wrong of [
        {},
        { ...embedding, vendor: "other" },
        { ...embedding, batch: 0 },
        { ...embedding, weight: -1 },
        { ...embedding, relevantFrom: 2 },
        { ...embedding, more: 1 }
      ]) {
        writeFileSync(path, JSON.stringify({ embedding: wrong }))
        const problems = await problemsOf({ PARLEY_CONFIG: path, OPENAI_API_KEY: "hunter2" })
        expect(problems).toEqual([expect.stringMatching(/^PARLEY_CONFIG: embedding: /)])
      }
      writeFileSync(
        path,
        JSON.stringify({ embedding: { vendor: "openai", model: "our-own", baseUrl: "http://127.0.0.1:1" } })
      )
      expect(await problemsOf({ PARLEY_CONFIG: path, PARLEY_EMBEDDING_API_KEY: "none" })).toEqual([
        "PARLEY_CONFIG: embedding.dimensions: expected the number of dimensions of the model's embeddings"
      ])
      const local = {
        vendor: "local",
        model: "our/model",
        models: "models",
        dimensions: 384,
        pooling: "cls",
        weight: 0
      }
      writeFileSync(path, JSON.stringify({ embedding: local }))
      expect((await read({ PARLEY_CONFIG: path })).embedding).toEqual({
        ...{ _tag: "Local", model: "our/model", dimensions: 384, pooling: "cls", precision: undefined, weight: 0 },
        ...{ relevantFrom: undefined, models: resolve("models"), installedIn: resolve("."), usdPerMillionTokens: 0 }
      })
      const { models: _models, ...without } = local
      writeFileSync(path, JSON.stringify({ embedding: without }))
      expect(await problemsOf({ PARLEY_CONFIG: path })).toEqual([
        expect.stringMatching(/^PARLEY_CONFIG: embedding: .*"vendor": "local"/)
      ])
      const reranking = { vendor: "cohere", model: "rerank-2.5", baseUrl: "https://rerank.example/v1" }
      writeFileSync(path, JSON.stringify({ reranking }))
      const { reranking: reranker } = await read({ PARLEY_CONFIG: path, PARLEY_RERANKING_API_KEY: "hunter2" })
      expect(reranker).toMatchObject({ model: "rerank-2.5", baseUrl: "https://rerank.example/v1" })
      expect((await read({})).reranking).toBeUndefined()
      expect(await problemsOf({ PARLEY_CONFIG: path })).toEqual([expect.stringMatching(/^PARLEY_RERANKING_API_KEY: /)])
      for (const wrong of [{}, { vendor: "other" }, { ...reranking, baseUrl: "ftp://x" }, { ...reranking, more: 1 }]) {
        writeFileSync(path, JSON.stringify({ reranking: wrong }))
        const problems = await problemsOf({ PARLEY_CONFIG: path, PARLEY_RERANKING_API_KEY: "hunter2" })
        expect(problems).toEqual([expect.stringMatching(/^PARLEY_CONFIG: reranking: /)])
      }
      const own = { vendor: "ours", vendorModel: "x", creditsPer1kInput: 1, creditsPer1kOutput: 1 }
      writeFileSync(path, JSON.stringify({ models: { own } }))
      expect(await problemsOf({ PARLEY_CONFIG: path })).toEqual([
        'PARLEY_CONFIG: models.own.vendor: expected one of openai, anthropic, or another that "vendors" describes'
      ])
      writeFileSync(path, "{hunter2")
      expect(await problemsOf({ PARLEY_CONFIG: path })).toEqual(["PARLEY_CONFIG: the file is not JSON"])
    } finally {
      rmSync(place, { recursive: true })
    }
  })
})

describe("the challenge of visitors", () => {
  const keys = { TURNSTILE_SITE_KEY: "0x4AAAAAAA", TURNSTILE_SECRET_KEY: "hunter2" }

  it("is none, or Turnstile with both of its keys, whose secret is not printed", async () => {
    expect((await read({})).turnstile).toBeUndefined()
    const { turnstile } = await read(keys)
    expect(turnstile?.siteKey).toBe("0x4AAAAAAA")
    expect(JSON.stringify(turnstile)).not.toContain("hunter2")
  })

  it.each(Object.keys(keys))("names %s if it alone is missing", async (missing) => {
    const problems = await problemsOf({ ...keys, [missing]: undefined })
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${missing}: expected`))])
    expect(problems.join()).not.toContain("hunter2")
  })
})

describe("the CRM providers", () => {
  const free = {
    CRM_PROVIDER_ONE_CLIENT_ID: "id-1",
    CRM_PROVIDER_ONE_CLIENT_SECRET: "hunter2",
    CRM_PROVIDER_ONE_AUTHORIZE_URL: "https://crm.example/authorize",
    CRM_PROVIDER_ONE_TOKEN_URL: "https://crm.example/token"
  }
  const preset = {
    CRM_PROVIDER_TWO_PRESET: "Pipedrive",
    CRM_PROVIDER_TWO_CLIENT_ID: "id-2",
    CRM_PROVIDER_TWO_CLIENT_SECRET: "hunter2"
  }

  it("are none, the two addresses of any provider, or a preset with what is set laid over it", async () => {
    expect((await read({})).crmProviders).toEqual([])
    const { crmProviders } = await read({
      ...free,
      ...preset,
      CRM_PROVIDER_ONE_SCOPES: "contacts  deals.write",
      CRM_PROVIDER_ONE_ISSUER: "https://crm.example",
      CRM_PROVIDER_ONE_REVOKE_URL: "https://crm.example/revoke",
      CRM_PROVIDER_TWO_TOKEN_URL: "http://127.0.0.1:9/token"
    })
    expect(crmProviders).toMatchObject([
      {
        id: "provider_one",
        name: "crm.example",
        clientId: "id-1",
        tokenAuth: "client_secret_basic",
        scopes: ["contacts", "deals.write"],
        issuer: "https://crm.example",
        revokeUrl: "https://crm.example/revoke"
      },
      {
        id: "provider_two",
        name: "Pipedrive",
        authorizeUrl: "https://oauth.pipedrive.com/oauth/authorize",
        tokenUrl: "http://127.0.0.1:9/token",
        revokeUrl: "https://oauth.pipedrive.com/oauth/revoke",
        scopes: []
      }
    ])
    expect(JSON.stringify(crmProviders)).not.toContain("hunter2")
  })

  it("want a key for their tokens in production, and are not served without one", async () => {
    const production = { NODE_ENV: "production", PARLEY_ALLOW_STAND_INS: "1", ...SIGN_IN }
    expect(await problemsOf({ ...free, ...production }, true)).toEqual([
      expect.stringContaining("PARLEY_ENCRYPTION_KEY: a CRM provider is set up")
    ])
    const key = Buffer.alloc(32, SECRET).toString("base64")
    expect(serveRefusals(await read({ ...free, ...production, PARLEY_ENCRYPTION_KEY: key }))).toEqual([])
    expect(serveRefusals(await read(production))).toEqual([])
  })

  it("are listed by doctor, each with the redirect address to register", async () => {
    const environment = { ...free, CRM_PROVIDER_ONE_NAME: "Harbour CRM", PARLEY_BASE_URL: "https://parley.example/" }
    const checks = await Effect.runPromise(configurationChecks(readSettings(environment, folder)))
    expect(checks.filter(({ name }) => name === "crm").map(({ detail }) => detail)).toEqual([
      "Harbour CRM; its redirect address is https://parley.example/api/crm/provider_one/callback"
    ])
  })

  it("that are set up in part are a problem, each missing setting by its name", async () => {
    const named = async (environment: Environment) =>
      (await problemsOf(environment)).map((problem) => problem.split(":")[0]).toSorted()
    expect(await named({ CRM_PROVIDER_ONE_SCOPES: "contacts" })).toEqual([
      "CRM_PROVIDER_ONE_AUTHORIZE_URL",
      "CRM_PROVIDER_ONE_CLIENT_ID",
      "CRM_PROVIDER_ONE_CLIENT_SECRET",
      "CRM_PROVIDER_ONE_TOKEN_URL"
    ])
    for (const name of Object.keys(free)) expect(await named({ ...free, [name]: "" })).toEqual([name])
    for (const name of Object.keys(preset).slice(1)) expect(await named({ ...preset, [name]: "" })).toEqual([name])
  })

  it("with an unsafe address are a problem, reported without the value", async () => {
    const wrong = {
      CRM_PROVIDER_ONE_AUTHORIZE_URL: "http://hunter2.example/authorize",
      CRM_PROVIDER_ONE_TOKEN_URL: "https://me:hunter2@crm.example/token",
      CRM_PROVIDER_ONE_REVOKE_URL: "hunter2",
      CRM_PROVIDER_ONE_ISSUER: "https://crm.example/#hunter2",
      CRM_PROVIDER_ONE_SCOPES: 'contacts "hunter2"',
      CRM_PROVIDER_ONE_TOKEN_AUTH: "hunter2",
      CRM_PROVIDER_TWO_PRESET: "hunter2"
    }
    const problems = await problemsOf({ ...free, ...preset, ...wrong })
    expect(problems.map((problem) => problem.split(":")[0]).toSorted()).toEqual(Object.keys(wrong).toSorted())
    expect(problems.join()).not.toContain("hunter2")
    expect(await problemsOf({ ...preset, CRM_PROVIDER_TWO_TOKEN_AUTH: "none" })).toEqual([
      expect.stringContaining("CRM_PROVIDER_TWO_TOKEN_AUTH: expected a way with a secret")
    ])
    const isPublic = { ...free, CRM_PROVIDER_ONE_TOKEN_AUTH: "none", CRM_PROVIDER_ONE_CLIENT_SECRET: "" }
    expect((await read(isPublic)).crmProviders).toMatchObject([{ tokenAuth: "none", clientSecret: undefined }])
  })
})

describe("where files rest", () => {
  const bucket = {
    PARLEY_FILES_URL: "s3://acme-documents/parley?region=eu-central-1",
    AWS_ACCESS_KEY_ID: "id-1",
    AWS_SECRET_ACCESS_KEY: "hunter2"
  }

  it("is the database, or a bucket with its credentials, whose secret is not printed", async () => {
    expect((await read({ AWS_ACCESS_KEY_ID: "id-1" })).files).toBeUndefined()
    const { files } = await read(bucket)
    expect(files).toMatchObject({
      bucket: "acme-documents",
      prefix: "parley/",
      region: "eu-central-1",
      accessKeyId: "id-1"
    })
    expect(JSON.stringify(files)).not.toContain("hunter2")
    const named = async (environment: Environment) =>
      (await problemsOf(environment)).map((problem) => problem.split(":")[0])
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) {
      expect(await named({ ...bucket, [name]: "" })).toEqual([name])
    }
    const wrong = await problemsOf({ ...bucket, PARLEY_FILES_URL: "s3://me:hunter2@acme-documents" })
    expect(wrong).toEqual([expect.stringContaining("PARLEY_FILES_URL: expected s3://<bucket>")])
    expect(wrong.join()).not.toContain("hunter2")
  })
})

it("questions are rewritten only if PARLEY_REWRITE_QUESTIONS is on", async () => {
  const rewriting = async (value: string) => (await read({ PARLEY_REWRITE_QUESTIONS: value })).settings.rewriteQuestions
  expect([await rewriting("on"), await rewriting("OFF"), await rewriting("")]).toEqual([true, undefined, undefined])
  expect(await problemsOf({ PARLEY_REWRITE_QUESTIONS: "1" })).toEqual([
    "PARLEY_REWRITE_QUESTIONS: expected one of on, off"
  ])
})

describe("tasksOf", () => {
  it("leaves the beginning of periods to a schedule that can call, or disables it if configured", async () => {
    const others = ["jobs", "requeue", "files", "holds", "callLimits", "paymentEvents", "verification", "events"]
    expect(tasksOf(await read({}))).toEqual([...others, "resets"])
    expect(tasksOf(await read({ PARLEY_RESET: "AUTO" }))).toEqual([...others, "resets"])
    expect(tasksOf(await read({ CRON_SECRET: SECRET }))).toEqual(others)
    expect(tasksOf(await read({ PARLEY_RESET: "off" }))).toEqual(others)
    expect(await problemsOf({ PARLEY_RESET: "hunter2" })).toEqual(["PARLEY_RESET: expected one of auto, off"])
  })

  it("deletes old chats and log entries if the retention of one of them is set", async () => {
    expect(tasksOf(await read({}))).not.toContain("retention")
    for (const name of ["CHATS", "VISITORS", "LOGS"]) {
      expect(tasksOf(await read({ [`PARLEY_RETENTION_${name}`]: "365" }))).toContain("retention")
    }
  })

  it("catches up with the payment provider where there is one, unless it is switched off", async () => {
    const stripe = { STRIPE_SECRET_KEY: "sk_test_1", STRIPE_WEBHOOK_SECRET: "whsec_1" }
    expect(tasksOf(await read({}))).not.toContain("payments")
    expect(tasksOf(await read(stripe))).toContain("payments")
    expect(tasksOf(await read({ ...stripe, PARLEY_CATCH_UP: "off" }))).not.toContain("payments")
    expect(await problemsOf({ PARLEY_CATCH_UP: "hunter2" })).toEqual(["PARLEY_CATCH_UP: expected one of auto, off"])
  })
})

describe("a variable that does not exist", () => {
  const unknownIn = async (environment: Environment) => (await read(environment)).unknownVariables

  it("is named with the nearest one that does, and never with its value", async () => {
    const unknown = await unknownIn({
      PARLEY_SESION_SECRET: "hunter2",
      PARLEY_SESSION_JWKS: "hunter2",
      PARLEY_BASEURL: "hunter2",
      parley_base_url: "hunter2",
      PARLEY_UPLOAD_MAX_BYTES: "1",
      OTHER_SESSION_SECRET: "hunter2"
    })
    expect(unknown).toEqual([
      { name: "PARLEY_BASEURL", nearest: "PARLEY_BASE_URL" },
      { name: "PARLEY_SESION_SECRET", nearest: "PARLEY_SESSION_SECRET" },
      { name: "PARLEY_SESSION_JWKS", nearest: "PARLEY_SESSION_JWKS_URL" }
    ])
  })

  it("is none that is blank, that only other settings make count, or that tests read", async () => {
    const settings = {
      PARLEY_SESION_SECRET: " ",
      PARLEY_OCR_LANGUAGES: "eng",
      PARLEY_EMBEDDING_API_KEY: "key",
      PARLEY_TEST_SEED: "1",
      PARLEY_CI_POSTGRES_PORT: "1"
    }
    expect(await unknownIn(settings)).toEqual([])
  })

  it("is listed among the reasons against a configuration", async () => {
    const environment = { HOST: "0.0.0.0", PARLEY_SESION_SECRET: SECRET }
    expect(await problemsOf(environment, true)).toEqual([
      expect.stringContaining("PARLEY_SESSION_SECRET or PARLEY_SMTP_URL: HOST is not a loopback address"),
      "PARLEY_SESION_SECRET: there is no such variable; the nearest is PARLEY_SESSION_SECRET"
    ])
  })
})

describe("serveRefusals", () => {
  it("wants sessions to be verified wherever others can reach the server", async () => {
    const exposed = [
      { HOST: "0.0.0.0" },
      { HOST: "::" },
      { HOST: "parley.example" },
      { PARLEY_BASE_URL: "https://parley.example" },
      { PARLEY_TRUST_PROXY: "1" }
    ]
    for (const environment of exposed) {
      expect(await problemsOf(environment, true)).toEqual([expect.stringContaining("PARLEY_SESSION_SECRET")])
    }
    for (const PARLEY_BASE_URL of ["http://localhost:3000", "http://parley.localhost", "https://[::1]:3000"]) {
      expect(serveRefusals(await read({ PARLEY_BASE_URL }))).toEqual([])
    }
    const verified = { HOST: "0.0.0.0", PARLEY_SESSION_SECRET: SECRET }
    expect(serveRefusals(await read(verified))).toEqual([])
  })

  it("wants stand-ins in production to be allowed by name", async () => {
    const production = { NODE_ENV: "production", ...SIGN_IN }
    expect(await problemsOf(production, true)).toEqual([expect.stringContaining("PARLEY_ALLOW_STAND_INS=1")])
    expect(serveRefusals(await read({ ...production, PARLEY_ALLOW_STAND_INS: "1" }))).toEqual([])
  })

  it("lists refusals together with unreadable settings", async () => {
    expect(await problemsOf({ NODE_ENV: "production", PORT: "x" }, true)).toHaveLength(3)
  })

  it("returns the name of the cookie that counts: over https the one with __Host-", async () => {
    const nameOf = async (environment: Environment) => sessionCookieName(await read(environment))
    const https = { PARLEY_BASE_URL: "https://parley.example" }
    expect(await nameOf({ PARLEY_BASE_URL: "http://localhost:3000" })).toBe("parley_session")
    expect(await nameOf(https)).toBe("__Host-parley_session")
    expect(await nameOf({ PARLEY_BASE_URL: "HTTPS://parley.example" })).toBe("__Host-parley_session")
    expect(await nameOf({ ...https, PARLEY_SESSION_COOKIE: "__Host-sid" })).toBe("__Host-sid")
  })

  it("knows which addresses only this machine reaches", () => {
    const local = ["localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]", "LOCALHOST"]
    const open = ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example", "localhost.example", "128.0.0.1"]
    expect([...local, ...open].filter(isLoopback)).toEqual(local)
  })
})
