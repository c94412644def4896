import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { type Run, suiteOn } from "@parley/core/testing"
import { expect, it } from "vitest"
import { Database, DatabaseError, type Sql } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { databases } from "../databases.ts"

type Parts = Database | DatabaseOwner

const insertChat = (sql: Sql, schema: string, userId: string) =>
  sql.query(
    `INSERT INTO ${schema}.chats (user_id, bot, visitor, id, title, last_position) VALUES ($1, '', '', gen_random_uuid(), 'A', 0)`,
    [userId]
  )

const countChats = (userId: string) =>
  Database.use(({ schema, statement }) =>
    Effect.map(
      statement<{ count: number }>(`SELECT count(*) AS count FROM ${schema}.chats WHERE user_id = $1`, [userId]),
      (rows) => rows[0]?.count
    )
  )

const newUser = () => `user-${crypto.randomUUID()}`
const whoAmI = "SELECT current_user::text AS role, current_setting('parley.user_id', true) AS user_id"

const values = (run: Run<Parts>) => {
  it("values come back in the types the port promises", () =>
    run(
      Effect.gen(function* () {
        const { statement } = yield* Database
        const [row] = yield* statement(
          `SELECT 9007199254740991::bigint AS large, timestamptz '2026-01-02T03:04:05.678Z' AS moment,
            '{"a":[1]}'::jsonb AS json, '\\x00ff'::bytea AS bytes, ARRAY[1, 2]::bigint[] AS list, NULL::bigint AS nothing,
            count(*) AS count, 1.5::double precision AS fraction, true AS truth`
        )
        expect(row).toEqual({
          large: 9007199254740991,
          moment: new Date("2026-01-02T03:04:05.678Z"),
          json: { a: [1] },
          bytes: expect.anything(),
          list: [1, 2],
          nothing: null,
          count: 1,
          fraction: 1.5,
          truth: true
        })
        expect([...(row?.["bytes"] as Uint8Array)]).toEqual([0, 255])
      })
    ))

  it("parameters go in as they come out", () =>
    run(
      Effect.gen(function* () {
        const { statement } = yield* Database
        const [row] = yield* statement(
          `SELECT $1::bigint AS large, $2::timestamptz AS moment, $3::jsonb AS json, $4::bytea AS bytes, $5::text[] AS list,
            $6::text AS nothing, $7::text AS words`,
          [
            9007199254740991,
            new Date(1_767_225_600_123),
            JSON.stringify(["a", { b: 1 }]),
            new Uint8Array([0, 1, 255]),
            ["x,y", 'q"'],
            undefined,
            "it's \\ \u{1F600}"
          ]
        )
        expect(row).toMatchObject({
          large: 9007199254740991,
          moment: new Date(1_767_225_600_123),
          json: ["a", { b: 1 }],
          list: ["x,y", 'q"'],
          nothing: null,
          words: "it's \\ \u{1F600}"
        })
        expect([...(row?.["bytes"] as Uint8Array)]).toEqual([0, 1, 255])
      })
    ))

  it("an error of the server carries its SQLSTATE and constraint, and says nothing of the data", () =>
    run(
      Effect.gen(function* () {
        const { schema, asService } = yield* Database
        const insert = `INSERT INTO ${schema}.chats (user_id, bot, visitor, id, title, last_position) VALUES ('secret', '', '', gen_random_uuid(), 'A', -1)`
        const error = yield* Effect.flip(asService((sql) => sql.query(insert)))
        expect(error).toMatchObject({ sqlState: "23514", constraint: "chats_last_position_check", retryable: false })
        expect(error.message).not.toContain("secret")
      })
    ))
}

const roles = (run: Run<Parts>) => {
  it("each call runs as its role, for any id of a user", () =>
    run(
      Effect.gen(function* () {
        const database = yield* Database
        for (const name of ["o'hara\\", `x'; RESET ROLE; --`, 'quote"d', "\u{1F600}"]) {
          const [row] = yield* database.asUser(name, (sql) => sql.query(whoAmI))
          expect(row).toEqual({ role: "parley_user", user_id: name })
        }
        for (const name of ["o'hara\\", `x'; RESET ROLE; --`, 'quote"d', "\u{1F600}"]) {
          expect(yield* database.statementAsUser(name, whoAmI)).toEqual([{ role: "parley_user", user_id: name }])
        }
        const [service] = yield* database.asService((sql) => sql.query(whoAmI))
        expect(service?.["role"]).toBe("parley_service")
      })
    ))

  it("a statement alone as a user is fenced as all of theirs, joins a unit of work, and leaves no role behind", () =>
    run(
      Effect.gen(function* () {
        const database = yield* Database
        const { schema } = database
        const [ann, bob] = [newUser(), newUser()]
        const insert = `INSERT INTO ${schema}.chats (user_id, bot, visitor, id, title, last_position) VALUES ($1, '', '', gen_random_uuid(), 'A', 0)`
        yield* database.statementAsUser(ann, insert, [ann])
        expect(yield* countChats(ann)).toBe(1)
        const all = `SELECT count(*) AS count FROM ${schema}.chats WHERE user_id = $1`
        expect(yield* database.statementAsUser(ann, all, [ann])).toEqual([{ count: 1 }])
        expect(yield* database.statementAsUser(bob, all, [ann])).toEqual([{ count: 0 }])
        const refused = yield* Effect.flip(database.statementAsUser(bob, insert, [ann]))
        expect(refused.sqlState).toBe("42501")
        const undone = database.unitOfWork(
          Effect.andThen(database.statementAsUser(ann, insert, [ann]), Effect.fail("undone" as const))
        )
        expect(yield* Effect.flip(undone)).toBe("undone")
        expect(yield* countChats(ann)).toBe(1)
        const seen = yield* Effect.forEach(Array.from({ length: 20 }), () => database.statement(whoAmI), {
          concurrency: "unbounded"
        })
        expect(seen.flat().filter(({ role, user_id }) => role === "parley_user" || user_id === bob)).toEqual([])
      })
    ))

  it("a turn is written as its person, a visitor's as the service, and either leaves the role that asked for it", () =>
    run(
      Effect.gen(function* () {
        const database = yield* Database
        const { asOwner } = yield* DatabaseOwner
        const { schema } = database
        const [ann, bob] = [newUser(), newUser()]
        const noteWriter = `CREATE FUNCTION ${schema}.note_writer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            NEW.model := current_user || ' ' || current_setting('parley.user_id', true); RETURN NEW; END $$;
          GRANT EXECUTE ON FUNCTION ${schema}.note_writer() TO PUBLIC;
          CREATE TRIGGER writer BEFORE INSERT OR UPDATE ON ${schema}.messages
            FOR EACH ROW EXECUTE FUNCTION ${schema}.note_writer()`
        const begin = `SELECT ${schema}.begin_turn($1, $2, $3, $4, 'A', 1, $5, $6, false, 0, '{}', NULL, NULL, false, 0)`
        const end = `SELECT ${schema}.end_turn($1, $2, $3, $4, $5, 'said', 'complete')`
        const written = `SELECT model AS writer, state FROM ${schema}.messages WHERE user_id = $1 ORDER BY bot`
        const observed = Effect.gen(function* () {
          yield* asOwner(({ script }) => script(noteWriter))
          const after: Array<unknown> = []
          for (const [bot, visitor] of [
            ["", ""],
            ["bot", "visitor"]
          ]) {
            const [chat, reply] = [crypto.randomUUID(), crypto.randomUUID()]
            const given = JSON.stringify([{ id: reply, role: "assistant", content: "", state: "streaming" }])
            const key = [bob, bot, visitor, chat, reply]
            yield* database.asUser(ann, (sql) => sql.query(begin, [...key, given]))
            yield* database.asUser(ann, (sql) => sql.query(end, key))
            after.push(...(yield* database.asUser(ann, (sql) => sql.query(whoAmI))))
          }
          return yield* Effect.fail({ after, written: yield* database.statement(written, [bob]) })
        })
        // Nothing of it stays.
        expect(yield* Effect.flip(database.unitOfWork(observed))).toEqual({
          after: [
            { role: "parley_user", user_id: ann },
            { role: "parley_user", user_id: ann }
          ],
          written: [
            { writer: `parley_user ${bob}`, state: "complete" },
            { writer: "parley_service ", state: "complete" }
          ]
        })
      })
    ))

  it("a user who is no text is refused before anything is asked", () =>
    run(
      Effect.gen(function* () {
        const database = yield* Database
        for (const name of ["a\0b", "\uD800"]) {
          const error = yield* Effect.flip(database.asUser(name, (sql) => sql.query(whoAmI)))
          expect(error).toMatchObject({ sqlState: "22021", retryable: false })
        }
      })
    ))

  it("calls within a unit, also at the same moment and inside each other, each keep their role", () =>
    run(
      Effect.gen(function* () {
        const database = yield* Database
        const asked = (sql: Sql) => Effect.map(sql.query(whoAmI), ([row]) => `${row?.["role"]} ${row?.["user_id"]}`)
        const each = (name: string) =>
          database.asUser(name, (sql) =>
            Effect.gen(function* () {
              const before = yield* asked(sql)
              const inner = yield* database.asService(asked)
              return [before, inner, yield* asked(sql)]
            })
          )
        const names = ["a", "b", "c", "d"]
        const seen = yield* database.unitOfWork(Effect.all(names.map(each), { concurrency: "unbounded" }))
        expect(seen.map((roles) => roles.map((role) => role.trim()))).toEqual(
          names.map((name) => [`parley_user ${name}`, "parley_service", `parley_user ${name}`])
        )
      })
    ))

  it("a role ends with its transaction", () =>
    run(
      Effect.gen(function* () {
        const database = yield* Database
        yield* database.asUser("somebody", (sql) => sql.query("SELECT 1"))
        const [row] = yield* database.statement(whoAmI)
        expect(row?.["role"]).not.toBe("parley_user")
        expect(row?.["user_id"] ?? "").toBe("")
      })
    ))
}

const undoing = (run: Run<Parts>) => {
  it("work that fails or dies is rolled back, and its failure passes unchanged", () =>
    run(
      Effect.gen(function* () {
        const { asUser, schema } = yield* Database
        const userId = newUser()
        const failing = asUser(userId, (sql) => Effect.andThen(insertChat(sql, schema, userId), Effect.fail("refused")))
        expect(yield* Effect.flip(failing)).toBe("refused")
        const dying = asUser(userId, (sql) => Effect.andThen(insertChat(sql, schema, userId), Effect.die("a bug")))
        expect(Exit.isFailure(yield* Effect.exit(dying))).toBe(true)
        expect(yield* countChats(userId)).toBe(0)
        yield* asUser(userId, (sql) => insertChat(sql, schema, userId))
        expect(yield* countChats(userId)).toBe(1)
      })
    ))

  it("work that is interrupted is rolled back", () =>
    run(
      Effect.gen(function* () {
        const { asUser, schema } = yield* Database
        const userId = newUser()
        const inserted = yield* Deferred.make<void>()
        const work = asUser(userId, (sql) =>
          insertChat(sql, schema, userId).pipe(
            Effect.andThen(Deferred.succeed(inserted, undefined)),
            Effect.andThen(Effect.never)
          )
        )
        const fiber = yield* Effect.forkChild(work)
        yield* Deferred.await(inserted)
        yield* Fiber.interrupt(fiber)
        expect(yield* countChats(userId)).toBe(0)
      })
    ))

  it("interrupted at any moment, work is done wholly or not at all, and connections come back", () =>
    run(
      Effect.gen(function* () {
        const { asUser, schema } = yield* Database
        for (let round = 0; round < 40; round++) {
          const userId = newUser()
          const work = asUser(userId, (sql) =>
            Effect.andThen(insertChat(sql, schema, userId), insertChat(sql, schema, userId))
          )
          const fiber = yield* Effect.forkChild(work)
          for (let step = 0; step < round; step++) yield* Effect.promise(() => new Promise(setImmediate))
          yield* Fiber.interrupt(fiber)
          expect([0, 2]).toContain(yield* countChats(userId))
        }
        const all = Array.from({ length: 40 }, () => asUser(newUser(), (sql) => sql.query("SELECT 1")))
        expect(yield* Effect.all(all, { concurrency: "unbounded" })).toHaveLength(40)
      })
    ))

  it("a failed statement fails its call, even where its error was swallowed", () =>
    run(
      Effect.gen(function* () {
        const { asUser, schema } = yield* Database
        const userId = newUser()
        const swallowing = asUser(userId, (sql) =>
          Effect.andThen(insertChat(sql, schema, userId), Effect.ignore(sql.query("SELECT 1 / 0")))
        )
        expect(yield* Effect.flip(swallowing)).toMatchObject({ sqlState: "22012" })
        expect(yield* countChats(userId)).toBe(0)
      })
    ))

  it("a call that failed within a unit fails the unit, even where its failure was swallowed", () =>
    run(
      Effect.gen(function* () {
        const { asService, asUser, schema, unitOfWork } = yield* Database
        const userId = newUser()
        const unit = unitOfWork(
          Effect.gen(function* () {
            yield* asUser(userId, (sql) => insertChat(sql, schema, userId))
            yield* Effect.ignore(asService(() => Effect.fail("refused")))
          })
        )
        const error = yield* Effect.flip(unit)
        expect(error).toBeInstanceOf(DatabaseError)
        expect(error.retryable).toBe(false)
        expect(yield* countChats(userId)).toBe(0)
      })
    ))

  it("what is only checked at the end fails the call as well", () =>
    run(
      Effect.gen(function* () {
        const { execute } = yield* DatabaseOwner
        const { asService, schema } = yield* Database
        yield* execute(`CREATE TABLE IF NOT EXISTS ${schema}.deferred (id integer UNIQUE DEFERRABLE INITIALLY DEFERRED);
          GRANT INSERT ON ${schema}.deferred TO parley_service`)
        const twice = asService((sql) => sql.query(`INSERT INTO ${schema}.deferred VALUES (1), (1)`))
        expect(yield* Effect.flip(twice)).toMatchObject({ sqlState: "23505" })
        expect(yield* asService((sql) => sql.query("SELECT 1 AS one"))).toEqual([{ one: 1 }])
        yield* execute(`DROP TABLE ${schema}.deferred`)
      })
    ))
}

const afterwards = (run: Run<Parts>) => {
  it("a statement sent after its transaction has ended is a bug that shows", () =>
    run(
      Effect.gen(function* () {
        const { asService } = yield* Database
        const leaked = yield* asService((sql) => Effect.succeed(sql))
        const exit = yield* Effect.exit(leaked.query("SELECT 1"))
        expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
      })
    ))

  it("a fiber that outlives its unit opens a transaction of its own", () =>
    run(
      Effect.gen(function* () {
        const { asUser, schema, unitOfWork } = yield* Database
        const userId = newUser()
        const [ended, fiber] = yield* unitOfWork(
          Effect.gen(function* () {
            yield* asUser(userId, (sql) => sql.query("SELECT 1"))
            const ended = yield* Deferred.make<void>()
            const late = Effect.andThen(
              Deferred.await(ended),
              asUser(userId, (sql) => insertChat(sql, schema, userId))
            )
            return [ended, yield* Effect.forkDetach(late)] as const
          })
        )
        yield* Deferred.succeed(ended, undefined)
        yield* Fiber.join(fiber)
        expect(yield* countChats(userId)).toBe(1)
      })
    ))

  it("what waits for the commit runs after it, and not at all after a failure", () =>
    run(
      Effect.gen(function* () {
        const { asUser, schema, unitOfWork } = yield* Database
        const { afterCommit } = yield* DatabaseOwner
        const ran: Array<string> = []
        const userId = newUser()
        const unit = (name: string, end: Effect.Effect<void, string>) =>
          unitOfWork(
            Effect.gen(function* () {
              yield* asUser(userId, (sql) => insertChat(sql, schema, userId))
              yield* afterCommit(() => ran.push(name))
              expect(ran).not.toContain(name)
              yield* end
            })
          )
        yield* Effect.ignore(unit("failed", Effect.fail("refused")))
        yield* unit("committed", Effect.void)
        expect(ran).toEqual(["committed"])
      })
    ))

  it("a script that fails within its own transaction leaves the connection usable", () =>
    run(
      Effect.gen(function* () {
        const { execute } = yield* DatabaseOwner
        const { statement } = yield* Database
        const error = yield* Effect.flip(execute("BEGIN; SELECT 1 / 0; COMMIT"))
        expect(error).toMatchObject({ sqlState: "22012" })
        const many = Array.from({ length: 30 }, () => statement("SELECT 1 AS one"))
        for (const rows of yield* Effect.all(many, { concurrency: "unbounded" })) expect(rows).toEqual([{ one: 1 }])
      })
    ))
}

for (const { name, layer } of databases) {
  suiteOn(`Database on ${name}`, layer, (run) => {
    values(run)
    roles(run)
    undoing(run)
    afterwards(run)
  })
}
