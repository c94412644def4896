import { Schema } from "effect"

/** The longest id that a visitor's browser gives itself, in UTF-16 units. */
const MAX_VISITOR_ID = 200

const isStorable = (value: string) =>
  (value.isWellFormed() && !value.includes("\0")) || "Expected a text without NUL and without lone surrogates"

const textOf = (description: string) => Schema.String.annotate({ description }).check(Schema.makeFilter(isStorable))

const named = {
  publicKey: Schema.String.annotate({ description: "The bot's public key." }),
  visitorId: textOf("The visitor's id, which the browser generates: long, random and secret.").check(
    Schema.isMinLength(1, { message: `Expected 1 to ${MAX_VISITOR_ID} characters` }),
    Schema.isMaxLength(MAX_VISITOR_ID, { message: `Expected 1 to ${MAX_VISITOR_ID} characters` })
  )
}

/** The longest token of a challenge, in UTF-16 units: the maximum of Turnstile's. */
const MAX_TOKEN = 2_048

/** The longest tag of a language, in UTF-16 units. */
const MAX_TAG = 100

/** A visitor's message to a bot. */
export const VisitorMessage = Schema.Struct({
  ...named,
  message: textOf("The text of the visitor.").check(
    Schema.makeFilter((value: string) => value.trim() !== "" || "Expected the message to say something")
  ),
  conversationId: Schema.optionalKey(Schema.String).annotate({
    description: "The conversation to go on with, as `x-conversation-id` named it; a new one begins without it."
  }),
  lang: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(MAX_TAG))).annotate({
    description: "The language of the widget (BCP 47), in which the bot declines."
  }),
  challengeToken: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(MAX_TOKEN, { message: `Expected at most ${MAX_TOKEN} characters` }))
  ).annotate({
    description: "The token of a solved challenge, if a response required one (`visitor_challenge_required`)."
  })
})
export type VisitorMessage = typeof VisitorMessage.Type

/** The conversation of a visitor's request. */
export const VisitorConversation = Schema.Struct({
  ...named,
  conversationId: Schema.String.annotate({ description: "The conversation, as `x-conversation-id` named it." })
})
export type VisitorConversation = typeof VisitorConversation.Type
