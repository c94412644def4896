import {
  type BeginTurnInput,
  ChatRecords,
  ChatStore,
  ConversationFiles,
  DocumentStore,
  ImageStore
} from "@parley/core/adapter"
import { ampleQuota, newDocument, newTurn, newVisitor } from "../../../core/src/testing/storage/storageFixtures.ts"
import { Cause, Effect, Exit, Layer } from "effect"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { ARCHIVED_KINDS, type ArchivedKind, archiveRows } from "../../src/archiving/archiveRows.ts"
import { PgChatStoreLayer } from "../../src/chat/PgChatStore.ts"
import { PgConversationFilesLayer } from "../../src/chat/PgConversationFiles.ts"
import { PgImageStoreLayer } from "../../src/chat/PgImageStore.ts"
import { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { PgDocumentStoreLayer } from "../../src/documents/storing/PgDocumentStore.ts"
import { builtOnce } from "../builtOnce.ts"
import { ageChat } from "../chat/ageChat.ts"
import { databases } from "../databases.ts"

const DAY_MS = 86_400_000

/** Lines as an archive receives them. */
const collected = () => {
  const lines: Array<Record<string, unknown>> = []
  const keep = (more: ReadonlyArray<string>) =>
    Effect.sync(() => void lines.push(...more.map((line) => JSON.parse(line) as Record<string, unknown>)))
  return { lines, keep }
}

const stored = ({ chatId, owner }: BeginTurnInput) =>
  ChatStore.use((chats) =>
    Effect.map(chats.transcript({ owner, chatId, limit: 100 }), (found) =>
      found?.messages.map(({ content }) => content)
    )
  )

/** Removes the rows of each kind: to migrate another database takes longer than all tests on it. */
const empty = Effect.gen(function* () {
  const { schema } = yield* Database
  const { asOwner } = yield* DatabaseOwner
  yield* asOwner(({ script }) =>
    script(
      `ALTER TABLE ${schema}.audit_log DISABLE TRIGGER USER;
       TRUNCATE ${schema}.chats, ${schema}.audit_log, ${schema}.payment_events CASCADE;
       ALTER TABLE ${schema}.audit_log ENABLE TRIGGER USER`
    )
  )
})

/** An old and a young row of each kind. Returns the ids by which lines name the old ones. */
const fill = Effect.gen(function* () {
  const { schema, statement } = yield* Database
  const chats = yield* ChatStore
  const turn = (owner: Parameters<typeof newTurn>[0]) => {
    const made = newTurn(owner)
    return { ...made, reply: { ...made.reply, content: "It grew." } }
  }
  const [own, visitors] = [turn("ann"), turn(newVisitor("ann"))]
  for (const old of [own, visitors]) {
    yield* chats.beginTurn(old)
    yield* ageChat(old, 50 * DAY_MS)
    yield* chats.beginTurn(turn(old.owner))
  }
  const audit = `INSERT INTO ${schema}.audit_log (at, action, operator, details) VALUES
    (now() - interval '50 days', 'users block', 'olga', 'old'), (now() - interval '35 days', 'users block', 'olga', '')`
  yield* statement(audit)
  yield* statement(`INSERT INTO ${schema}.payment_events (event_id, kind, created_at, received_at, owner, state, note, payload)
    SELECT 'evt_' || days || state, 'invoice.paid', now(), now() - days * interval '1 day', 'ann', state, '', '{"of":"a person"}'
    FROM unnest(ARRAY[50, 35]) AS days, unnest(ARRAY['applied', 'refused']) AS state`)
  return { chats: own.chatId, conversations: visitors.chatId, audit: "old", payments: "evt_50applied", own, visitors }
})

/** The number of rows that each kind has, and of payment events with their content. */
const counts = Effect.gen(function* () {
  const { schema, statement } = yield* Database
  const [row] = yield* statement<Record<ArchivedKind | "events", number>>(`SELECT
    (SELECT count(*) FROM ${schema}.chats WHERE bot = '') AS chats,
    (SELECT count(*) FROM ${schema}.chats WHERE bot <> '') AS conversations,
    (SELECT count(*) FROM ${schema}.audit_log) AS audit,
    (SELECT count(*) FROM ${schema}.payment_events WHERE payload IS NOT NULL) AS payments,
    (SELECT count(*) FROM ${schema}.payment_events) AS events`)
  return row
})

const ALL = { chats: 2, conversations: 2, audit: 2, payments: 4, events: 4 }

describe.each(databases)("archiving on $name", ({ layer: database }) => {
  const stores = Layer.mergeAll(PgChatStoreLayer, PgConversationFilesLayer, PgDocumentStoreLayer, PgImageStoreLayer)
  const layer = builtOnce(stores.pipe(Layer.provideMerge(database)))
  type Stores = ChatRecords | ChatStore | ConversationFiles | Database | DatabaseOwner | DocumentStore | ImageStore
  const run = <A, E>(work: Effect.Effect<A, E, Stores>) => Effect.runPromise(Effect.provide(work, layer))
  beforeEach(() => run(empty))

  it.each(ARCHIVED_KINDS)("old %s are handed out once, each whole, and removed; all other rows stay", (kind) =>
    run(
      Effect.gen(function* () {
        const ids = yield* fill
        const { keep, lines } = collected()
        expect(yield* archiveRows(kind, 40 * DAY_MS, keep)).toBe(1)
        expect(lines.map((line) => line["id"] ?? line["eventId"] ?? line["details"])).toEqual([ids[kind]])
        expect(yield* counts).toEqual({ ...ALL, [kind]: ALL[kind] - 1 })
        if (kind === "chats" || kind === "conversations") {
          const messages = lines[0]?.["messages"] as ReadonlyArray<{ readonly content: string }>
          expect(messages.map(({ content }) => content)).toEqual([
            ...ids.own.messages.map(({ content }) => content),
            "It grew."
          ])
        }
        if (kind === "payments") expect(lines[0]?.["payload"]).toBe('{"of":"a person"}')
        expect(yield* archiveRows(kind, 40 * DAY_MS, keep)).toBe(0)
        expect(lines).toHaveLength(1)
      })
    )
  )

  it.each(ARCHIVED_KINDS)("if %s cannot be kept elsewhere, they all stay in the database", (kind) =>
    run(
      Effect.gen(function* () {
        yield* fill
        const outcome = yield* Effect.exit(
          archiveRows(kind, 40 * DAY_MS, () => Effect.fail("the disk is full" as const))
        )
        expect(Exit.isFailure(outcome) && Cause.squash(outcome.cause)).toBe("the disk is full")
        expect(yield* counts).toEqual(ALL)
      })
    )
  )

  it("the images of a chat come before it, and its messages keep their images and ratings", () =>
    run(
      Effect.gen(function* () {
        const bytes = Uint8Array.from({ length: 200 }, (_, place) => place)
        const images = [1, 2].map(() => ({
          id: crypto.randomUUID(),
          mediaType: "image/png" as const,
          width: 9,
          height: 9,
          bytes
        }))
        for (const image of images) yield* (yield* ImageStore).add("ann", image)
        const made = newTurn("ann")
        const messages = [{ role: "user" as const, content: "Which?", images }]
        const turn = { ...made, messages, reply: { ...made.reply, content: "Both." } }
        yield* (yield* ChatStore).beginTurn(turn)
        const { chatId, owner, reply } = turn
        yield* (yield* ChatRecords).rate({ owner, chatId, messageId: reply.id, rating: { rating: "good" } })
        yield* ageChat(turn, 50 * DAY_MS)
        const { keep, lines } = collected()
        expect(yield* archiveRows("chats", 40 * DAY_MS, keep)).toBe(1)
        const base64 = Buffer.from(bytes).toString("base64")
        const image = { userId: "ann", chatId, mediaType: "image/png", base64 }
        expect(lines).toHaveLength(3)
        expect(lines.slice(0, 2)).toEqual(
          expect.arrayContaining(images.map(({ id: imageId }) => expect.objectContaining({ ...image, imageId })))
        )
        expect(lines[2]).toMatchObject({
          id: chatId,
          messages: [{ imageIds: images.map(({ id }) => id) }, { imageIds: [], rating: { rating: "good" } }]
        })
      })
    ))

  it("a conversation names the files that its visitor attached, which are deleted with it", () =>
    run(
      Effect.gen(function* () {
        const { visitors } = yield* fill
        const documents = yield* DocumentStore
        const document = newDocument("ann", { filename: "receipt.pdf", bytes: 7 })
        yield* documents.insert(document, ampleQuota)
        const { chatId, owner } = visitors
        if ("person" in owner) return expect.fail("no conversation of a visitor")
        const attaching = { owner, chatId, continues: true, document, maxFiles: 5, quota: ampleQuota }
        expect(yield* (yield* ConversationFiles).attach(attaching)).toBe("Attached")
        yield* ageChat(visitors, 50 * DAY_MS)
        const { keep, lines } = collected()
        expect(yield* archiveRows("conversations", 40 * DAY_MS, keep)).toBe(1)
        expect(lines).toMatchObject([{ id: chatId, files: [{ filename: "receipt.pdf", type: "pdf", bytes: 7 }] }])
        expect(yield* documents.list("ann")).toEqual([])
        yield* archiveRows("chats", 40 * DAY_MS, keep)
        expect(lines[1]).toMatchObject({ files: [] })
      })
    ))

  it("entries of the audit log stay for 30 days, whatever age is asked for", () =>
    run(
      Effect.gen(function* () {
        const { schema, statement } = yield* Database
        yield* statement(`INSERT INTO ${schema}.audit_log (at, action, operator, details)
          VALUES (now() - interval '29 days', 'users block', 'olga', '')`)
        expect(yield* archiveRows("audit", DAY_MS, () => Effect.void)).toBe(0)
      })
    ))
})

const outcomes = { archived: 0, continued: 0 }
const ROUNDS = 40

describe.each(databases.filter(({ name }) => name === "Postgres"))(
  "archiving on $name, beside requests",
  ({ layer: database }) => {
    it("a chat that is continued meanwhile is whole in the archive or whole in the database, and never in both", () =>
      Effect.gen(function* () {
        const chats = yield* ChatStore
        for (let round = 0; round < ROUNDS; round++) {
          const first = newTurn(`user-${round}`)
          const second = newTurn(first.owner, { chatId: first.chatId, continues: true })
          yield* chats.beginTurn(first)
          yield* ageChat(first, 2 * DAY_MS)
          const texts = (yield* stored(first)) ?? []
          const { keep, lines } = collected()
          const steps = Effect.repeat(
            Database.use(({ statement }) => statement("SELECT")),
            { times: round % 8 }
          )
          const continued = round % 2 === 0 ? Effect.andThen(steps, chats.beginTurn(second)) : chats.beginTurn(second)
          const archived =
            round % 2 === 0
              ? archiveRows("chats", DAY_MS, keep)
              : Effect.andThen(steps, archiveRows("chats", DAY_MS, keep))
          yield* Effect.all([continued, archived], { concurrency: "unbounded" })
          const now = yield* stored(first)
          outcomes[now === undefined ? "archived" : "continued"] += 1
          const line = lines.find(({ id }) => id === first.chatId)
          const kept = line && (line["messages"] as ReadonlyArray<{ content: string }>).map(({ content }) => content)
          expect([now?.length, kept]).toEqual(now === undefined ? [undefined, texts] : [2 * texts.length, undefined])
        }
      }).pipe(Effect.provide(PgChatStoreLayer.pipe(Layer.provideMerge(database)), { local: true }), Effect.runPromise))

    afterAll(() => {
      // A race that always ends the same way shows nothing.
      expect(outcomes.archived).toBeGreaterThan(0)
      expect(outcomes.continued).toBeGreaterThan(0)
    })
  }
)
