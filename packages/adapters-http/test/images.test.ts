import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { PNG } from "./support/png.ts"
import { ScriptedModel } from "./support/ScriptedModel.ts"
import { startServer, type TestServer } from "./support/startServer.ts"

interface MessageBody {
  readonly content: string
  readonly imageIds?: ReadonlyArray<string>
}

describe("images of messages", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterEach(() => {
    server.model.answer = new ScriptedModel().answer
  })
  afterAll(() => server.close())

  const upload = (user: string, bytes: Uint8Array<ArrayBuffer> = PNG) => {
    const body = new FormData()
    body.set("file", new File([bytes], "shot.png"))
    return server.fetch("/api/images", { method: "POST", body, user })
  }
  const stored = async (user: string): Promise<string> => {
    const answer = await upload(user)
    expect(answer.status).toBe(201)
    const image = (await answer.json()) as { readonly imageId: string }
    expect(image).toEqual({ imageId: expect.any(String), mediaType: "image/png", width: 1, height: 1 })
    return image.imageId
  }
  const ask = (user: string, imageIds: ReadonlyArray<string>, more: object = {}) =>
    server.post("/api/chat", { messages: [{ role: "user", content: "What is it?", imageIds }], ...more }, user)
  const read = (user: string, imageId: string) => server.fetch(`/api/images/${imageId}`, { user })

  it("are uploaded, seen by the model, shown in the chat, and deleted with it", async () => {
    const imageId = await stored("ann")
    const asked = server.model.nextCall()
    const answer = ask("ann", [imageId])
    const call = await asked
    const [image] = call.request.messages.at(-1)?.images ?? []
    expect([image?.mediaType, Buffer.from(image?.bytes ?? []).equals(PNG)]).toEqual(["image/png", true])
    call.say("A dot.")
    call.complete()
    const reply = await answer
    await reply.text()
    const chat = `/api/chats/${reply.headers.get("x-chat-id")}`
    const { messages } = (await (await server.fetch(chat, { user: "ann" })).json()) as {
      readonly messages: ReadonlyArray<MessageBody>
    }
    expect(messages.map(({ imageIds }) => imageIds)).toEqual([[imageId], undefined])
    const file = await read("ann", imageId)
    expect([file.status, file.headers.get("content-type"), file.headers.get("x-content-type-options")]).toEqual([
      200,
      "image/png",
      "nosniff"
    ])
    expect(Buffer.from(await file.arrayBuffer()).equals(PNG)).toBe(true)
    await server.fetch(chat, { method: "DELETE", user: "ann" })
    await expectProblem(await read("ann", imageId), 404, "image_not_found")
  })

  it("belong to their owner: another person can neither read nor send one", async () => {
    const imageId = await stored("ann")
    await expectProblem(await read("bob", imageId), 404, "image_not_found")
    await expectProblem(await ask("bob", [imageId]), 422, "invalid_chat_request")
    await expectProblem(await read("ann", crypto.randomUUID()), 404, "image_not_found")
  })

  it("run nothing in a browser, also if other bytes follow the header", async () => {
    const page = new TextEncoder().encode("<!doctype html><script>alert(1)</script><svg onload=alert(1)>")
    const answer = await upload("ann", new Uint8Array([...PNG.subarray(0, 33), ...page]))
    const { imageId } = (await answer.json()) as { readonly imageId: string }
    const file = await read("ann", imageId)
    expect(Object.fromEntries(file.headers)).toMatchObject({
      "content-type": "image/png",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "private, no-cache"
    })
    await expectProblem(await server.fetch(`/api/images/${imageId}`), 401, "unauthorized")
  })

  it("reach no model through the completions of services", async () => {
    const imageId = await stored("eve")
    const complete = (message: object) =>
      server.fetch("/v1/chat/completions", {
        method: "POST",
        headers: { authorization: `Bearer ${server.serviceKey.key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "model-a-mini", user: "eve", messages: [{ role: "user", ...message }] })
      })
    const url = `data:image/png;base64,${Buffer.from(PNG).toString("base64")}`
    const before = server.model.requests
    expect((await complete({ content: [{ type: "image_url", image_url: { url } }] })).status).toBe(400)
    expect(server.model.requests).toBe(before)
    const asked = server.model.nextCall()
    const answer = complete({ content: "Hi", imageIds: [imageId] })
    const call = await asked
    expect(call.request.messages.flatMap(({ images = [] }) => images)).toEqual([])
    call.say("Hello")
    call.complete()
    await (await answer).text()
  })

  it("are not part of a shared chat", async () => {
    const imageId = await stored("eve")
    const reply = await ask("eve", [imageId])
    await reply.text()
    const path = `/api/chats/${reply.headers.get("x-chat-id")}/share`
    const share = await server.fetch(path, {
      method: "PUT",
      user: "eve",
      headers: { "content-type": "application/json" },
      body: "{}"
    })
    const { id } = (await share.json()) as { readonly id: string }
    const shared = await (await server.fetch(`/api/shared/${id}`)).text()
    expect([shared.includes("What is it?"), shared.includes(imageId)]).toEqual([true, false])
  })

  it("are refused with a sentence that says what to do, and the request costs nothing", async () => {
    const bytes = (length: number) => new Uint8Array(length)
    await expectProblem(await upload("ann", bytes(100)), 400, "invalid_image")
    await expectProblem(await upload("ann", bytes(2 * 1024 * 1024 + 1)), 400, "file_rejected")
    const before = server.model.requests
    await expectProblem(await ask("ann", ["no id"]), 422, "invalid_chat_request")
    await expectProblem(
      await ask(
        "ann",
        Array.from({ length: 5 }, () => crypto.randomUUID())
      ),
      422,
      "invalid_chat_request"
    )
    expect(server.model.requests).toBe(before)
  })

  it("of a request that is sent again with its key are charged once", async () => {
    const imageId = await stored("cid")
    const send = () =>
      server.fetch("/api/chat", {
        method: "POST",
        user: "cid",
        headers: { "content-type": "application/json", "idempotency-key": "one-question" },
        body: JSON.stringify({ messages: [{ role: "user", content: "What is it?", imageIds: [imageId] }] })
      })
    const first = await send()
    await first.text()
    const before = server.model.requests
    const second = await send()
    expect([second.status, await second.text()]).toEqual([200, "Hello there."])
    expect(server.model.requests).toBe(before)
  })
})
