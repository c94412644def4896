import { Context, Effect, Layer, Schema } from "effect"
import type { BotMisconfigured, BotNotFound } from "../../bots/errors.ts"
import { BotService } from "../../bots/BotService.ts"
import type { StorageQuotaExceeded } from "../../chat/errors.ts"
import type { Handover } from "../../chat/store/Handover.ts"
import { type HandoverCounts, Handovers } from "../../chat/store/Handovers.ts"
import { ChatRecords } from "../../chat/store/ChatStore.ts"
import type { StoredMessage } from "../../chat/store/StoredChat.ts"
import { UserId } from "../../identity/UserId.ts"
import type { SessionInvalid } from "../../identity/SessionVerifier.ts"
import { JobQueue } from "../../jobs/JobQueue.ts"
import { IdGenerator } from "../../storage/storedForms.ts"
import { Id, inputsOf } from "../../storage/inputs.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { ConversationNotFound, HandOverOff } from "../botErrors.ts"
import { SendHandoverMail } from "./handoverMailJob.ts"
import { makeCheckRoom } from "./toPerson.ts"

/** The maximum length of a person's answer, in UTF-16 units. */
export const MAX_ANSWER = 8_000

const isStorable = (text: string) =>
  (text.isWellFormed() && !text.includes("\0")) || "Expected a text without NUL and without lone surrogates"

/** The text of a person's answer to a visitor. */
export const AnswerText = Schema.String.annotate({ description: "The text of the answer." }).check(
  Schema.isMaxLength(MAX_ANSWER, { message: `Expected at most ${MAX_ANSWER} characters` }),
  Schema.makeFilter((text: string) => text.trim() !== "" || "Expected the answer to say something"),
  Schema.makeFilter(isStorable)
)

/** `open` takes a conversation or opens it again; `solved` ends the hand-over. */
export const MoveTo = Schema.Literals(["open", "solved"])
export type MoveTo = typeof MoveTo.Type

type Unreadable = BotNotFound | BotMisconfigured | ConversationNotFound | HandOverOff | StorageFailed

/** The operations of a bot's owner who answers in place of the bot. Another person's bot is treated as missing. */
export class HandoverService extends Context.Service<
  HandoverService,
  {
    /**
     * Answers a visitor; the conversation then is `open`, and the bot does not answer. Costs no credits. If the visitor
     * is gone and gave an address, the answer is also mailed.
     */
    answer(
      owner: UserId,
      botId: string,
      id: string,
      content: string
    ): Effect.Effect<StoredMessage, Unreadable | StorageQuotaExceeded | SessionInvalid>
    /**
     * Takes a conversation or opens it again (`open`); or ends the hand-over (`solved`), so that the bot answers again.
     */
    move(owner: UserId, botId: string, id: string, to: MoveTo): Effect.Effect<Handover, Unreadable>
    /** The number of conversations in each state. */
    counts(owner: UserId, botId: string): Effect.Effect<HandoverCounts, BotNotFound | BotMisconfigured | StorageFailed>
  }
>()("@parley/core/widget/handover/HandoverService") {
  static readonly inputs = inputsOf<HandoverService["Service"]>()({
    answer: [{ owner: UserId }, { botId: Id }, { id: Id }, { content: AnswerText }],
    move: [{ owner: UserId }, { botId: Id }, { id: Id }, { to: MoveTo }],
    counts: [{ owner: UserId }, { botId: Id }]
  })
  static readonly layer = Layer.effect(
    HandoverService,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const bots = yield* BotService
  const checkRoom = yield* makeCheckRoom
  const handovers = yield* Handovers
  const ids = yield* IdGenerator
  const jobs = yield* JobQueue
  const records = yield* ChatRecords
  const unitOfWork = yield* UnitOfWork

  /** Returns the bot, if people answer in its place. */
  const handingOver = Effect.fnUntraced(function* (owner: UserId, botId: string) {
    const bot = yield* bots.get(owner, botId)
    return bot.handOver ? bot : yield* new HandOverOff()
  })

  return HandoverService.of({
    answer: Effect.fn("HandoverService.answer")(function* (owner, botId, id, content) {
      const bot = yield* handingOver(owner, botId)
      const found = yield* records.conversation(owner, bot.id, id)
      if (found === undefined) return yield* new ConversationNotFound()
      yield* checkRoom(found.owner, content)
      const named = { botOwner: owner, bot: bot.id, chatId: found.id }
      const messageId = yield* ids.next
      const answered = yield* unitOfWork.run(
        owner,
        Effect.tap(handovers.answer({ ...named, id: messageId, content, author: bot.personName ?? "" }), (stored) =>
          stored?.mailDue === true
            ? jobs.enqueue(owner, SendHandoverMail, { botId: bot.id, conversationId: found.id, messageId })
            : Effect.void
        )
      )
      return answered?.message ?? (yield* new ConversationNotFound())
    }),
    move: Effect.fn("HandoverService.move")(function* (owner, botId, id, to) {
      const bot = yield* handingOver(owner, botId)
      const moved = yield* handovers.move({ botOwner: owner, bot: bot.id, chatId: id, to })
      return moved ?? (yield* new ConversationNotFound())
    }),
    counts: Effect.fn("HandoverService.counts")(function* (owner, botId) {
      const { id } = yield* bots.get(owner, botId)
      return yield* handovers.counts(owner, id)
    })
  })
})
