import { assert, describe, it } from "@effect/vitest"
import { onePerson } from "@parley/core"
import { ChatService, DocumentService, PreferenceService, ProjectService } from "@parley/core/effect"
import { Effect } from "effect"
import { ask, balance, reading, says, scriptedModel, world } from "./world.ts"

const CONFIG = {
  models: { "model-a-mini": { creditsPer1kInput: 10 } },
  tiers: { free: { monthlyCredits: 1_000, models: ["model-a-mini", "model-a"] } }
}

const setUp = () => {
  const model = scriptedModel(() => says(["yes"]))
  const read = () => (model.requests.at(-1)?.messages ?? []).map(({ content }) => content).join("\n")
  return { model, read, services: world(model, CONFIG) }
}

const create = (userId: string, project: object) =>
  ProjectService.use((projects) => projects.create(userId, { name: "Tea", ...project }))

const upload = (userId: string, text: string) => Effect.map(reading(userId, text), ([id]) => id ?? "")

describe("a project", () => {
  it.live("its instructions stand after the person's, and it is the scope of every reply in its chats", () => {
    const { read, services } = setUp()
    return Effect.gen(function* () {
      yield* PreferenceService.use((preferences) =>
        preferences.set("ann", { instructions: "Answer in verse.", modelId: null })
      )
      const documentIds = [yield* upload("ann", "Darjeeling costs 17 crowns in every shop.")]
      const { id: projectId } = yield* create("ann", { instructions: "Name the price.", documentIds })
      const { reply } = yield* ask("ann", "What does Darjeeling cost?", { projectId })
      assert.isBelow(read().indexOf("Answer in verse."), read().indexOf("Name the price."))
      assert.include(read(), "Darjeeling costs 17 crowns")
      assert.deepStrictEqual(
        reply.sources.map(({ documentId }) => documentId),
        documentIds
      )
      yield* ask("ann", "What does Darjeeling cost in summer?", { chatId: reply.chatId })
      assert.include(read(), "Name the price.")
      assert.include(read(), "Darjeeling costs 17 crowns")
      yield* ask("ann", "What does Darjeeling cost?")
      assert.notInclude(read(), "Name the price.")
      assert.notInclude(read(), "17 crowns")
    }).pipe(Effect.provide(services))
  })

  it.live("a chat follows the project in which it is now, and its documents as they are now", () => {
    const { read, services } = setUp()
    return Effect.gen(function* () {
      const projects = yield* ProjectService
      const [tea, coffee] = [yield* upload("ann", "Tea costs 3."), yield* upload("ann", "Coffee costs 4.")]
      const one = yield* create("ann", { instructions: "Speak of tea.", documentIds: [tea] })
      const { reply } = yield* ask("ann", "What does it cost?")
      assert.notInclude(read(), "Speak of tea.")
      const { chatId } = reply
      yield* projects.place("ann", chatId, one.id)
      yield* ask("ann", "What does tea or coffee cost?", { chatId })
      assert.include(read(), "Tea costs 3.")
      yield* projects.change("ann", one.id, { documentIds: [coffee], instructions: "Speak of coffee." })
      yield* ask("ann", "And what does coffee cost?", { chatId })
      assert.include(read(), "Speak of coffee.")
      assert.notInclude(read(), "Speak of tea.")
      assert.include(read(), "Coffee costs 4.")
      yield* projects.remove("ann", one.id)
      yield* ask("ann", "And now?", { chatId })
      assert.notInclude(read(), "Speak of")
    }).pipe(Effect.provide(services))
  })

  it.live("a document that was deleted is left out of the replies, and of the project at its next change", () => {
    const { read, services } = setUp()
    return Effect.gen(function* () {
      const projects = yield* ProjectService
      const documents = yield* DocumentService
      const [tea, coffee] = [yield* upload("ann", "Tea costs 3."), yield* upload("ann", "Coffee costs 4.")]
      const { id } = yield* create("ann", { documentIds: [tea, coffee] })
      yield* documents.remove("ann", tea)
      yield* ask("ann", "What does tea or coffee cost?", { projectId: id })
      assert.include(read(), "Coffee costs 4.")
      const changed = yield* projects.change("ann", id, { documentIds: [tea, coffee.toUpperCase(), coffee] })
      assert.deepStrictEqual(changed.documentIds, [coffee])
    }).pipe(Effect.provide(services))
  })

  it.live("what cannot be stored is refused with the field, and changes nothing", () => {
    const { services } = setUp()
    return Effect.gen(function* () {
      const projects = yield* ProjectService
      const project = yield* create("ann", { name: "  The\n tea\0 ", instructions: " x " })
      assert.deepStrictEqual([project.name, project.instructions], ["The tea\uFFFD", "x"])
      const refused = (change: object) => Effect.flip(projects.change("ann", project.id, change))
      for (const [field, change] of [
        ["name", { name: " \n" }],
        ["name", { name: "x".repeat(101) }],
        ["instructions", { instructions: "x".repeat(4_001) }],
        ["documentIds", { documentIds: ["no id"] }],
        ["documentIds", { documentIds: Array.from({ length: 201 }, () => crypto.randomUUID()) }]
      ] as const) {
        const problem = yield* refused(change)
        assert.deepInclude(problem, { _tag: "InvalidProject", field })
      }
      assert.deepInclude(yield* Effect.flip(projects.create("ann", {})), { _tag: "InvalidProject", field: "name" })
      const bobs = yield* upload("bob", "Bob's tea.")
      assert.deepInclude(yield* refused({ documentIds: [bobs] }), { _tag: "DocumentForbidden" })
      assert.deepInclude(yield* refused({ documentIds: [crypto.randomUUID()] }), { _tag: "DocumentNotFound" })
      assert.deepStrictEqual(yield* projects.list("ann"), [project])
    }).pipe(Effect.provide(services))
  })

  it.live("another person's project, and one beside the id of a chat, are refused and cost nothing", () => {
    const { services } = setUp()
    return Effect.gen(function* () {
      const projects = yield* ProjectService
      const { id: projectId } = yield* create("ann", {})
      const { reply } = yield* ask("bob", "Hello?")
      const before = yield* balance("bob")
      assert.deepInclude(yield* Effect.flip(ask("bob", "Hello?", { projectId })), { _tag: "ProjectNotFound" })
      const both = { projectId, chatId: reply.chatId }
      assert.deepInclude(yield* Effect.flip(ask("bob", "Hello?", both)), { _tag: "InvalidChatRequest" })
      assert.deepStrictEqual(yield* balance("bob"), before)
      const moved = Effect.flip(projects.place("bob", reply.chatId, projectId))
      assert.deepInclude(yield* moved, { _tag: "ProjectNotFound" })
      assert.deepInclude(yield* Effect.flip(projects.remove("bob", projectId)), { _tag: "ProjectNotFound" })
      assert.deepInclude(yield* Effect.flip(projects.place("ann", reply.chatId, projectId)), { _tag: "ChatNotFound" })
    }).pipe(Effect.provide(services))
  })

  it.live("its documents are left out if the parties of a reply read those of another owner", () => {
    const { read, services } = setUp()
    return Effect.gen(function* () {
      const documentIds = [yield* upload("ann", "Tea costs 3.")]
      const { id: projectId } = yield* create("ann", { instructions: "Speak of tea.", documentIds })
      const parties = { ...onePerson("ann"), documentsOwner: "team" }
      const request = { messages: [{ role: "user", content: "What does tea cost?" }], projectId }
      yield* Effect.scoped(Effect.flatMap(ChatService, (chat) => chat.send({ parties, request })))
      assert.include(read(), "Speak of tea.")
      assert.notInclude(read(), "Tea costs 3.")
    }).pipe(Effect.provide(services))
  })

  it.live("a person has at most 100", () => {
    const { services } = setUp()
    return Effect.gen(function* () {
      for (let count = 0; count < 100; count++) yield* create("ann", {})
      assert.deepInclude(yield* Effect.flip(create("ann", {})), { _tag: "TooManyProjects", limit: 100 })
    }).pipe(Effect.provide(services))
  })
})
