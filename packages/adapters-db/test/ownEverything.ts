import {
  BotStore,
  ChatStore,
  CrmConnectionStore,
  DocumentStore,
  FileStore,
  Handovers,
  OAuthStateStore,
  Outbox,
  PreferenceStore,
  ImageStore,
  ProjectStore,
  RunningReplies
} from "@parley/core/adapter"
import type { UserId } from "@parley/core"
import {
  ampleQuota,
  indexPassages,
  newBot,
  newCrmConnection,
  newDocument,
  newTurn,
  newVisitor,
  receiptDraft,
  reservation,
  testedLedger
} from "@parley/core/testing"
import { Effect } from "effect"
import { Database } from "../src/database/Database.ts"
import { countGenerations } from "./documents/unsoundIndex.ts"

/** Something of everything a person can own. */
export const ownEverything = (userId: UserId) =>
  Effect.gen(function* () {
    const document = newDocument(userId)
    const turn = newTurn(userId)
    const hold = { userId, key: `reply:${turn.reply.id}` }
    yield* (yield* testedLedger).open({ userId, tier: "free", allowance: 100 })
    yield* (yield* testedLedger).reserve(reservation(userId, hold.key, 1))
    yield* (yield* ChatStore).beginTurn({ ...turn, running: { hold, joinable: true, ttlMs: 60_000 } })
    const written = { start: 0, text: "Annual", model: "model-a-mini", joinable: true }
    const reply = { owner: turn.owner, chatId: turn.chatId, replyId: turn.reply.id, ...written }
    yield* (yield* RunningReplies).write({ beats: [{ hold: { ...hold, outputTokens: 1 }, reply }], ttlMs: 60_000 })
    yield* (yield* DocumentStore).insert(document, ampleQuota)
    yield* (yield* FileStore).write({ userId, documentId: document.id, bytes: new Uint8Array([1]) })
    yield* Database.use(({ schema, statement }) =>
      statement(
        `INSERT INTO ${schema}.file_objects (user_id, document_id, object_key, size, begun_at)
         VALUES ($1, $2, $3, 1, now())`,
        [userId, document.id, `object of ${document.id}`]
      )
    )
    const passage = { ordinal: 0, page: 1, start: 0, end: 13, text: "Annual growth" }
    yield* indexPassages({ userId, documentId: document.id }, [passage])
    yield* countGenerations(userId)
    yield* Database.use(({ schema, statement }) =>
      statement(
        `INSERT INTO ${schema}.passage_embeddings (user_id, document_id, generation, ordinal, model, embedding)
         SELECT user_id, document_id, generation, 0, 'a model', '{1}' FROM ${schema}.passage_generations
         WHERE user_id = $1`,
        [userId]
      )
    )
    yield* Database.use(({ schema, statement }) =>
      statement(
        `INSERT INTO ${schema}.reindex_claims (user_id, document_id, holder, expires_at) VALUES ($1, $2, $3, now())`,
        [userId, document.id, crypto.randomUUID()]
      )
    )
    const project = { id: crypto.randomUUID(), name: "Tea", instructions: "", documentIds: [] }
    yield* (yield* ProjectStore).create(userId, project, 1)
    const pixels = { mediaType: "image/png", width: 1, height: 1, bytes: new Uint8Array([1]) } as const
    yield* (yield* ImageStore).add(userId, { id: crypto.randomUUID(), ...pixels })
    yield* (yield* PreferenceStore).set(userId, { instructions: "Be brief.", modelId: null })
    const asking = { continues: false, email: undefined, page: undefined, language: "en" } as const
    yield* (yield* Handovers).ask({ ...asking, owner: newVisitor(userId), chatId: crypto.randomUUID() })
    const bot = newBot(userId, { documentIds: [document.id] })
    yield* (yield* BotStore).insert(bot, 10)
    yield* (yield* CrmConnectionStore).save(newCrmConnection({ owner: userId, botId: bot.id }))
    const expiresAt = Date.now() + 600_000
    yield* (yield* OAuthStateStore).spend({ owner: userId, digest: "ab".repeat(32), expiresAt })
    const hook = { id: "hook:onCharge", types: ["credits.charged", "balance.low"] } as const
    const lowBelow = { free: 1000, pro: 1000, business: 1000 }
    yield* (yield* Outbox).subscribe({ destinations: [hook], lowBelow })
    const ledger = yield* testedLedger
    yield* ledger.open({ userId, tier: "free", allowance: 100 })
    const payment = { charge: "ch:1", paid: 100 }
    yield* ledger.grant({ userId, key: "topup:1", type: "topup", amount: 10, payment })
    yield* ledger.reserve(reservation(userId, "reply:open", 5))
    yield* ledger.reserve(reservation(userId, "reply:ended", 5))
    yield* ledger.settle({ userId, key: "reply:ended", amount: 1, draft: receiptDraft })
    const { schema, statement } = yield* Database
    yield* statement(
      `INSERT INTO ${schema}.credit_usage (user_id, upto, day, source, model, replies, credits, input_tokens, output_tokens)
       SELECT $1, 3, u.* FROM ${schema}.sum_usage($1, 0, 3) u`,
      [userId]
    )
    yield* statement(
      `INSERT INTO ${schema}.bot_sites (user_id, bot_id, site, allowed, seen_at)
       SELECT user_id, id, 'https://site.example', true, now() FROM ${schema}.bots WHERE user_id = $1`,
      [userId]
    )
    yield* statement(`INSERT INTO ${schema}.billing_accounts (user_id, customer_id) VALUES ($1, 'cus_1')`, [userId])
    yield* statement(`INSERT INTO ${schema}.billing_subscriptions VALUES ($1, 'sub_1', '{}')`, [userId])
    yield* statement(
      `INSERT INTO ${schema}.billing_purchases (user_id, session_id, price_id, granted, paid, currency, bought_at, number, digest)
       VALUES ($1, 'cs_1', 'price_1', 10, 100, 'usd', now(), 1, '')`,
      [userId]
    )
  })
