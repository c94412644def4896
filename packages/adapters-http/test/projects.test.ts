import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { startServer, type TestServer } from "./support/startServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer({ parley: { work: ["holds", "jobs"] } })
})
afterAll(() => server.close())

let people = 0
const somebody = () => `planner-${(people += 1)}`

interface ProjectBody {
  readonly id: string
  readonly name: string
}

const send = (method: string, path: string, user: string, body?: unknown) =>
  server.fetch(path, {
    method,
    user,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
  })

const jsonOf = async <A>(answer: Promise<Response>, status = 200): Promise<A> => {
  const response = await answer
  expect(response.status).toBe(status)
  return (await response.json()) as A
}

const ask = async (user: string, more: object = {}) => {
  const reply = await server.post("/api/chat", { messages: [{ role: "user", content: "Hello?" }], ...more }, user)
  expect(reply.status).toBe(200)
  await reply.text()
  return reply.headers.get("x-chat-id") ?? ""
}

const create = (user: string, body: object = { name: "Tea" }) =>
  jsonOf<ProjectBody>(send("POST", "/api/projects", user, body), 201)

const chatIdsOf = async (user: string, query: string) =>
  (await jsonOf<{ chats: ReadonlyArray<{ id: string }> }>(server.fetch(`/api/chats${query}`, { user }))).chats.map(
    ({ id }) => id
  )

describe("projects over HTTP", () => {
  test("are made, changed, listed and deleted by their owner alone; their chats stay", async () => {
    const [user, other] = [somebody(), somebody()]
    const project = await create(user, { name: " Tea ", instructions: "Name the price." })
    expect(project).toEqual({
      id: project.id,
      name: "Tea",
      instructions: "Name the price.",
      documentIds: [],
      createdAt: expect.stringMatching(/Z$/)
    })
    const path = `/api/projects/${project.id}`
    expect(await jsonOf(send("PATCH", path, user, { name: "Coffee" }))).toEqual({ ...project, name: "Coffee" })
    const list = (by: string) => jsonOf<{ projects: ReadonlyArray<ProjectBody> }>(send("GET", "/api/projects", by))
    expect(await list(user)).toEqual({ projects: [{ ...project, name: "Coffee" }] })
    expect(await list(other)).toEqual({ projects: [] })
    for (const [method, body] of [["PATCH", { name: "Mine" }], ["DELETE"]] as const) {
      await expectProblem(await send(method, path, other, body), 404, "project_not_found")
    }
    const chatId = await ask(user, { projectId: project.id })
    expect((await send("DELETE", path, user)).status).toBe(204)
    expect(await jsonOf(server.fetch(`/api/chats/${chatId}`, { user }))).toMatchObject({ projectId: null })
  })

  test("a chat begins in a project, is listed by it, and moves out of it and back", async () => {
    const user = somebody()
    const { id: projectId } = await create(user)
    const [inside, outside] = [await ask(user, { projectId }), await ask(user)]
    expect(await chatIdsOf(user, `?projectId=${projectId}`)).toEqual([inside])
    expect(await chatIdsOf(user, "")).toEqual([outside, inside])
    const move = (chatId: string, to: string | null) => send("PATCH", `/api/chats/${chatId}`, user, { projectId: to })
    expect(await jsonOf(move(inside, null))).toMatchObject({ id: inside, projectId: null })
    expect(await jsonOf(move(outside, projectId))).toMatchObject({ id: outside, projectId })
    expect(await chatIdsOf(user, `?projectId=${projectId}&search=hello`)).toEqual([outside])
    const theirs = await create(somebody())
    await expectProblem(await move(inside, theirs.id), 404, "project_not_found")
    const both = { title: "Tea", projectId }
    await expectProblem(await send("PATCH", `/api/chats/${inside}`, user, both), 400, "invalid_request")
    await expectProblem(await send("PATCH", `/api/chats/${inside}`, user, {}), 400, "invalid_request")
  })

  test("a project without a name, an unknown project and a project beside a chat are refused", async () => {
    const user = somebody()
    await expectProblem(await send("POST", "/api/projects", user, {}), 400, "invalid_project")
    const question = { messages: [{ role: "user", content: "Hello?" }] }
    const nowhere = { ...question, projectId: "00000000-0000-4000-8000-000000000000" }
    await expectProblem(await server.post("/api/chat", nowhere, user), 404, "project_not_found")
    const { id: projectId } = await create(user)
    const both = { ...question, projectId, chatId: await ask(user) }
    await expectProblem(await server.post("/api/chat", both, user), 422, "invalid_chat_request")
  })
})
