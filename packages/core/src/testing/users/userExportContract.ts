import { Effect, Layer, Stream } from "effect"
import { testedLedger } from "../credits/testedLedger.ts"
import { expect, it } from "vitest"
import { AuditLog } from "../../audit/AuditLog.ts"
import { PaymentEventStore } from "../../billing/inbox/PaymentEventStore.ts"
import { noFacts } from "../../billing/SubscriptionFacts.ts"
import { BotStore } from "../../bots/BotStore.ts"
import { ImageStore } from "../../chat/images/ImageStore.ts"
import { ProjectStore } from "../../chat/projects/ProjectStore.ts"
import { ChatStore } from "../../chat/store/ChatStore.ts"
import { closeAccount } from "../../credits/rules/openAndClose.ts"
import { CrmConnectionStore } from "../../crm/CrmConnectionStore.ts"
import { DocumentStore } from "../../documents/storing/DocumentStore.ts"
import { FileStore } from "../../documents/storing/FileStore.ts"
import { Outbox } from "../../events/Outbox.ts"
import type { UserId } from "../../identity/UserId.ts"
import { JobQueue } from "../../jobs/JobQueue.ts"
import { SecurityEvents } from "../../security/SecurityEvents.ts"
import { sha256OfText } from "../../secrets/sha256.ts"
import { PreferenceStore } from "../../preferences/Preferences.ts"
import { SignInStore } from "../../signin/SignInStore.ts"
import type { StoragePort } from "../../StoragePorts.ts"
import { PersonalData } from "../../users/PersonalData.ts"
import { EXPORT_KINDS, UserExport } from "../../users/UserExport.ts"
import { newBot } from "../bots/botFixtures.ts"
import { newCrmConnection } from "../crm/crmFixtures.ts"
import { newImage } from "../chat/images/imageStoreContract.ts"
import { TestJob } from "../jobs/jobFixtures.ts"
import { ampleQuota, newDocument, newTurn, newUserId, newVisitor } from "../storage/storageFixtures.ts"
import { type Run, suiteOn } from "../suiteOn.ts"

/** More chats and transactions than one read returns; the file is read in several pieces. */
const MANY = 101
const FILE = new Uint8Array(300 * 1024).map((_, place) => place % 251)

const VISITORS_WORDS = "what only a visitor said"
const asked = { by: "olga", reason: "asked for it" }

const exportOf = (userId: UserId) =>
  UserExport.use((users) => Stream.runCollect(users.lines(userId, asked)).pipe(Effect.map((lines) => [...lines])))

const bill = Effect.fnUntraced(function* (userId: UserId) {
  const store = yield* PaymentEventStore
  const id = `evt_${userId}`
  const event = { id, kind: "checkout", createdAt: 0, customerId: undefined, payload: '{"name":"Ann"}' }
  yield* store.receive({ event, references: [], claimed: userId, bought: {}, again: false })
  yield* store.conclude({
    event,
    userId,
    outcome: { state: "applied", note: "done" },
    subscription: noFacts(`sub_${userId}`),
    followed: undefined,
    invoiceReports: undefined,
    bought: {
      sessionId: `cs_${userId}`,
      paymentId: undefined,
      priceId: "price_1",
      granted: 10,
      paid: 100,
      currency: "usd",
      boughtAt: 0
    },
    links: [],
    waitsFor: []
  })
})

/** Signs a person in by e-mail for the first time. */
const signInByEmail = Effect.fnUntraced(function* (userId: UserId) {
  const digests = { browser: yield* sha256OfText(`browser ${userId}`), code: yield* sha256OfText(`code ${userId}`) }
  const store = yield* SignInStore
  yield* store.begin({ ...digests, email: `${userId}@example.org`, lifetimeMs: 600_000 })
  yield* store.enter({ email: (yield* store.redeem(digests)) ?? "", newUserId: userId })
})

/** Makes a person with data of every kind. */
const somebody = Effect.fnUntraced(function* (userId: UserId) {
  const types = ["balance.low"] as const
  const lowBelow = { free: 1000 }
  yield* (yield* Outbox).subscribe({ destinations: [{ id: `hook:${userId}`, types }], lowBelow })
  const ledger = yield* testedLedger
  yield* ledger.open({ userId, tier: "free", allowance: 100 })
  for (let count = 1; count < MANY; count++) {
    yield* ledger.grant({ userId, key: `gift:${count}`, type: "grant", amount: 1, payment: undefined })
  }
  yield* bill(userId)
  yield* signInByEmail(userId)
  yield* (yield* PreferenceStore).set(userId, { instructions: "Be brief.", modelId: null })
  const project = { id: crypto.randomUUID(), name: "Tea", instructions: "", documentIds: [] }
  yield* (yield* ProjectStore).create(userId, project, 1)
  yield* (yield* ImageStore).add(userId, newImage())
  const document = newDocument(userId)
  yield* (yield* DocumentStore).insert(document, ampleQuota)
  yield* (yield* FileStore).write({ userId, documentId: document.id, bytes: FILE })
  const chats = yield* ChatStore
  const turns = Array.from({ length: MANY }, () => newTurn(userId))
  for (const turn of turns) yield* chats.beginTurn(turn)
  const bot = newBot(userId, { documentIds: [document.id] })
  yield* (yield* BotStore).insert(bot, 10)
  const connection = newCrmConnection({ owner: userId, botId: bot.id })
  yield* (yield* CrmConnectionStore).save(connection)
  const said = { title: VISITORS_WORDS, messages: [{ role: "user" as const, content: VISITORS_WORDS }] }
  const visit = newTurn(newVisitor(userId, bot.id), said)
  yield* chats.beginTurn(visit)
  yield* (yield* JobQueue).enqueue(userId, TestJob, { name: "of the job" } as never)
  return { bot, connection, document, turns, visit }
})

const exporting = (run: Run<StoragePort | UserExport>) => {
  it("an export contains everything that an erasure removes: every kind, each row once, and no other person's", () =>
    run(
      Effect.gen(function* () {
        const [userId, other] = [newUserId(), newUserId()]
        const theirs = yield* somebody(userId)
        const others = newTurn(other)
        yield* (yield* ChatStore).beginTurn(others)
        const lines = yield* exportOf(userId)
        expect(new Set(lines.map(({ kind }) => kind))).toEqual(new Set(EXPORT_KINDS))
        expect([lines[0]?.kind, lines.at(-1)]).toEqual(["export", { kind: "end", data: { lines: lines.length - 1 } }])
        const idsOf = (kind: string) => lines.flatMap((line) => (line.kind === kind ? [line.data["id"]] : []))
        expect(idsOf("chat")).toEqual(theirs.turns.map(({ chatId }) => chatId).toSorted())
        expect(new Set(idsOf("message")).size).toBe(2 * MANY)
        expect(idsOf("message")).toHaveLength(2 * MANY)
        expect(idsOf("transaction")).toEqual(Array.from({ length: MANY }, (_, place) => String(MANY - place)))
        expect([idsOf("document"), idsOf("bot"), idsOf("conversation")]).toEqual([
          [theirs.document.id],
          [theirs.bot.id],
          [theirs.visit.chatId]
        ])
        const text = JSON.stringify(lines)
        expect(text).toContain("evt_")
        expect([text.includes(other), text.includes(others.chatId)]).toEqual([false, false])

        const ledger = yield* testedLedger
        yield* ledger.run(closeAccount({ userId, key: "closed:once", lowest: "free" }))
        yield* PersonalData.use((data) => data.erase({ userId, pseudonym: `erased:${crypto.randomUUID()}` }))
        yield* (yield* JobQueue).removeAll(userId)
        expect(yield* Effect.flip(exportOf(userId))).toMatchObject({ _tag: "UserNotFound" })
      })
    ))

  it("has no tokens, and nothing that visitors said or are called", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const { connection, visit } = yield* somebody(userId)
        const text = JSON.stringify(yield* exportOf(userId))
        expect(text).toContain(connection.account.id)
        const visitor = "visitor" in visit.owner ? visit.owner.visitor : ""
        expect(visitor).not.toBe("")
        for (const secret of [connection.sealed, VISITORS_WORDS, visitor]) expect(text).not.toContain(secret)
      })
    ))

  it("returns the bytes of a document as they were uploaded, piece by piece, to its owner alone", () =>
    run(
      Effect.gen(function* () {
        const [userId, other] = [newUserId(), newUserId()]
        const { id: documentId, ...document } = newDocument(userId)
        yield* (yield* DocumentStore).insert({ ...document, id: documentId }, ampleQuota)
        yield* (yield* FileStore).write({ userId, documentId, bytes: FILE })
        const pieces = (owner: UserId) =>
          UserExport.use((users) => Stream.runCollect(users.file({ userId: owner, documentId })))
        const mine = [...(yield* pieces(userId))]
        expect(mine.length).toBeGreaterThan(1)
        expect(mine.flatMap((piece) => [...piece])).toEqual([...FILE])
        expect([...(yield* pieces(other))]).toEqual([])
      })
    ))

  it("is audited with operator and reason; for an unknown person there is no export and no entry", () =>
    run(
      Effect.gen(function* () {
        const [userId, nobody] = [newUserId(), newUserId()]
        yield* (yield* ChatStore).beginTurn(newTurn(userId))
        yield* exportOf(userId)
        expect(yield* Effect.flip(exportOf(nobody))).toMatchObject({ _tag: "UserNotFound" })
        const entries = (about: UserId) =>
          AuditLog.use((log) => log.list({ userId: about, since: undefined, before: undefined, limit: 9 }))
        expect(yield* entries(userId)).toMatchObject([{ action: "users export", ...asked }])
        expect(yield* entries(nobody)).toEqual([])
      })
    ))
}

/** Tests `UserExport` over the stores of an adapter. `layer` is built once, for all tests. */
export const userExportContract = (name: string, layer: Layer.Layer<StoragePort, unknown>): void =>
  suiteOn(
    `UserExport contract: ${name}`,
    Layer.provideMerge(Layer.provide(UserExport.layer, SecurityEvents.layer), layer),
    exporting
  )
