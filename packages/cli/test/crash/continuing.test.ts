import { pieceTokenizer } from "@parley/core/adapter"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { FakeOpenAi, STEERED } from "../../../../test/support/FakeOpenAi.ts"
import { eventually } from "../processes/ParleyProcess.ts"
import { type RunningServer, Visitor } from "../processes/RunningServer.ts"
import { CrashRig, hasPostgres } from "./CrashRig.ts"
import { spoken } from "./judgeRound.ts"

/** The words that a reply begins with, and those of a whole one. */
const BEGUN = 40
const WHOLE = 60

interface ReadChat {
  readonly running: { readonly messageId: string; readonly model: string } | null
  readonly messages: ReadonlyArray<{ readonly id: string; readonly content: string; readonly state: string }>
}

/** Reads a response to its end, or until it breaks off. */
const readAll = async (answer: Response) => {
  const decoder = new TextDecoder()
  let text = ""
  try {
    for await (const bytes of answer.body ?? []) text += decoder.decode(bytes, { stream: true })
    return { text, complete: true }
  } catch {
    return { text, complete: false }
  }
}

describe.runIf(hasPostgres)("replies that outlive their page, on two server processes", () => {
  const vendor = new FakeOpenAi()
  let rig: CrashRig
  let writer: RunningServer
  let other: RunningServer
  beforeAll(async () => {
    rig = new CrashRig()
    const more = { OPENAI_API_KEY: "sk-of-the-tests", OPENAI_BASE_URL: await vendor.start() }
    writer = await rig.start({ more })
    other = await rig.start({ more })
  })
  afterAll(async () => {
    await vendor[Symbol.asyncDispose]()
    await writer[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
    await rig[Symbol.asyncDispose]()
  })

  /** The same person at both servers. */
  const signIn = async (name: string) => {
    const [here, there] = [new Visitor(writer.url), new Visitor(other.url)]
    await here.signIn(`${name}@example.com`)
    await there.signIn(`${name}@example.com`)
    return { userId: `${name}@example.com`, here, there }
  }
  /** Asks for a reply, and returns it with its writer when its first words have arrived. */
  const ask = async (visitor: Visitor, headers: Readonly<Record<string, string>>) => {
    const asking = visitor.post("/api/chat", { messages: [{ role: "user", content: STEERED }] }, headers)
    const reply = await vendor.steered()
    reply.say(spoken(BEGUN))
    const answer = await asking
    expect(answer.status).toBe(200)
    const path = `/api/chats/${answer.headers.get("x-chat-id")}`
    return { answer, reply, messageId: answer.headers.get("x-message-id"), path }
  }
  const CONTINUE = { "x-on-disconnect": "continue" }
  const untilSettled = async (visitor: Visitor) =>
    eventually("the credits to be settled", async () => {
      const { held } = await visitor.getJson<{ held: number }>("/api/billing/balance")
      return held === 0 ? true : undefined
    })
  const untilJoined = (visitor: Visitor, path: string) =>
    eventually("the reply to be joined", async () => {
      const joined = await visitor.get(`${path}/stream`)
      return joined.status === 200 ? joined : undefined
    })

  it("every client that joins, on either, gets the same text from its beginning to its end; it is stored and charged once", async () => {
    const { here, there, userId } = await signIn("joiner")
    const { answer, messageId, path, reply } = await ask(here, CONTINUE)
    await answer.body?.cancel()
    const joined = [await here.get(`${path}/stream`), await untilJoined(there, path), await there.get(`${path}/stream`)]
    expect(await there.getJson<ReadChat>(path)).toMatchObject({ running: { messageId, model: "model-a-mini" } })
    for (const response of joined) expect(response.headers.get("x-message-id")).toBe(messageId)
    const reading = Promise.all(joined.map(readAll))
    reply.say(spoken(WHOLE).slice(spoken(BEGUN).length))
    reply.end()
    for (const read of await reading) expect(read).toEqual({ text: spoken(WHOLE), complete: true })
    await untilSettled(there)
    const { messages, running } = await there.getJson<ReadChat>(path)
    expect(running).toBe(null)
    expect(messages.at(-1)).toMatchObject({ id: messageId, content: spoken(WHOLE), state: "complete" })
    expect((await there.get(`${path}/stream`)).status).toBe(204)
    const charges = await rig.charges(userId)
    expect(charges).toMatchObject([{ key: `reply:${messageId}`, receipt: { ended: "completed", estimated: false } }])
  })

  it("leaving ends a reply that was not sent to continue, and its bill", async () => {
    const { here, there, userId } = await signIn("leaver")
    const { answer, path } = await ask(here, {})
    await eventually("the turn to be stored", async () => ((await there.get(path)).status === 200 ? true : undefined))
    expect((await there.get(`${path}/stream`)).status).toBe(204)
    await answer.body?.cancel()
    await untilSettled(there)
    expect(await rig.charges(userId)).toMatchObject([{ receipt: { ended: "stopped" } }])
  })

  it("stopping it on the other ends it and its bill, and what was written is kept", async () => {
    const { here, there, userId } = await signIn("stopper")
    const { answer, path, reply } = await ask(here, CONTINUE)
    const reading = readAll(answer)
    await untilJoined(there, path).then(({ body }) => body?.cancel())
    expect((await there.delete(`${path}/stream`)).status).toBe(204)
    await reply.left()
    const { messages, running } = await there.getJson<ReadChat>(path)
    const kept = messages.at(-1)
    expect(running).toBe(null)
    expect(kept?.state).toBe("stopped")
    expect(spoken(BEGUN).startsWith(kept?.content ?? "?")).toBe(true)
    const { complete, text } = await reading
    expect(complete).toBe(false)
    expect(kept?.content.startsWith(text)).toBe(true)
    await untilSettled(there)
    const [charge, ...more] = await rig.charges(userId)
    expect(more).toEqual([])
    const output = pieceTokenizer.count(kept?.content ?? "").estimate
    expect(charge).toMatchObject({ receipt: { ended: "stopped", usage: { output } } })
  })

  it("a killed server's reply ends for who joined it, and what was stored of it is kept and charged, and no more", async () => {
    const { here, there, userId } = await signIn("survivor")
    const { answer, path } = await ask(here, CONTINUE)
    const readingHere = readAll(answer)
    const readingThere = readAll(await untilJoined(there, path))
    await eventually("some of it to be recorded", async () => {
      const holds = await rig.leftHolds()
      return holds.some(({ recorded }) => recorded > 10) ? true : undefined
    })
    writer.process.child.kill("SIGKILL")
    await writer.process.ended
    const read = await readingThere
    expect(read.complete).toBe(false)
    expect((await readingHere).complete).toBe(false)
    expect((await there.get(`${path}/stream`)).status).toBe(204)
    await untilSettled(there)
    const kept = await eventually("what was written to be kept", async () => {
      const message = (await there.getJson<ReadChat>(path)).messages.at(-1)
      return message?.state === "failed" ? message : undefined
    })
    expect(kept.content).toBe(read.text)
    expect(spoken(BEGUN).startsWith(kept.content)).toBe(true)
    const [charge, ...more] = await rig.charges(userId)
    expect(more).toEqual([])
    expect(charge?.receipt.ended).toBe("expired")
    expect(charge?.receipt.usage.output).toBeGreaterThan(10)
    expect(charge?.receipt.usage.output).toBeLessThanOrEqual(pieceTokenizer.count(kept.content).estimate)
    expect(await rig.differences()).toEqual([])
  })
})
