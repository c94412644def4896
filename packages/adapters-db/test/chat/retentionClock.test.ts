import { AuditLog, ChatStore, ImageStore } from "@parley/core/adapter"
import { RetentionSweeper, settingsLayer } from "@parley/core/effect"
import { newTurn, newVisitor } from "../../../core/src/testing/storage/storageFixtures.ts"
import { Clock, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { PgAuditLogLayer } from "../../src/audit/PgAuditLog.ts"
import { PgImageStoreLayer } from "../../src/chat/PgImageStore.ts"
import { PgChatStoreLayer } from "../../src/chat/PgChatStore.ts"
import { PgConversationFilesLayer } from "../../src/chat/PgConversationFiles.ts"
import { databases } from "../databases.ts"
import { ageChat } from "./ageChat.ts"

const DAY_MS = 86_400_000
const KEPT_MS = 30 * DAY_MS

/** The clock of a machine that is eight weeks ahead. */
const ahead: Clock.Clock = {
  ...Clock.Clock.defaultValue(),
  currentTimeMillisUnsafe: () => Date.now() + 56 * DAY_MS,
  currentTimeMillis: Effect.sync(() => Date.now() + 56 * DAY_MS)
}

const retention = settingsLayer({ retention: { chatsMs: KEPT_MS, visitorsMs: KEPT_MS, logsMs: KEPT_MS } })

describe.each(databases)("on $name, a server whose clock is weeks ahead", ({ layer: database }) => {
  const stores = Layer.mergeAll(PgAuditLogLayer, PgChatStoreLayer, PgConversationFilesLayer, PgImageStoreLayer).pipe(
    Layer.provideMerge(database)
  )
  const layer = RetentionSweeper.layer.pipe(Layer.provideMerge(stores), Layer.provide(retention))

  it("deletes by the database's clock: no chat in use, no conversation and no entry of the audit log early", () =>
    Effect.gen(function* () {
      const turns = [newTurn("ann"), newTurn(newVisitor("ann"))]
      const old = newTurn("ann")
      for (const turn of [...turns, old]) yield* ChatStore.use((chats) => chats.beginTurn(turn))
      yield* ageChat(old, KEPT_MS + DAY_MS)
      const pixels = { mediaType: "image/png", width: 1, height: 1, bytes: new Uint8Array([1]) } as const
      yield* ImageStore.use((images) => images.add("ann", { id: crypto.randomUUID(), ...pixels }))
      const entry = { action: "users block", by: "operator", userId: undefined, reason: undefined, details: "" }
      yield* AuditLog.use((log) => log.record(entry))
      const sweep = RetentionSweeper.use((sweeper) => Effect.provideService(sweeper.sweep, Clock.Clock, ahead))
      expect(yield* sweep).toEqual({ chats: 1, conversations: 0, auditEntries: 0, images: 0 })
    }).pipe(Effect.provide(layer, { local: true }), Effect.runPromise))
})
