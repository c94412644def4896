import { Effect, type Layer, Result, Stream } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ChatService } from "../../chat/ChatService.ts"
import type { SendFailed } from "../../chat/sendMessages.ts"
import { ChatStore } from "../../chat/store/ChatStore.ts"
import type { StoredMessage } from "../../chat/store/StoredChat.ts"
import { CreditService } from "../../credits/CreditService.ts"
import { ChatModels, ModelFailed, type ReplyPart } from "../../models/ChatModel.ts"
import { newUserId } from "../storage/storageFixtures.ts"
import { type Run, suiteOn } from "../suiteOn.ts"

/** The price of each reply in the catalog of `chatTreeProperty`. */
const PRICE = 7
/** The configuration of the catalog for `chatTreeProperty`. */
export const CHAT_TREE_CATALOG = {
  models: { "model-a-mini": { creditsPer1kInput: 0, creditsPer1kOutput: 0, minimumCredits: PRICE } },
  tiers: { free: { monthlyCredits: 1_000_000 } }
}

const END: ReplyPart = {
  _tag: "end",
  reason: "completed",
  usage: { freshInput: 1, cacheRead: 0, cacheWrite: 0, output: 1 }
}

/** A model that records each prompt under the text of its reply; it fails for questions that begin with "fail". */
class NotingModel {
  readonly prompts = new Map<string, ReadonlyArray<string>>()
  readonly service = ChatModels.of({
    resolve: () =>
      Effect.succeed({
        name: "noting",
        stream: ({ messages }) =>
          Stream.suspend(() => {
            const prompt = messages.filter(({ role }) => role !== "system").map(({ content }) => content)
            if (prompt.at(-1)?.startsWith("fail") === true) {
              return Stream.fail(new ModelFailed({ model: "model-a-mini", reason: "refused", retryable: false }))
            }
            const text = `reply ${this.prompts.size}`
            this.prompts.set(text, prompt)
            const delta: ReplyPart = { _tag: "text-delta", text }
            return Stream.concat(Stream.succeed(delta), Stream.fromEffect(Effect.as(Effect.sleep("3 millis"), END)))
          }).pipe(Stream.rechunk(1))
      })
  })
}

/** A request of a batch; the requests of one batch are sent at the same time. */
interface Asking {
  readonly kind: "newest" | "after" | "again" | "first"
  /** Selects the message that the request follows. */
  readonly at: number
  readonly isFailing: boolean
  /** True if the request is sent twice under one key. */
  readonly isRepeated: boolean
  /** Milliseconds by which the request is sent later than the others. */
  readonly late: number
}

const asking: fc.Arbitrary<Asking> = fc.record({
  kind: fc.constantFrom("newest", "after", "again", "first"),
  at: fc.nat(100),
  isFailing: fc.nat(5).map((chance) => chance === 0),
  isRepeated: fc.boolean(),
  late: fc.constantFrom(0, 0, 2, 5)
})

interface Answered {
  readonly id: string
  readonly text: string
}

const send = Effect.fnUntraced(function* (userId: string, request: object, idempotencyKey: string, late: number) {
  const chat = yield* ChatService
  yield* Effect.sleep(late)
  const reply = yield* chat.send({ userId, request, idempotencyKey })
  return { id: reply.messageId, chatId: reply.chatId, text: yield* Stream.mkString(reply.text) }
}, Effect.scoped)

const allMessages = Effect.fnUntraced(function* (userId: string, chatId: string) {
  const chats = yield* ChatStore
  const found = yield* chats.transcript({ owner: { person: userId }, chatId, branch: "all", limit: 500 })
  return found?.messages ?? []
})

const requestOf = (chatId: string, messages: ReadonlyArray<StoredMessage>, each: Asking, content: string) => {
  const said = { chatId, messages: [{ role: "user", content: each.isFailing ? `fail ${content}` : content }] }
  const questions = messages.filter(({ role }) => role === "user")
  const replies = messages.filter(({ role }) => role === "assistant")
  const chosen = (of: ReadonlyArray<StoredMessage>) => of[each.at % of.length]?.id
  switch (each.kind) {
    case "newest":
      return said
    case "after":
      return { ...said, parentMessageId: chosen(replies) }
    case "again":
      return { chatId, messages: [], parentMessageId: chosen(questions) }
    case "first":
      return { ...said, parentMessageId: null }
  }
}

const isRetold = (failed: SendFailed) => failed._tag === "RequestInProgress" || failed._tag === "ModelFailed"

/** Sends the batches; returns the chat, and the answers by the ids of the replies. */
const converse = Effect.fnUntraced(function* (userId: string, batches: ReadonlyArray<ReadonlyArray<Asking>>) {
  const first = yield* send(userId, { messages: [{ role: "user", content: "begin" }] }, "begin", 0)
  const { chatId } = first
  const answered = new Map<string, Answered>([[first.id, first]])
  for (const [place, batch] of batches.entries()) {
    const before = yield* allMessages(userId, chatId)
    const sent = batch.flatMap((each, index) => {
      const name = `question ${place}-${index}`
      const request = requestOf(chatId, before, each, name)
      return (each.isRepeated ? [0, 1] : [0]).map((more) =>
        Effect.result(send(userId, request, name, each.late + more))
      )
    })
    for (const result of yield* Effect.all(sent, { concurrency: "unbounded" })) {
      if (Result.isSuccess(result)) {
        const known = answered.get(result.success.id)
        if (known !== undefined) expect(result.success.text).toBe(known.text)
        answered.set(result.success.id, result.success)
      } else if (!isRetold(result.failure)) return yield* Effect.fail(result.failure)
    }
  }
  return { chatId, answered: [...answered.values()] }
})

const property = (run: Run<ChatService | ChatStore | CreditService>, { prompts }: NotingModel) =>
  fc.asyncProperty(
    fc.array(fc.array(asking, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 }),
    (batches) =>
      run(
        Effect.gen(function* () {
          const chat = yield* ChatService
          const credits = yield* CreditService
          const userId = newUserId()
          const before = yield* credits.balance(userId)
          const { chatId, answered } = yield* converse(userId, batches)

          const all = yield* allMessages(userId, chatId)
          const replies = all.filter(({ role }) => role === "assistant")
          // Each answered message is stored with the answered text, and no other message is stored.
          expect(replies.map(({ id, content }) => ({ id, content })).toSorted(byId)).toEqual(
            answered.map(({ id, text }) => ({ id, content: text })).toSorted(byId)
          )
          // Each branch equals the prompt of its reply.
          for (const { id, content } of replies) {
            const { messages } = yield* chat.get(userId, chatId, { limit: 500, leaf: id })
            const line = messages.slice(0, messages.findIndex((message) => message.id === id) + 1)
            expect(line.map((message) => message.content)).toEqual([...(prompts.get(content) ?? []), content])
          }
          // Each message is one version among those with the same parent.
          const shown = yield* chat.get(userId, chatId)
          for (const { parentId, versions } of shown.messages) {
            const same = all.filter((message) => message.parentId === parentId).map(({ id }) => id)
            expect(versions).toEqual(same.length < 2 ? [] : same)
          }
          // Each reply is charged once.
          const costs = yield* credits.replyCosts(
            userId,
            replies.map(({ id }) => id)
          )
          expect([...costs.values()].map((cost) => cost.credits)).toEqual(replies.map(() => PRICE))
          const after = yield* credits.balance(userId)
          expect(before.available - after.available).toBe(replies.length * PRICE)
        })
      )
  )

const byId = (one: { readonly id: string }, other: { readonly id: string }) => (one.id < other.id ? -1 : 1)

/**
 * Tests the guarantees about chats as trees if replies are requested, edited and repeated, also at the same time.
 * `services` are all services of Parley, with the given models and with a catalog of `CHAT_TREE_CATALOG`.
 */
export const chatTreeProperty = (
  name: string,
  services: (models: ChatModels["Service"]) => Layer.Layer<ChatService | ChatStore | CreditService, unknown>,
  numRuns: number
): void => {
  const model = new NotingModel()
  describe("branches of chats", () => {
    suiteOn(name, services(model.service), (run) => {
      it(
        "every branch reads as it was written, each answered message is stored, and each reply is charged once",
        () => fc.assert(property(run, model), { numRuns }),
        120_000
      )
    })
  })
}
