import { Effect } from "effect"
import { FairSlices } from "../fairness/FairQueue.ts"
import type { UserId } from "../identity/UserId.ts"
import type { ChatMessage } from "./ChatMessage.ts"
import type { Model } from "./Model.ts"
import { Tokenizer } from "../tokens/Tokenizer.ts"
import { type TokenCount, type TokenizerService } from "../tokens/TokenizerService.ts"
import { pieceTokenizer } from "../tokens/pieceTokenizer.ts"

/** Counts of messages shorter than this are not remembered, because counting again costs less. */
const LONG = 1_024
/** The number of characters counted in one slice: about a millisecond of work. */
const STEP = 8 * 1_024
/** Texts up to this length are counted at once, without letting other people take turns. */
const SHORT = 32 * 1_024

interface Counted {
  readonly by: TokenizerService
  readonly count: TokenCount
}

const counted = new WeakMap<ChatMessage, Counted>()

/** The tokens of a message's text. The count of a long message is remembered with the message. */
export const countMessage = (message: ChatMessage, tokenizer: TokenizerService): TokenCount => {
  const known = counted.get(message)
  if (known?.by === tokenizer) return known.count
  const count = tokenizer.count(message.content)
  if (message.content.length >= LONG) counted.set(message, { by: tokenizer, count })
  return count
}

/**
 * Counts the long messages in advance, in fair slices, so that `countMessage` has their counts: newest first, until
 * their sum exceeds `mostTokens`. Short messages are counted when their count is needed. Returns true if no message was
 * left out.
 */
export const countMessages = Effect.fnUntraced(function* (
  userId: UserId,
  messages: ReadonlyArray<ChatMessage>,
  mostTokens: number
) {
  let characters = 0
  for (const { content } of messages) characters += content.length
  if (characters <= SHORT) return true
  const slices = yield* FairSlices
  const tokenizer = yield* Tokenizer
  let left = messages.length
  let tokens = 0
  let step: ReturnType<TokenizerService["countInSteps"]> | undefined
  /** Counts about `STEP` characters; returns true if there are more. */
  const goOn = (): boolean => {
    let room = STEP
    while (room > 0 && left > 0 && tokens <= mostTokens) {
      const message = messages[left - 1] as ChatMessage
      step ??= tokenizer.countInSteps(message.content)
      const count = step(room)
      room -= message.content.length + 1
      if (count === undefined) return true
      if (message.content.length >= LONG) counted.set(message, { by: tokenizer, count })
      tokens += count.max
      left -= 1
      step = undefined
    }
    return left > 0 && tokens <= mostTokens
  }
  while (yield* slices.run(userId, Effect.sync(goOn))) continue
  return left === 0
})

/** The maximum number of tokens that vendors add around each message (role, separators) and around a request. */
const MESSAGE_OVERHEAD = 8
const REQUEST_OVERHEAD = 16

/** The typical number of these added tokens. */
const TYPICAL_OVERHEAD = 4

/** An upper bound of the tokens of one message, including those that vendors add around it. */
export const maxMessageTokens = (message: ChatMessage, tokenizer: TokenizerService = pieceTokenizer): number =>
  countMessage(message, tokenizer).max + MESSAGE_OVERHEAD

/** An upper bound of the tokens of a whole request. */
export const maxRequestTokens = (
  messages: ReadonlyArray<ChatMessage>,
  tokenizer: TokenizerService = pieceTokenizer
): number => {
  let tokens = REQUEST_OVERHEAD
  for (const message of messages) tokens += maxMessageTokens(message, tokenizer)
  return tokens
}

/**
 * The tokens of a whole request as vendors typically count them; the tokens of its texts never exceed
 * `maxRequestTokens`.
 */
export const estimateMessageTokens = (
  messages: ReadonlyArray<ChatMessage>,
  tokenizer: TokenizerService = pieceTokenizer,
  model: Pick<Model, "imageTokens"> = {}
): number => {
  let tokens = TYPICAL_OVERHEAD
  for (const message of messages) {
    tokens += countMessage(message, tokenizer).estimate + TYPICAL_OVERHEAD + estimateImageTokens(message, model)
  }
  return tokens
}

/**
 * An upper bound of the tokens that this model counts for a prompt with `images` images, if public tokenizers count at
 * most `maxTokens` for its text.
 */
export const maxInputTokensFor = (model: Model, maxTokens: number, images = 0): number =>
  Math.ceil(maxTokens * (model.inputTokenFactor ?? 1)) + images * (model.imageTokens ?? 0)

/** The number of images of some messages. */
export const countImages = (messages: ReadonlyArray<ChatMessage>): number =>
  messages.reduce((count, { images = [] }) => count + images.length, 0)

/**
 * An image counts one token for each square with this edge in pixels, including partial squares (Anthropic, "Vision",
 * image costs).
 */
const PATCH_EDGE = 28

/**
 * The tokens of a message's images as vendors usually count them: by their pixels, and at most as many for an image as
 * the model counts.
 */
export const estimateImageTokens = (
  { images = [] }: ChatMessage,
  { imageTokens = 0 }: Pick<Model, "imageTokens">
): number => {
  const patches = images.map(({ height, width }) => Math.ceil(width / PATCH_EDGE) * Math.ceil(height / PATCH_EDGE))
  return patches.reduce((sum, count) => sum + Math.min(imageTokens, count), 0)
}
