import {
  type ChatMessage,
  createParley,
  type OpenedFile,
  openInMemory,
  type Parley,
  type TokenizerService,
  type Usage
} from "@parley/core"
import { ledgerOfStores } from "../../src/testing/credits/testedLedger.ts"
import { DocumentNotFound, InsufficientCredits, InvalidCatalog, InvalidInput } from "@parley/core/effect"
import { ModelFailed, PromptTooLong } from "@parley/core/adapter"
import { makeInMemoryEmbedder } from "@parley/core/adapter"
import { reservation } from "@parley/core/testing"
import { createTestParley } from "@parley/core/testing/parley"
import { Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { flatPrice, modelsFrom, plainParser, says, scriptedModel, type ScriptedModel } from "../chat/world.ts"

const withParley = async (
  model: ScriptedModel,
  use: (parley: Parley) => Promise<void>,
  options: { readonly config?: unknown; readonly clock?: { now(): number }; readonly tokenizer?: TokenizerService } = {}
) => {
  const parley = await createParley({
    ...(await openInMemory()),
    models: modelsFrom(model),
    parser: plainParser,
    ...options
  })
  try {
    await use(parley)
  } finally {
    await parley.close()
  }
}

const hello = { messages: [{ role: "user" as const, content: "Hello" }] }
const endless = () =>
  scriptedModel(() =>
    Stream.forever(Stream.make({ _tag: "text-delta" as const, text: "word " })).pipe(Stream.rechunk(1))
  )

describe("Parley with promises", () => {
  it("streams a reply and settles it before the stream ends", () =>
    withParley(
      scriptedModel(() => says(["Hello", " there"], { input: 1_000, output: 500 })),
      async (parley) => {
        const reply = await parley.chat.send("ann", hello)
        expect(await reply.text()).toBe("Hello there")
        expect(await parley.credits.balance("ann")).toMatchObject({ available: 97, held: 0 })
        const receipt = await parley.credits.receipt("ann", reply.messageId)
        expect(receipt).toMatchObject({ model: "model-a-mini", charged: 3, estimated: false, ended: "completed" })
        expect(receipt.paidFrom).toEqual({ allowance: 3, topup: 0 })
        await expect(parley.credits.receipt("bob", reply.messageId)).rejects.toMatchObject({ _tag: "ReceiptNotFound" })
        const { messages } = await parley.chat.get("ann", reply.chatId)
        expect(messages.at(-1)).toMatchObject({ id: reply.messageId, content: "Hello there" })
      }
    ))

  it("sends a message after an earlier one, in a branch of the chat", () =>
    withParley(
      scriptedModel(() => says(["Hi"])),
      async (parley) => {
        const first = await parley.chat.send("ann", hello)
        await first.text()
        const next = { ...hello, chatId: first.chatId, parentMessageId: first.messageId }
        for (const _ of ["one", "other"]) await (await parley.chat.send("ann", next)).text()
        const { messages } = await parley.chat.get("ann", first.chatId)
        expect(messages).toHaveLength(4)
        expect(messages[2]?.versions).toHaveLength(2)
      }
    ))

  it("embeds passages and questions by the embedder that the stores in memory are given", async () => {
    const asked: Array<string> = []
    const onRequest = (texts: ReadonlyArray<string>) => Effect.sync(() => void asked.push(...texts))
    const stores = await openInMemory({ embedder: makeInMemoryEmbedder({ onRequest }) })
    await using parley = await createTestParley(stores)
    const { id } = await parley.addText({ userId: "ann", filename: "plan.txt", text: "Annual growth" })
    const question = { userId: "ann", documentIds: [id], query: "growth", limit: 1 }
    const found = await Effect.runPromise(stores.passages.search(question))
    expect(found.map(({ text }) => text)).toEqual(["Annual growth"])
    expect(asked).toEqual([expect.stringContaining("Annual growth"), "growth"])
  })

  it("rejects with the named error, having charged nothing", () =>
    withParley(
      scriptedModel(() => says(["never"])),
      async (parley) => {
        await expect(parley.chat.send("ann", hello)).rejects.toBeInstanceOf(InsufficientCredits)
        expect(await parley.credits.balance("ann")).toMatchObject({ available: 1, held: 0 })
      },
      { config: flatPrice(2, 1) }
    ))

  it.each([
    ["rate-limited", "provider_rate_limited"],
    ["unavailable", "provider_unavailable"],
    ["stalled", "provider_unavailable"],
    ["cut-off", "model_failed"],
    ["refused", "model_failed"],
    ["misconfigured", "model_misconfigured"],
    ["bad-answer", "model_failed"],
    ["overlong", "model_failed"],
    ["empty", "model_failed"]
  ] as const)("rejects with a code that tells what passes from what does not: %s is %s", (reason, code) => {
    const failure = new ModelFailed({ model: "model-a-mini", reason, retryable: true, retryAfterMs: 30_000 })
    const model = scriptedModel(() => Stream.fail(failure))
    return withParley(model, async (parley) => {
      const expected = { _tag: "ModelFailed", code, retryAfterMs: 30_000 }
      await expect(parley.chat.send("ann", hello)).rejects.toMatchObject(expected)
      expect(await parley.credits.balance("ann")).toMatchObject({ held: 0 })
    })
  })

  it("errors the stream where the model breaks half-way, instead of ending it", () => {
    const cut = new ModelFailed({ model: "model-a-mini", reason: "cut-off", retryable: true })
    const model = scriptedModel(() =>
      Stream.concat(Stream.make({ _tag: "text-delta" as const, text: "Half" }), Stream.fail(cut))
    )
    return withParley(model, async (parley) => {
      const reply = await parley.chat.send("ann", hello)
      await expect(reply.text()).rejects.toMatchObject({ _tag: "ModelFailed", reason: "cut-off" })
      expect((await parley.credits.balance("ann")).held).toBe(0)
    })
  })

  it("charges a cancelled stream once for what was read", () =>
    withParley(endless(), async (parley) => {
      const reply = await parley.chat.send("ann", hello)
      const reader = reply.stream.getReader()
      await reader.read()
      await reader.cancel()
      const { transactions } = await parley.credits.history({ userId: "ann", limit: 10, offset: 0, type: "usage" })
      expect(transactions.map((row) => row.receipt?.ended)).toEqual(["stopped"])
      expect((await parley.credits.balance("ann")).held).toBe(0)
    }))

  it("rejects a read with the reason of an aborted signal, and ends the hold", () =>
    withParley(endless(), async (parley) => {
      const leaving = new AbortController()
      const reply = await parley.chat.send("ann", hello, { signal: leaving.signal })
      const reader = reply.stream.getReader()
      await reader.read()
      leaving.abort(new Error("left"))
      await expect(reader.read()).rejects.toThrow("left")
      await expect.poll(async () => (await parley.credits.balance("ann")).held).toBe(0)
    }))

  it("counts by the tokenizer it is given: what a prompt may hold, and what no vendor reports", async () => {
    const usageWith = async (
      tokenizer: TokenizerService,
      request: { readonly messages: ReadonlyArray<ChatMessage> }
    ) => {
      let usage: Usage | undefined
      const silent = scriptedModel(() => says(["Hello", " there"]))
      const counted = async (parley: Parley) => {
        const reply = await parley.chat.send("ann", request)
        await reply.text()
        usage = (await parley.credits.receipt("ann", reply.messageId)).usage
      }
      await withParley(silent, counted, { tokenizer })
      return usage
    }
    const counts = (max: number, estimate: number): TokenizerService => ({
      count: () => ({ max, estimate }),
      countInSteps: () => () => ({ max, estimate }),
      countGrowing: () => () => estimate
    })
    const long = { messages: [{ role: "user" as const, content: "word ".repeat(8_000) }] }
    for (const request of [hello, long]) {
      // The instruction and the question, and four tokens of overhead for each.
      expect(await usageWith(counts(20, 10), request)).toMatchObject({ freshInput: 2 * (10 + 4), output: 10 })
      await expect(usageWith(counts(1e9, 10), request)).rejects.toBeInstanceOf(PromptTooLong)
    }
  })

  it("processes an upload in the background and answers from it", () => {
    const model = scriptedModel(() => says(["Blue [1]"]))
    return withParley(model, async (parley) => {
      const bytes = new TextEncoder().encode("The sky over Basel is blue today.")
      const { id } = await parley.documents.upload({ userId: "ann", filename: "sky.txt", bytes })
      await expect.poll(async () => (await parley.documents.get("ann", id)).status).toBe("ready")
      const messages = [{ role: "user" as const, content: "What colour is the sky over Basel?" }]
      const reply = await parley.chat.send("ann", { messages, documentIds: [id] })
      await reply.text()
      expect(reply.sources).toMatchObject([{ number: 1, documentId: id, filename: "sky.txt", page: null, start: 0 }])
      expect(JSON.stringify(model.requests[0]?.messages)).toContain("The sky over Basel")
    })
  })

  it("gives the text around what a reply cites, and the file, to the owner alone", () => {
    const model = scriptedModel(() => says(["Blue [1]"]))
    return withParley(model, async (parley) => {
      const text = "The sky over Basel is blue today. Tomorrow it rains."
      const bytes = new TextEncoder().encode(text)
      const { id } = await parley.documents.upload({ userId: "ann", filename: "sky.txt", bytes })
      await expect.poll(async () => (await parley.documents.get("ann", id)).status).toBe("ready")
      const part = { from: 4, to: 18 }
      expect(await parley.documents.excerpt("ann", id, part)).toMatchObject({ text: "sky over Basel", ...part })
      expect(await parley.documents.excerpt("ann", id)).toMatchObject({ text, length: text.length, pages: null })
      const read = async ({ stream }: OpenedFile) => new TextDecoder().decode(await new Response(stream).bytes())
      expect(await read(await parley.documents.file("ann", id))).toBe(text)
      expect(await read(await parley.documents.file("ann", id, part))).toBe("sky over Basel")
      await expect(parley.documents.excerpt("bob", id)).rejects.toBeInstanceOf(DocumentNotFound)
      await expect(parley.documents.file("bob", id)).rejects.toBeInstanceOf(DocumentNotFound)
      for (const wrong of [-1, 0.5, Number.NaN]) {
        await expect(parley.documents.excerpt("ann", id, { from: wrong })).rejects.toBeInstanceOf(InvalidInput)
        await expect(parley.documents.file("ann", id, { to: wrong })).rejects.toBeInstanceOf(InvalidInput)
      }
    })
  })

  it("leaves background work to another process on the same stores if configured", async () => {
    const stores = await openInMemory()
    const rest = { models: modelsFrom(scriptedModel(() => says(["never"]))), parser: plainParser }
    const idle = await createParley({ ...stores, ...rest, work: false })
    const bytes = new TextEncoder().encode("The sky over Basel is blue today.")
    const { id } = await idle.documents.upload({ userId: "ann", filename: "sky.txt", bytes })
    const sweeping = await createParley({ ...stores, ...rest, work: ["holds"], holdTtlMs: 20 })
    const hold = reservation("ann", "reply:of-a-dead-process", 1, { ttlMs: 1 })
    await Effect.runPromise(ledgerOfStores(stores).reserve(hold))
    await expect.poll(async () => (await idle.credits.balance("ann")).held).toBe(0)
    expect((await idle.documents.get("ann", id)).status).toBe("processing")
    const working = await createParley({ ...stores, ...rest, work: ["jobs"] })
    await expect.poll(async () => (await idle.documents.get("ann", id)).status).toBe("ready")
    await Promise.all([idle.close(), sweeping.close(), working.close()])
  })

  it("refuses a catalog that cannot be used, naming every problem", async () => {
    const config = { tiers: { free: { models: ["model-z"] } }, models: { "model-a": { creditsPer1kInput: -1 } } }
    const starting = withParley(
      scriptedModel(() => says(["never"])),
      async () => undefined,
      { config }
    )
    await expect(starting).rejects.toBeInstanceOf(InvalidCatalog)
  })

  it("takes its time from the clock given", () =>
    withParley(
      scriptedModel(() => says(["yes"])),
      async (parley) => {
        expect((await parley.credits.balance("ann")).nextResetAt).toBe(Date.parse("2030-02-28T12:00:00Z"))
      },
      { clock: { now: () => Date.UTC(2030, 0, 31, 12) } }
    ))
})
