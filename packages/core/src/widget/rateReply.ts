import { Effect } from "effect"
import type { Bot } from "../bots/Bot.ts"
import { ChatService } from "../chat/ChatService.ts"
import { ConversationNotFound } from "./botErrors.ts"
import { VisitorGate } from "./VisitorGate.ts"
import type { VisitorRating } from "./VisitorMessage.ts"
import { visitorOwner } from "./visitorOwner.ts"

/** A visitor's rating, and the address from which it was sent. */
export interface VisitorRatingInput extends VisitorRating {
  /** The address from which the rating was sent, as the server sees it. */
  readonly address: string | undefined
}

/**
 * Returns a function that stores a visitor's rating of a reply; an address may rate as often as it may read
 * conversations.
 */
export const makeRating = <E>(botOf: (publicKey: string) => Effect.Effect<Bot, E>) =>
  Effect.gen(function* () {
    const chat = yield* ChatService
    const gate = yield* VisitorGate
    return Effect.fn("WidgetService.rate")(function* (given: VisitorRatingInput) {
      const { address, conversationId, messageId, publicKey, rating, visitorId } = given
      yield* gate.enterReading(address)
      const owner = yield* visitorOwner(yield* botOf(publicKey), visitorId)
      yield* chat.rate(owner, conversationId, messageId, rating === null ? undefined : { rating }).pipe(
        Effect.catchTag("ChatNotFound", () => Effect.fail(new ConversationNotFound())),
        // A rating without a comment is always valid.
        Effect.catchTag("InvalidChatChange", Effect.die)
      )
    })
  })
