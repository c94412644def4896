import { makeCatalog } from "@parley/core"
import {
  ChatModels,
  DocumentParser,
  DocumentUnreadable,
  ModelUnavailable,
  paymentProviderLayer
} from "@parley/core/adapter"
import {
  BotService,
  Catalog,
  ConversationService,
  noCrmLayer,
  noPayments,
  parleyLayer,
  RetentionSweeper,
  settingsLayer,
  WidgetService
} from "@parley/core/effect"
import { newUserId } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { LIMITS } from "../../src/database/limits.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { storesLayer } from "../../src/storesLayer.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"

const FILES = 4
/** Deleting one file takes this long, and a statement may take less than twice of it. */
const EACH_MS = 1_000
const short = { statementMs: EACH_MS * 1.9 }
const limits = {
  ...LIMITS,
  interactive: { ...LIMITS.interactive, ...short },
  maintenance: { ...LIMITS.maintenance, ...short },
  documents: { ...LIMITS.documents, ...short }
}

const services = Layer.unwrap(
  Effect.map(migratedPostgres, (url) => {
    const database = PgDatabaseLayer({ url, maxConnections: 10, limits })
    const ports = Layer.mergeAll(
      paymentProviderLayer(noPayments),
      noCrmLayer,
      Layer.succeed(Catalog, makeCatalog({})),
      Layer.succeed(ChatModels, { resolve: ({ id: model }) => Effect.fail(new ModelUnavailable({ model })) }),
      Layer.succeed(DocumentParser, { parse: () => Effect.fail(new DocumentUnreadable({ reason: "Not read." })) }),
      Layer.provideMerge(storesLayer(), database)
    )
    return parleyLayer.pipe(
      Layer.provideMerge(ports),
      Layer.provide(settingsLayer({ retention: { visitorsMs: 86_400_000 } }))
    )
  })
)

const slowDeletion = Effect.gen(function* () {
  const { schema } = yield* Database
  const { asOwner } = yield* DatabaseOwner
  yield* asOwner((sql) =>
    sql.script(`CREATE OR REPLACE FUNCTION ${schema}.be_slow() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(${EACH_MS / 1_000}); RETURN OLD; END $$;
      CREATE OR REPLACE TRIGGER slow BEFORE DELETE ON ${schema}.documents FOR EACH ROW EXECUTE FUNCTION ${schema}.be_slow()`)
  )
})

const filled = Effect.gen(function* () {
  const owner = newUserId()
  const bot = yield* BotService.use((bots) => bots.create(owner, { displayName: "Ada", visitorUploads: true }))
  const file = { publicKey: bot.keys[0]?.publicKey ?? "", visitorId: "v-1", address: "192.0.2.1", filename: "a.txt" }
  let conversationId: string | undefined
  for (let number = 1; number <= FILES; number++) {
    const more = conversationId === undefined ? {} : { conversationId }
    const bytes = new TextEncoder().encode(`Storks ${number}`)
    conversationId = (yield* WidgetService.use((widget) => widget.attach({ ...file, ...more, bytes }))).conversationId
  }
  return { owner, botId: bot.id, conversationId: conversationId ?? "" }
})

const left = (owner: string) =>
  Effect.gen(function* () {
    const { schema, statement } = yield* Database
    const count = (table: string) => `(SELECT count(*)::int FROM ${schema}.${table} WHERE user_id = $1)`
    const [row] = yield* statement(`SELECT ${count("documents")} AS documents, ${count("chats")} AS chats`, [owner])
    return row
  })

const age = Effect.gen(function* () {
  const { schema, statement } = yield* Database
  yield* statement(`UPDATE ${schema}.chats SET updated_at = now() - interval '2 days'`)
})

describe.runIf(hasPostgres)("files whose deletion takes longer together than a statement may", () => {
  type Filled = Effect.Success<typeof filled>
  it.each([
    [
      "a conversation, as its owner deletes it",
      ({ botId, conversationId, owner }: Filled) =>
        ConversationService.use((all) => all.remove(owner, botId, conversationId))
    ],
    ["a bot", ({ botId, owner }: Filled) => BotService.use((bots) => bots.remove(owner, botId.toUpperCase()))],
    [
      "unused conversations",
      () =>
        Effect.andThen(
          age,
          RetentionSweeper.use(({ sweep }) => sweep)
        )
    ]
  ] as const)("go with %s", (_, remove) =>
    Effect.gen(function* () {
      yield* slowDeletion
      const all = yield* filled
      expect(yield* left(all.owner)).toEqual({ documents: FILES, chats: 1 })
      yield* remove(all)
      expect(yield* left(all.owner)).toEqual({ documents: 0, chats: 0 })
    }).pipe(Effect.provide(services, { local: true }), Effect.runPromise)
  )
})
