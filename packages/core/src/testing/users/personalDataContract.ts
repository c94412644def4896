import { Effect, type Layer } from "effect"
import { cursorOfText, type Page } from "../../storage/Cursor.ts"
import { ownerOfEvent } from "../../events/ParleyEvent.ts"
import { CreditLedger, type CreditPorts, CreditRecords } from "../../credits/CreditLedger.ts"
import { testedLedger } from "../credits/testedLedger.ts"
import { expect, it } from "vitest"
import { operatorOf } from "../../audit/ActionAsked.ts"
import { AuditLog } from "../../audit/AuditLog.ts"
import { BotStore, PublishedBots } from "../../bots/BotStore.ts"
import { ChatStore } from "../../chat/store/ChatStore.ts"
import { closeAccount } from "../../credits/rules/openAndClose.ts"
import { DocumentStore } from "../../documents/storing/DocumentStore.ts"
import { FileStore } from "../../documents/storing/FileStore.ts"
import { DeliveryRecords, Outbox } from "../../events/Outbox.ts"
import { AccessStore } from "../../sessions/AccessStore.ts"
import type { UserId } from "../../identity/UserId.ts"
import { type ListedPerson, type ListPeopleInput, PersonalData } from "../../users/PersonalData.ts"
import { receiptDraft, reservation } from "../credits/creditFixtures.ts"
import { newBot } from "../bots/botFixtures.ts"
import { ampleQuota, newDocument, newTurn, newUserId, newVisitor } from "../storage/storageFixtures.ts"
import { type Run, suiteOn } from "../suiteOn.ts"

type Stores =
  | AccessStore
  | AuditLog
  | BotStore
  | ChatStore
  | CreditPorts
  | DeliveryRecords
  | DocumentStore
  | FileStore
  | Outbox
  | PersonalData
  | PublishedBots

const operations = testedLedger

const newPseudonym = () => `erased:${crypto.randomUUID()}`

/** Makes a person with a chat, a document and a used account. */
const somebody = Effect.fnUntraced(function* (userId: UserId) {
  const ledger = yield* operations
  const turn = newTurn(userId)
  const document = newDocument(userId)
  yield* (yield* ChatStore).beginTurn(turn)
  yield* (yield* DocumentStore).insert(document, ampleQuota)
  yield* (yield* FileStore).write({ userId, documentId: document.id, bytes: new Uint8Array([1]) })
  yield* ledger.open({ userId, tier: "free", allowance: 100 })
  yield* ledger.grant({
    userId,
    key: "topup:session",
    type: "topup",
    amount: 50,
    payment: { charge: "ch_1", paid: 500 }
  })
  yield* ledger.reserve(reservation(userId, "reply:one", 30))
  yield* ledger.settle({ userId, key: "reply:one", amount: 7, draft: receiptDraft })
  return { chatId: turn.chatId, documentId: document.id }
})

const close = (userId: UserId) =>
  CreditLedger.use((ledger) => ledger.run(closeAccount({ userId, key: "closed:once", lowest: "free" })))

const rowsOf = (userId: UserId) =>
  Effect.map(
    CreditRecords.use((ledger) => ledger.history({ userId, limit: 200, offset: 0, type: undefined })),
    ({ transactions }) => transactions
  )

const erasing = (run: Run<Stores>) => {
  it("an erased person has no chats and no documents; other people's are untouched", () =>
    run(
      Effect.gen(function* () {
        const [gone, stays] = [newUserId(), newUserId()]
        const [lost, kept] = [yield* somebody(gone), yield* somebody(stays)]
        yield* close(gone)
        const erased = yield* PersonalData.use((data) => data.erase({ userId: gone, pseudonym: newPseudonym() }))
        expect(erased).toMatchObject({ _tag: "Erased", chats: 1, documents: 1 })
        const chats = yield* ChatStore
        const documents = yield* DocumentStore
        const seen = (userId: UserId, { chatId }: { readonly chatId: string }) =>
          Effect.gen(function* () {
            const transcript = yield* chats.transcript({ owner: { person: userId }, chatId, limit: 10 })
            return [transcript?.messages.length ?? 0, (yield* documents.list(userId)).length]
          })
        expect(yield* seen(gone, lost)).toEqual([0, 0])
        expect(yield* seen(stays, kept)).toEqual([2, 1])
      })
    ))

  it("an erased person's bots are gone with their keys and their visitors' conversations; other people's are untouched", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotStore
        const published = yield* PublishedBots
        const chats = yield* ChatStore
        const asked = Effect.fnUntraced(function* (owner: UserId) {
          const bot = newBot(owner)
          const turn = newTurn(newVisitor(owner, bot.id))
          yield* bots.insert(bot, 10)
          yield* published.noteSite({ owner, botId: bot.id }, { site: "https://site.example", isAllowed: true })
          yield* chats.beginTurn(turn)
          return { bot, turn }
        })
        const [gone, stays] = [yield* asked(newUserId()), yield* asked(newUserId())]
        yield* PersonalData.use((data) => data.erase({ userId: gone.bot.owner, pseudonym: newPseudonym() }))
        const left = Effect.fnUntraced(function* ({ bot, turn }: typeof gone) {
          const byKey = yield* published.findByKey(bot.keys[0]?.publicKey ?? "")
          const transcript = yield* chats.transcript({ ...turn, limit: 1 })
          const sites = yield* published.sites({ owner: bot.owner, botId: bot.id })
          return [(yield* bots.list(bot.owner)).length, byKey !== undefined, transcript !== undefined, sites.length]
        })
        expect(yield* left(gone)).toEqual([0, false, false, 0])
        expect(yield* left(stays)).toEqual([1, true, true, 1])
      })
    ))

  it("undelivered events of an erased person are gone except for charges, which name the pseudonym; other people's events stay", () =>
    run(
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const records = yield* DeliveryRecords
        const [gone, stays, pseudonym] = [newUserId(), newUserId(), newPseudonym()]
        const [destination, done] = [`hook:${crypto.randomUUID()}`, `hook:${crypto.randomUUID()}`]
        const ofRecord = ["credits.charged", "credits.purchased", "credits.refunded"] as const
        const types = ["reply.finished", "plan.changed", "balance.low", ...ofRecord] as const
        const destinations = [destination, done].map((id) => ({ id, types }))
        yield* outbox.subscribe({ destinations, lowBelow: { free: 1000 } })
        const toldOf = (userId: UserId, id = destination) =>
          Effect.map(records.list({ destination: id, limit: 1000 }), (all) =>
            all.flatMap(({ account, type }) => (account === userId ? [type] : [])).toSorted()
          )
        const all = ["balance.low", ...ofRecord, "reply.finished"]
        const ledger = yield* operations
        for (const userId of [gone, stays]) {
          yield* somebody(userId)
          const { periodStart } = yield* CreditRecords.use((accounts) => accounts.account(userId))
          // A transaction that took credits of a past period, whose key contains the person.
          const key = `refund:plan:evt_1:period:${userId}:${periodStart}`
          yield* ledger.takeFromPeriod({ userId, key, periodStart, amount: 4, beyond: 0 })
          expect(yield* toldOf(userId)).toEqual(all)
        }
        const claimed = yield* outbox.claim({ destination: done, limit: 100, leaseMs: 60_000 })
        for (const delivery of claimed) {
          yield* outbox.conclude({ destination: done, delivery, outcome: { _tag: "Delivered" } })
        }
        yield* close(gone)
        yield* PersonalData.use((data) => data.erase({ userId: gone, pseudonym }))
        expect([yield* toldOf(gone), yield* toldOf(gone, done), yield* toldOf(pseudonym, done)]).toEqual([[], [], []])
        expect(yield* toldOf(pseudonym)).toEqual(ofRecord)
        expect(yield* toldOf(stays)).toEqual(all)
        const left = yield* outbox.claim({ destination, limit: 100, leaseMs: 0 })
        const charged = left.filter(({ event: { data } }) => ownerOfEvent(data) === pseudonym)
        expect(charged).toHaveLength(ofRecord.length)
        expect(JSON.stringify(charged)).not.toContain(gone)
        yield* ledger.open({ userId: gone, tier: "free", allowance: 100 })
        expect(yield* toldOf(gone)).toEqual(["balance.low"])
      })
    ))

  it("the rows of the ledger stay under the pseudonym, with unchanged amounts, dates and numbers, without the person", () =>
    run(
      Effect.gen(function* () {
        const [userId, pseudonym] = [newUserId(), newPseudonym()]
        yield* somebody(userId)
        yield* close(userId)
        const before = yield* rowsOf(userId)
        expect(yield* PersonalData.use((data) => data.erase({ userId, pseudonym }))).toMatchObject({
          transactions: before.length
        })
        const after = yield* rowsOf(pseudonym)
        const without = (rows: typeof before) => rows.map((row) => ({ ...row, reference: "" }))
        expect(without(after)).toEqual(without(before))
        expect(after.filter(({ reference }) => reference.includes(userId))).toEqual([])
        const ledger = yield* testedLedger
        expect(yield* Effect.flip(ledger.account(userId))).toMatchObject({ _tag: "AccountNotFound" })
        expect(yield* ledger.account(pseudonym)).toMatchObject({ allowance: 0, topup: 0, debt: 0, renewedBy: "none" })
        const { differences } = yield* ledger.verify({ limit: 10_000, after: undefined })
        expect(differences.filter((difference) => difference.userId === pseudonym)).toEqual([])
      })
    ))

  it("the keys of the ledger keep their answers under the pseudonym", () =>
    run(
      Effect.gen(function* () {
        const [userId, pseudonym] = [newUserId(), newPseudonym()]
        yield* somebody(userId)
        yield* close(userId)
        yield* PersonalData.use((data) => data.erase({ userId, pseudonym }))
        const ledger = yield* testedLedger
        const again = yield* ledger.grant({
          userId: pseudonym,
          key: "topup:session",
          type: "topup",
          amount: 50,
          payment: { charge: "ch_1", paid: 500 }
        })
        expect(again).toMatchObject({ amount: 50, reference: "topup:session" })
        expect(yield* ledger.account(pseudonym)).toMatchObject({ topup: 0 })
      })
    ))

  it("a person whose account is in use is not erased, and loses nothing", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        yield* somebody(userId)
        const before = yield* rowsOf(userId)
        const answer = yield* PersonalData.use((data) => data.erase({ userId, pseudonym: newPseudonym() }))
        expect(answer).toEqual({ _tag: "AccountInUse" })
        expect(yield* rowsOf(userId)).toEqual(before)
        expect(yield* (yield* DocumentStore).list(userId)).toHaveLength(1)
      })
    ))

  it("the audit log keeps the actions of an erased operator, without the id and the address; other operators' stay", () =>
    run(
      Effect.gen(function* () {
        const [operator, other, person] = [newUserId(), newUserId(), newUserId()]
        const audit = yield* AuditLog
        const entry = { action: "users block", userId: person, reason: "abuse", details: "", address: "192.0.2.1" }
        yield* audit.record({ ...entry, by: operatorOf(operator) })
        yield* audit.record({ ...entry, by: operatorOf(other) })
        const pseudonym = newPseudonym()
        yield* PersonalData.use((data) => data.erase({ userId: operator, pseudonym }))
        const kept = yield* audit.list({ userId: person, since: undefined, before: undefined, limit: 10 })
        expect(kept.map(({ address, by }) => [by, address])).toEqual([
          [operatorOf(other), entry.address],
          [pseudonym, undefined]
        ])
      })
    ))

  it("a person without an account loses all other data", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        yield* (yield* ChatStore).beginTurn(newTurn(userId))
        const data = yield* PersonalData
        const erase = Effect.suspend(() => data.erase({ userId, pseudonym: newPseudonym() }))
        expect(yield* erase).toEqual({
          _tag: "Erased",
          chats: 1,
          documents: 0,
          transactions: 0,
          others: expect.any(Number)
        })
        expect(yield* erase).toEqual({ _tag: "Erased", chats: 0, documents: 0, transactions: 0, others: 0 })
      })
    ))

  it("a person who returns under the same identity is a new one", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        yield* somebody(userId)
        yield* close(userId)
        yield* PersonalData.use((data) => data.erase({ userId, pseudonym: newPseudonym() }))
        const ledger = yield* operations
        expect(yield* ledger.open({ userId, tier: "free", allowance: 100 })).toMatchObject({ allowance: 100, topup: 0 })
        expect(yield* rowsOf(userId)).toHaveLength(1)
      })
    ))
}

const listing = (run: Run<Stores>) => {
  const list = (asked: Partial<ListPeopleInput>) =>
    PersonalData.use((data) =>
      data.list({ search: undefined, blocked: false, after: undefined, limit: 1_000, ...asked })
    )
  const ids = ({ rows }: Page<ListedPerson>) => rows.map(({ userId }) => userId)
  const change = (userId: UserId, to: "block" | "unblock" | "sign-out") =>
    AccessStore.use((access) => access.change({ userId, change: to }))

  it("lists people with an account, and people whose access was ended, page by page in the order of their ids", () =>
    run(
      Effect.gen(function* () {
        const name = crypto.randomUUID()
        const people = ["Z", "a", "b_", "c%", "é"].map((each) => `${name}-${each}`)
        const [first = "", second = "", third = "", fourth = ""] = people
        const ledger = yield* operations
        for (const userId of [first, third, fourth]) yield* ledger.open({ userId, tier: "free", allowance: 100 })
        yield* ledger.reserve(reservation(first, "reply:one", 30))
        const { blockedAt } = yield* change(second, "block")
        const { notBefore } = yield* change(third, "sign-out")
        yield* change(people[4] ?? "", "block")
        const search = name.toUpperCase()
        const all = yield* list({ search })
        expect(all.rows).toEqual([
          { userId: first, tier: "free", available: 70, blockedAt: undefined, notBefore: undefined },
          { userId: second, tier: undefined, available: undefined, blockedAt, notBefore: undefined },
          { userId: third, tier: "free", available: 100, blockedAt: undefined, notBefore },
          { userId: fourth, tier: "free", available: 100, blockedAt: undefined, notBefore: undefined },
          expect.objectContaining({ userId: people[4] })
        ])
        const page = yield* list({ search, limit: 2 })
        expect(ids(page)).toEqual([first, second])
        expect(ids(yield* list({ search, limit: 2, after: page.next }))).toEqual([third, fourth])
        expect(yield* Effect.flip(list({ search, after: cursorOfText(second) }))).toMatchObject({
          _tag: "InvalidInput"
        })
        expect(ids(yield* list({ search, blocked: true }))).toEqual([second, people[4]])
        expect(ids(yield* list({ search: `${name}-b_` }))).toEqual([third])
        expect(ids(yield* list({ search: `${name}%` }))).toEqual([])
        yield* change(second, "unblock")
        expect(ids(yield* list({ search }))).toEqual([first, third, fourth, people[4]])
      })
    ))

  it("an erased person is not listed, and older tokens are refused from then on; a block stays", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        yield* somebody(userId)
        const blocked = yield* change(userId, "block")
        yield* close(userId)
        const pseudonym = newPseudonym()
        yield* PersonalData.use((data) => data.erase({ userId, pseudonym }))
        const after = yield* AccessStore.use((access) => access.find(userId))
        expect(after).toEqual({ ...blocked, notBefore: expect.any(Number) })
        expect(ids(yield* list({ search: userId }))).toEqual([])
        expect(ids(yield* list({ search: pseudonym }))).toEqual([])
      })
    ))
}

/** Tests the guarantees of a `PersonalData`, over stores of the same adapter. `layer` is built once, for all tests. */
export const personalDataContract = (name: string, layer: Layer.Layer<Stores, unknown>): void =>
  suiteOn(`PersonalData contract: ${name}`, layer, (run) => {
    erasing(run)
    listing(run)
  })
