import { Effect, Layer } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { BotSettings } from "../../src/bots/Bot.ts"
import { decodeBotChange, decodeBotDraft } from "../../src/bots/BotDraft.ts"
import { ActiveBots, BotService, MAX_BOT_KEYS, MAX_BOTS } from "../../src/bots/BotService.ts"
import { BotStore } from "../../src/bots/BotStore.ts"
import { isPublicKey, newPublicKey } from "../../src/bots/publicKey.ts"
import { ChatStore } from "../../src/chat/store/ChatStore.ts"
import { DocumentStore } from "../../src/documents/storing/DocumentStore.ts"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { newBot } from "../../src/testing/bots/botFixtures.ts"
import { ampleQuota, newDocument, newTurn, newUserId, newVisitor } from "../../src/testing/storage/storageFixtures.ts"
import { type Run, suiteOn } from "../../src/testing/suiteOn.ts"
import { Catalog, makeCatalog } from "../../src/tiers/Catalog.ts"

const layer = Layer.provideMerge(
  Layer.merge(ActiveBots.layer, BotService.layer),
  Layer.merge(inMemoryStorageLayer, Layer.succeed(Catalog, makeCatalog()))
)

const issuesOf = (sent: unknown) =>
  Effect.runSync(
    Effect.match(decodeBotDraft(sent), {
      onSuccess: () => [],
      onFailure: ({ issues }) => issues.map(({ path }) => path)
    })
  )

describe("the settings of a bot", () => {
  it("need a name; all else is set to something usable", () => {
    expect(Effect.runSync(decodeBotDraft({ displayName: "  Ada  " }))).toEqual({
      displayName: "Ada",
      welcomeMessage: "Hello! How can I help you?",
      primaryColor: "#2563eb",
      position: "auto",
      launcherText: null,
      cornerRadius: 18,
      font: "system",
      colorScheme: "auto",
      modelId: null,
      instructions: "",
      documentIds: [],
      allowedSites: [],
      dailyCap: null,
      declineText: null,
      suggestedQuestions: [],
      welcomeCards: [],
      translations: {},
      showSources: true,
      visitorUploads: false,
      handOver: false,
      handOverEmail: null,
      personName: null,
      openingHours: null,
      active: true
    })
    expect(issuesOf({})).toEqual(["displayName"])
    expect(issuesOf(null)).toEqual(["body"])
  })

  it("are kept in one form: trimmed, each thing once, sites and colours in lower case", () => {
    const id = "0B5F9A52-6C1D-4F0E-9D6B-2F8A4C3E7D10"
    const draft = {
      displayName: "Ada",
      primaryColor: "#AbCdEf",
      documentIds: [id, id.toLowerCase()],
      allowedSites: ["Example.com", "https://example.com/", " http://LOCALHOST:8080 ", "https://*.shop.example"],
      suggestedQuestions: [" Why? ", "Why?"],
      welcomeCards: [
        { title: " Prices ", text: " ", link: "https://shop.example/prices?all#top", color: "red" },
        { title: "Help", text: " At any time.\n", question: " Who helps? " }
      ],
      declineText: "  ",
      launcherText: "  ",
      owner: "somebody else",
      id: "mine"
    }
    expect(Effect.runSync(decodeBotDraft(draft))).toMatchObject({
      primaryColor: "#abcdef",
      documentIds: [id.toLowerCase()],
      allowedSites: ["https://example.com", "http://localhost:8080", "https://*.shop.example"],
      suggestedQuestions: ["Why?"],
      welcomeCards: [
        { title: "Prices", link: "https://shop.example/prices?all#top" },
        { title: "Help", text: "At any time.", question: "Who helps?" }
      ],
      declineText: null,
      launcherText: null
    })
    expect(Object.keys(Effect.runSync(decodeBotDraft(draft)))).not.toContain("owner")
  })

  it("have texts by language, without blank ones", () => {
    const translations = {
      fr: { welcomeMessage: "Bonjour !", suggestedQuestions: [" Où ? ", "Où ?"], declineText: " " },
      it: { launcherText: " Chiedi " },
      es: { welcomeCards: [{ title: " Precios ", text: "", question: "¿Cuánto? " }] },
      ja: { welcomeMessage: " ", suggestedQuestions: [], welcomeCards: [], launcherText: "" },
      xx: { welcomeMessage: "?" }
    }
    expect(Effect.runSync(decodeBotChange({ translations }))).toEqual({
      translations: {
        fr: { welcomeMessage: "Bonjour !", suggestedQuestions: ["Où ?"] },
        it: { launcherText: "Chiedi" },
        es: { welcomeCards: [{ title: "Precios", question: "¿Cuánto?" }] }
      }
    })
  })

  it.each<[keyof BotSettings, ReadonlyArray<unknown>]>([
    ["displayName", ["", " ", "a\nb", "x".repeat(101), "\0", "\ud800", 7, null]],
    ["primaryColor", ["red", "#fff", "#12345g", "#1234567", "#123456;", "url(x)", "</style>", null]],
    ["position", ["top", "", null]],
    ["launcherText", ["x".repeat(31), "a\nb", "\0", 7]],
    ["cornerRadius", [-1, 25, 1.5, "6", null]],
    ["font", ["Comic Sans", "url(x)", "", null]],
    ["colorScheme", ["sepia", null]],
    ["welcomeMessage", ["x".repeat(1_001), "\0", null]],
    ["instructions", ["x".repeat(8_001), "\udfff"]],
    ["modelId", ["", "x".repeat(101), 7]],
    ["documentIds", [["nonsense"], Array.from({ length: 1_001 }, () => crypto.randomUUID()), "one", null]],
    [
      "allowedSites",
      [
        ["*"],
        ["https://*"],
        ["https://a.example/path"],
        ["javascript:alert(1)"],
        ["https://a.example; script-src *"],
        ["https://a.example\nx"],
        ["https://a.example 'self'"],
        ["https://a.example,b"],
        ["data:"],
        ["ftp://a.example"],
        ["https://a.example:0"],
        ["https://user@a.example"],
        ["//a.example"],
        Array.from({ length: 51 }, (_, index) => `https://a${index}.example`)
      ]
    ],
    ["dailyCap", [-1, 1.5, Number.NaN, 2 ** 53, "7"]],
    ["declineText", ["x".repeat(1_001), "\0"]],
    ["suggestedQuestions", [[""], ["x".repeat(201)], ["a\tb"], Array.from({ length: 7 }, (_, i) => `Why ${i}?`)]],
    [
      "welcomeCards",
      [
        ["Prices"],
        [{ title: "Prices" }],
        [{ title: " ", question: "Why?" }],
        [{ title: "a\nb", question: "Why?" }],
        [{ title: "x".repeat(81), question: "Why?" }],
        [{ title: "Prices", question: "a\nb" }],
        [{ title: "Prices", question: "x".repeat(201) }],
        [{ title: "Prices", text: "x".repeat(201), question: "Why?" }],
        [{ title: "Prices", link: "https://a.example", question: "Why?" }],
        ...[
          "",
          "a.example",
          "//a.example",
          "javascript:alert(1)",
          "java\nscript:alert(1)",
          " https://a.example",
          "https://a.example\n",
          "https://a.example/a b",
          "https://a.example\0",
          "https://",
          "https://user@a.example",
          "https://a:b@a.example",
          "mailto:a@a.example",
          "data:text/html,a",
          "ftp://a.example",
          `https://a.example/${"x".repeat(2_000)}`
        ].map((link) => [{ title: "Prices", link }]),
        Array.from({ length: 7 }, (_, i) => ({ title: `${i}`, question: "Why?" }))
      ]
    ],
    [
      "translations",
      [
        null,
        { fr: null },
        { de: { welcomeMessage: "x".repeat(1_001) } },
        { ar: { suggestedQuestions: ["a\nb"] } },
        { ja: { suggestedQuestions: Array.from({ length: 7 }, (_, i) => `${i}`) } },
        { pl: { declineText: "\0" } },
        { nl: { launcherText: "x".repeat(31) } },
        { es: { welcomeCards: [{ title: "Prices", link: "javascript:alert(1)" }] } }
      ]
    ],
    ["showSources", ["yes", null]],
    ["visitorUploads", ["yes", null]],
    ["active", [1, null]]
  ])("are refused with what is wrong: %s", (name, values) => {
    for (const value of values) {
      const paths = issuesOf({ displayName: "Ada", [name]: value })
      expect(paths.length, JSON.stringify(value)).toBeGreaterThan(0)
      for (const path of paths) expect(path.split(/[.[]/)[0]).toBe(name)
    }
  })

  it("no accepted site contains a character that could end a header or a directive", () => {
    const parts = fc.constantFrom(
      "https://",
      "http://",
      "a",
      "example.com",
      "*",
      ".",
      ":",
      "80",
      "/",
      ";",
      " ",
      ",",
      "'",
      "\n"
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), (pieces) => {
        const decoded = Effect.runSync(Effect.option(decodeBotChange({ allowedSites: [pieces.join("")] })))
        const [site] = decoded._tag === "Some" ? (decoded.value.allowedSites ?? []) : []
        if (site !== undefined) expect(site).toMatch(/^https?:\/\/[a-z0-9*.-]+(:\d+)?$/)
      }),
      { numRuns: 2_000 }
    )
  })

  it("problems are listed up to a bound, and never repeat the request", () => {
    const sent = {
      displayName: "Ada",
      suggestedQuestions: Array.from({ length: 6 }, () => "secret\n"),
      primaryColor: "secret"
    }
    const failed = Effect.runSync(Effect.flip(decodeBotDraft(sent)))
    expect(failed.message).not.toContain("secret")
  })
})

describe("a public key", () => {
  it("is pk_ and 160 random bits, of which no two are alike", async () => {
    const keys = await Promise.all(Array.from({ length: 500 }, () => Effect.runPromise(newPublicKey)))
    expect(keys.every(isPublicKey)).toBe(true)
    expect(new Set(keys).size).toBe(keys.length)
    // Each of the 32 places takes all of the 32 characters: five bits each.
    for (let place = 3; place < 35; place++) {
      expect(new Set(keys.map((key) => key.charAt(place))).size).toBe(32)
    }
  })

  it("has one form", () => {
    for (const text of [
      "",
      "pk_",
      "pk_short",
      `pk_${"a".repeat(33)}`,
      `sk_${"a".repeat(32)}`,
      `pk_${"A".repeat(32)}`
    ]) {
      expect(isPublicKey(text)).toBe(false)
    }
  })
})

const owning = (run: Run<Layer.Success<typeof layer>>) => {
  it("a bot is made with one key, and found by it until it is switched off", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotService
        const active = yield* ActiveBots
        const owner = newUserId()
        const bot = yield* bots.create(owner, { displayName: "Ada" })
        const key = bot.keys[0]?.publicKey ?? ""
        expect(yield* bots.get(owner, bot.id)).toEqual(bot)
        expect(yield* bots.list(owner)).toEqual([bot])
        expect(yield* active.findByKey(key)).toEqual(bot)
        yield* bots.update(owner, bot.id, { active: false })
        expect(yield* active.findByKey(key)).toBeUndefined()
        yield* bots.update(owner, bot.id, { active: true })
        expect((yield* active.findByKey(key))?.id).toBe(bot.id)
      })
    ))

  it("a bot that an earlier release stored has no translations", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotService
        const store = yield* BotStore
        const owner = newUserId()
        const { translations: _none, ...older } = newBot(owner)
        yield* store.insert(older as ReturnType<typeof newBot>, 1)
        expect((yield* bots.get(owner, older.id)).translations).toEqual({})
      })
    ))

  it("keys are rotated without a moment in which none works", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotService
        const active = yield* ActiveBots
        const owner = newUserId()
        const { id, keys } = yield* bots.create(owner, { displayName: "Ada" })
        const old = keys[0]?.publicKey ?? ""
        expect((yield* Effect.flip(bots.retireKey(owner, id, old))).code).toBe("last_bot_key")
        const added = yield* bots.addKey(owner, id)
        const fresh = added.keys.at(-1)?.publicKey ?? ""
        for (const key of [old, fresh]) expect((yield* active.findByKey(key))?.id).toBe(id)
        expect((yield* bots.retireKey(owner, id, old)).keys.map(({ publicKey }) => publicKey)).toEqual([fresh])
        expect(yield* active.findByKey(old)).toBeUndefined()
        expect((yield* Effect.flip(bots.retireKey(owner, id, old))).code).toBe("bot_key_not_found")
        for (let count = 1; count < MAX_BOT_KEYS; count++) yield* bots.addKey(owner, id)
        expect((yield* Effect.flip(bots.addKey(owner, id))).code).toBe("too_many_bot_keys")
      })
    ))

  it("models that do not exist and documents of others are refused, and nothing is made or changed", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotService
        const documents = yield* DocumentStore
        const owner = newUserId()
        const foreign = newDocument(newUserId())
        yield* documents.insert(foreign, ampleQuota)
        const bot = yield* bots.create(owner, { displayName: "Ada" })
        const refused = [
          [{ modelId: "model-x" }, "invalid_bot"],
          [{ documentIds: [foreign.id] }, "document_forbidden"],
          [{ documentIds: [crypto.randomUUID()] }, "document_not_found"]
        ] as const
        for (const [settings, code] of refused) {
          expect((yield* Effect.flip(bots.create(owner, { displayName: "Eve", ...settings }))).code).toBe(code)
          expect((yield* Effect.flip(bots.update(owner, bot.id, settings))).code).toBe(code)
        }
        expect(yield* bots.list(owner)).toEqual([bot])
      })
    ))

  it("another person's bot does not exist", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotService
        const { id, keys } = yield* bots.create(newUserId(), { displayName: "Ada" })
        const stranger = newUserId()
        for (const botId of [id, crypto.randomUUID()]) {
          const tries = [
            bots.get(stranger, botId),
            bots.update(stranger, botId, { active: false }),
            bots.update(stranger, botId, { documentIds: [crypto.randomUUID()] }),
            bots.remove(stranger, botId),
            bots.addKey(stranger, botId),
            bots.retireKey(stranger, botId, keys[0]?.publicKey ?? "")
          ]
          for (const attempt of tries) {
            const failed = yield* Effect.flip(attempt as Effect.Effect<unknown, { readonly code: string }>)
            expect(failed.code).toBe("bot_not_found")
          }
        }
      })
    ))

  it("a bot that is deleted takes its conversations with it, and leaves the owner's chats and other bots", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotService
        const active = yield* ActiveBots
        const chats = yield* ChatStore
        const owner = newUserId()
        const [gone, stays] = [
          yield* bots.create(owner, { displayName: "Ada" }),
          yield* bots.create(owner, { displayName: "Bob" })
        ]
        const said = [newTurn(newVisitor(owner, gone.id)), newTurn(newVisitor(owner, stays.id)), newTurn(owner)]
        for (const turn of said) yield* chats.beginTurn(turn)
        yield* bots.remove(owner, gone.id)
        const left = yield* Effect.forEach(said, (turn) => chats.transcript({ ...turn, limit: 1 }))
        expect(left.map((found) => found !== undefined)).toEqual([false, true, true])
        expect(yield* active.findByKey(gone.keys[0]?.publicKey ?? "")).toBeUndefined()
      })
    ))

  it("a row that was changed by hand into an invalid bot is reported, and answers no visitor", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotService
        const active = yield* ActiveBots
        const owner = newUserId()
        const broken = newBot(owner, { primaryColor: "</style>" })
        yield* (yield* BotStore).insert(
          { ...broken, keys: [{ publicKey: `pk_${"0".repeat(32)}`, createdAt: 1 }] },
          MAX_BOTS
        )
        expect((yield* Effect.flip(bots.get(owner, broken.id))).code).toBe("bot_misconfigured")
        expect((yield* Effect.flip(active.findByKey(`pk_${"0".repeat(32)}`))).code).toBe("bot_misconfigured")
        expect((yield* bots.update(owner, broken.id, { primaryColor: "#000000" })).primaryColor).toBe("#000000")
        yield* bots.remove(owner, broken.id)
      })
    ))
}

suiteOn("BotService", layer, owning)
