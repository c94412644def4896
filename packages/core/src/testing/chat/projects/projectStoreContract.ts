import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { ProjectStore } from "../../../chat/projects/ProjectStore.ts"
import { ChatStore } from "../../../chat/store/ChatStore.ts"
import { newTurn, newUserId } from "../../storage/storageFixtures.ts"
import { type Run, suiteOn } from "../../suiteOn.ts"

type Stores = ChatStore | ProjectStore

const newProject = (changes: object = {}) => ({
  id: crypto.randomUUID(),
  name: "Annual 'reports' \u{1F4C8}",
  instructions: "Answer in tables.\n",
  documentIds: [crypto.randomUUID(), crypto.randomUUID()],
  ...changes
})

const MANY = 10

const projects = (run: Run<Stores>): void => {
  it("a person has the projects as they were stored and changed last, the newest first, and no other person has them", () =>
    run(
      Effect.gen(function* () {
        const store = yield* ProjectStore
        const [userId, other] = [newUserId(), newUserId()]
        const [one, two] = [newProject(), newProject({ instructions: "", documentIds: [] })]
        const first = yield* store.create(userId, one, MANY)
        expect(first).toEqual({ ...one, createdAt: expect.any(Number) })
        yield* store.create(userId, two, MANY)
        expect((yield* store.list(userId)).map(({ id }) => id)).toEqual([two.id, one.id])
        expect(yield* store.list(other)).toEqual([])
        expect(yield* store.get(other, one.id)).toBe(undefined)
        expect(yield* store.change(other, one.id, { name: "mine" })).toBe(undefined)
        expect(yield* store.remove(other, one.id)).toBe(false)
        expect(yield* store.get(userId, one.id.toUpperCase())).toEqual(first)
        expect(yield* store.get(userId, "no id")).toBe(undefined)
        const named = yield* store.change(userId, one.id, { name: "Reports" })
        expect(named).toEqual({ ...first, name: "Reports" })
        const emptied = yield* store.change(userId, one.id, { instructions: "", documentIds: [] })
        expect(emptied).toEqual({ ...named, instructions: "", documentIds: [] })
        expect(yield* store.get(userId, one.id)).toEqual(emptied)
        expect(yield* store.remove(userId, one.id)).toBe(true)
        expect(yield* store.remove(userId, one.id)).toBe(false)
        expect((yield* store.list(userId)).map(({ id }) => id)).toEqual([two.id])
      })
    ))

  it("a person has no more projects than the most, also if several are made at once", () =>
    run(
      Effect.gen(function* () {
        const store = yield* ProjectStore
        const [userId, other] = [newUserId(), newUserId()]
        const creating = Array.from({ length: 64 }, () => store.create(userId, newProject(), 1))
        const created = yield* Effect.all(creating, { concurrency: "unbounded" })
        expect(created.filter((project) => project !== undefined)).toHaveLength(1)
        expect(yield* store.create(userId, newProject(), 1)).toBe(undefined)
        expect(yield* store.list(userId)).toHaveLength(1)
        expect(yield* store.create(other, newProject(), 1)).toBeDefined()
      })
    ))
}

const chatsOfProjects = (run: Run<Stores>): void => {
  it("a chat begins in a project, moves to another and out of it, and only its owner moves it", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const store = yield* ProjectStore
        const [userId, other] = [newUserId(), newUserId()]
        const [one, two, theirs] = [newProject(), newProject(), newProject()]
        for (const project of [one, two]) yield* store.create(userId, project, MANY)
        yield* store.create(other, theirs, MANY)
        const turn = newTurn(userId, { projectId: one.id.toUpperCase() })
        const { chatId, owner } = turn
        yield* chats.beginTurn(turn)
        yield* chats.beginTurn(newTurn(userId))
        const projectOf = Effect.map(chats.transcript({ owner, chatId, limit: 1 }), (found) => found?.chat.projectId)
        const listed = (projectId: string, search = "") =>
          Effect.map(chats.list({ userId, limit: 9, offset: 0, projectId, search }), ({ chats: found, total }) => {
            expect(found).toHaveLength(total)
            return found.map(({ id }) => id)
          })
        expect(yield* projectOf).toBe(one.id)
        expect(yield* listed(one.id)).toEqual([chatId])
        expect(yield* listed(one.id, "report")).toEqual([chatId])
        expect(yield* listed(two.id)).toEqual([])
        expect(yield* store.place(other, chatId, theirs.id)).toBe(undefined)
        expect((yield* store.place(userId, chatId.toUpperCase(), two.id))?.projectId).toBe(two.id)
        expect([yield* listed(one.id), yield* listed(two.id, "report")]).toEqual([[], [chatId]])
        // A chat that continues stays in its project.
        yield* chats.beginTurn(newTurn(userId, { chatId, continues: true, projectId: one.id }))
        expect(yield* projectOf).toBe(two.id)
        expect((yield* store.place(userId, chatId, theirs.id))?.projectId).toBe(undefined)
        yield* store.place(userId, chatId, two.id)
        expect((yield* store.place(userId, chatId, null))?.projectId).toBe(undefined)
        expect(yield* projectOf).toBe(undefined)
        expect(yield* store.place(userId, crypto.randomUUID(), one.id)).toBe(undefined)
      })
    ))

  it("the chats of a deleted project stay, in no project, and a chat that begins in it meanwhile is in none", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const store = yield* ProjectStore
        const userId = newUserId()
        const project = newProject()
        yield* store.create(userId, project, MANY)
        const turns = [newTurn(userId, { projectId: project.id }), newTurn(userId, { projectId: project.id })]
        yield* chats.beginTurn(turns[0] ?? newTurn(userId))
        yield* store.remove(userId, project.id)
        yield* chats.beginTurn(turns[1] ?? newTurn(userId))
        for (const { chatId, owner } of turns) {
          const found = yield* chats.transcript({ owner, chatId, limit: 9 })
          expect([found?.chat.projectId, found?.messages.length]).toEqual([undefined, 2])
        }
      })
    ))
}

/** Tests the guarantees of a `ProjectStore` with its `ChatStore`. `layer` is built once, for all tests. */
export const projectStoreContract = (name: string, layer: Layer.Layer<Stores, unknown>): void =>
  suiteOn(`ProjectStore: ${name}`, layer, (run) => {
    projects(run)
    chatsOfProjects(run)
  })
