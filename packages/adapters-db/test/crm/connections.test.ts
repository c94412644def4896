import { AccessList } from "@parley/core/effect"
import {
  BotService,
  Catalog,
  CrmAccess,
  CrmRelease,
  CrmService,
  makeWebCryptoSecretBox,
  noPayments,
  parseSecretKeys,
  SecurityEvents,
  UserService
} from "@parley/core/effect"
import { CrmProviders, SecretBox, paymentProviderLayer } from "@parley/core/adapter"
import { makeCatalog } from "@parley/core"
import { BotStore, CrmConnectionStore, crmRevoking, JobQueue, JobWorker, UnitOfWork } from "@parley/core/adapter"
import { newBot, newCrmConnection, newUserId, type Run, scriptedCrm, suiteOn } from "@parley/core/testing"
import { Deferred, Effect, Fiber, Layer, Redacted, Result } from "effect"
import { expect, it } from "vitest"
import { Database, type DatabaseError } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { storesLayer } from "../../src/storesLayer.ts"
import { databases } from "../databases.ts"

type Parts =
  | BotService
  | BotStore
  | CrmAccess
  | CrmConnectionStore
  | CrmRelease
  | CrmService
  | Database
  | DatabaseOwner
  | JobQueue
  | JobWorker
  | UnitOfWork
  | UserService

const key = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex")
const REDIRECT_URI = "https://parley.example/api/crm/provider_one/callback"

/** Requests to the provider while it works on an exchange. */
let during: Effect.Effect<void> = Effect.void
const crm = scriptedCrm({
  firstExpiresInSeconds: 30,
  during: (call) => (call === "exchange" ? Effect.suspend(() => during) : Effect.void)
})

const newBotOf = Effect.fnUntraced(function* (owner: string = newUserId()) {
  const bot = newBot(owner)
  yield* BotStore.use((bots) => bots.insert(bot, 1_000))
  return { owner, botId: bot.id, provider: "provider_one" as const }
})

type Name = Effect.Success<ReturnType<typeof newBotOf>>

/**
 * Begins a connection: the parameters with which the provider returns the browser, as a callback that can be repeated.
 */
const begun = Effect.fnUntraced(function* ({ botId, owner, provider }: Name) {
  const service = yield* CrmService
  const { state, url } = yield* service.connect({ owner, botId, provider, redirectUri: REDIRECT_URI })
  const input = { owner, by: "ann@example.com", provider, callback: crm.approve(url), kept: () => state.sealed }
  return {
    callback: service.callback(input),
    state: url.searchParams.get("state") ?? "",
    code: input.callback.get("code") ?? ""
  }
})

/** The text of every row of every table in all schemas. */
const everything = Effect.gen(function* () {
  const { asOwner } = yield* DatabaseOwner
  return yield* asOwner(({ query }) =>
    Effect.gen(function* () {
      const tables = yield* query<{ name: string }>(
        `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg_toast%'`
      )
      const texts: Array<string> = []
      for (const { name } of tables) {
        const rows = yield* query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`)
        texts.push(...rows.map(({ text }) => text))
      }
      return texts.join("\n")
    })
  )
})

const keeping = (run: Run<Parts>) => {
  it("no token, state, code or verifier is in the database in clear, before and after a refresh", () =>
    run(
      Effect.gen(function* () {
        const bot = yield* newBotOf()
        const transaction = yield* begun(bot)
        expect((yield* transaction.callback).error).toBeUndefined()
        const access = yield* CrmAccess
        const { accessToken } = yield* access.accessToken(bot)
        const text = yield* everything
        expect(text).toContain("Example Ltd")
        const secrets = [Redacted.value(accessToken), "access-", "refresh-", transaction.state, transaction.code]
        for (const secret of secrets) {
          for (const form of [secret, Buffer.from(secret).toString("hex"), Buffer.from(secret).toString("base64url")]) {
            expect(text.includes(form), "a secret is in the database").toBe(false)
          }
        }
      })
    ))

  it("a row that is moved to another bot, owner or provider in the database does not decrypt", () =>
    run(
      Effect.gen(function* () {
        const { schema, statement } = yield* Database
        const access = yield* CrmAccess
        const owner = newUserId()
        const places = [yield* newBotOf(owner), yield* newBotOf(), { ...(yield* newBotOf()), provider: "provider_two" }]
        for (const place of places as ReadonlyArray<Name>) {
          const bot = yield* newBotOf(owner)
          yield* (yield* begun(bot)).callback
          yield* access.accessToken(bot)
          yield* statement(
            `UPDATE ${schema}.crm_connections SET user_id = $3, bot_id = $4, provider = $5 WHERE user_id = $1 AND bot_id = $2`,
            [bot.owner, bot.botId, place.owner, place.botId, place.provider]
          )
          const failed = yield* Effect.flip(access.accessToken(place))
          expect(failed).toMatchObject({ _tag: "SecretUnreadable", problem: "content" })
        }
      })
    ))

  it("erasing a person leaves none of their connections, and takes them back at the provider", () =>
    run(
      Effect.gen(function* () {
        const bot = yield* newBotOf()
        yield* (yield* begun(bot)).callback
        const before = crm.calls.length
        yield* Effect.ignore(UserService.use((users) => users.erase(bot.owner)))
        expect(yield* CrmConnectionStore.use((store) => store.list(bot))).toEqual([])
        expect(crm.calls.slice(before)).toEqual(["revoke"])
        expect(yield* everything).not.toContain(bot.owner)
      })
    ))
}

const dying = (run: Run<Parts>) => {
  it("a server that dies between erasing a person and telling the provider leaves a job, which tells it and is erased", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const listed = Effect.map(jobs.list(undefined, { kind: "RevokeCrmAccess", limit: 10 }), (page) => page.jobs)
        const bot = yield* newBotOf()
        yield* (yield* begun(bot)).callback
        const [before, live] = [crm.calls.length, crm.liveGrants()]
        const release = yield* CrmRelease
        yield* UnitOfWork.use((unit) =>
          unit.run(
            bot.owner,
            // The first returns work that follows the commit, before which the server dies. The second is part of
            // erasing.
            Effect.andThen(release.ofPerson(bot.owner), jobs.removeAll(bot.owner))
          )
        )
        const left = yield* listed
        expect([crm.calls.length, left.length]).toEqual([before, 1])
        expect(JSON.stringify(left)).not.toMatch(new RegExp(`${bot.owner}|${bot.botId}|access-|refresh-`))
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* (yield* JobWorker).work
            while ((yield* listed).length > 0) yield* Effect.sleep("10 millis")
          })
        )
        expect(crm.calls.slice(before)).toEqual(["revoke"])
        expect(crm.liveGrants()).toBe(live - 1)
        const { sealed } = left[0]?.payload as { readonly sealed: string }
        expect((yield* everything).includes(sealed), "the tokens are in the database").toBe(false)
      })
    ))

  it("a removal that is rolled back queues nothing, and the connection stays", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const bot = yield* newBotOf()
        yield* (yield* begun(bot)).callback
        const release = yield* CrmRelease
        const refused = UnitOfWork.use((unit) =>
          unit.run(bot.owner, Effect.andThen(release.ofBot(bot), Effect.fail("refused" as const)))
        )
        expect(yield* Effect.flip(refused)).toBe("refused")
        expect((yield* jobs.list(undefined, { kind: "RevokeCrmAccess", limit: 10 })).jobs).toEqual([])
        expect(yield* CrmConnectionStore.use((store) => store.list(bot))).toHaveLength(1)
      })
    ))
}

/** A database of one connection takes all calls in turn, so that further rounds show nothing. */
const racing = (run: Run<Parts>, isServer: boolean) => {
  it("of callbacks made at once one is taken, and asks the provider once", () =>
    run(
      Effect.gen(function* () {
        for (let round = 0; round < (isServer ? 5 : 1); round++) {
          const { callback } = yield* begun(yield* newBotOf())
          const before = crm.calls.length
          const outcomes = yield* Effect.all(
            Array.from({ length: 12 }, () => callback),
            { concurrency: "unbounded" }
          )
          expect(outcomes.map(({ error }) => error ?? "connected").toSorted()).toEqual([
            "connected",
            ...Array<string>(11).fill("state")
          ])
          expect(crm.calls.length).toBe(before + 1)
        }
      })
    ))

  it("a bot that is deleted beside its callback leaves no connection, whichever is first, and no token alive", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotService
        const store = yield* CrmConnectionStore
        const before = crm.liveGrants()
        for (let round = 0; round < (isServer ? 20 : 2); round++) {
          const bot = yield* newBotOf()
          const { callback } = yield* begun(bot)
          const [outcome] = yield* Effect.all([callback, bots.remove(bot.owner, bot.botId)], {
            concurrency: "unbounded"
          })
          expect([undefined, "bot"]).toContain(outcome.error)
          expect(yield* store.remove({ owner: bot.owner })).toEqual([])
        }
        expect(crm.liveGrants()).toBe(before)
      })
    ))

  it("a bot that is deleted while the provider answers gets no connection, and the tokens are taken back", () =>
    run(
      Effect.gen(function* () {
        const bot = yield* newBotOf()
        const { callback } = yield* begun(bot)
        const context = yield* Effect.context<BotService>()
        during = Effect.orDie(
          Effect.provideContext(
            BotService.use((bots) => bots.remove(bot.owner, bot.botId)),
            context
          )
        )
        const before = crm.calls.length
        const outcome = yield* Effect.ensuring(
          callback,
          Effect.sync(() => {
            during = Effect.void
          })
        )
        expect(outcome.error).toBe("bot")
        expect(crm.calls.slice(before)).toEqual(["exchange", "revoke"])
        expect(yield* CrmConnectionStore.use((store) => store.remove({ owner: bot.owner }))).toEqual([])
      })
    ))
}

const waiting = (run: Run<Parts>) => {
  it("a bot that is deleted while its connection is made waits for it, or is waited for", () =>
    run(
      Effect.gen(function* () {
        const { statement, unitOfWork } = yield* Database
        const store = yield* CrmConnectionStore
        const bot = yield* newBotOf()
        const begun = yield* Deferred.make<void>()
        const save = Effect.andThen(Deferred.await(begun), store.save(newCrmConnection(bot)))
        // Forked before the unit of work, so that neither is part of it.
        const saver = yield* Effect.forkChild(save)
        const isWaiting = Effect.map(
          statement(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%crm_connections%'"
          ),
          (rows) => rows.length > 0
        )
        const watch: Effect.Effect<void, DatabaseError> = Effect.flatMap(isWaiting, (waits) =>
          waits || saver.pollUnsafe() !== undefined ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), watch)
        )
        const watcher = yield* Effect.forkChild(Effect.andThen(Deferred.await(begun), watch))
        yield* unitOfWork(
          Effect.gen(function* () {
            yield* store.remove({ owner: bot.owner, botId: bot.botId })
            yield* Deferred.succeed(begun, undefined)
            yield* Fiber.join(watcher)
            yield* BotStore.use((bots) => bots.remove(bot))
          })
        )
        expect(yield* Fiber.join(saver)).toBe(false)
        expect(yield* store.remove({ owner: bot.owner })).toEqual([])
      })
    ))
}

for (const { name, layer } of databases) {
  const box = Layer.effect(SecretBox, Effect.orDie(makeWebCryptoSecretBox(Result.getOrThrow(parseSecretKeys(key)))))
  const services = Layer.mergeAll(
    BotService.layer,
    CrmAccess.layer,
    CrmService.layer,
    JobWorker.layerOf([crmRevoking]),
    UserService.layer
  ).pipe(
    Layer.provide([AccessList.layer, CrmRelease.farewellLayer, SecurityEvents.layer]),
    Layer.provideMerge(CrmRelease.layer),
    Layer.provide([box, Layer.succeed(CrmProviders, new Map([[crm.provider.id, crm.provider]]))]),
    Layer.provide([paymentProviderLayer(noPayments), Layer.succeed(Catalog, makeCatalog({}))]),
    Layer.provideMerge(Layer.provideMerge(storesLayer(), layer))
  )
  suiteOn(`connections to CRMs on ${name}`, services, (run) => {
    racing(run, name === "Postgres")
    if (name === "Postgres") waiting(run)
    keeping(run)
    dying(run)
  })
}
