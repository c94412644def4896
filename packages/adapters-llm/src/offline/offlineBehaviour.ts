import { MODEL_FAILURES, type ModelFailure } from "@parley/core/adapter"

/** How the offline model behaves, besides answering. Counts are tokens of the reply. */
export interface OfflineBehaviour {
  /** The wait before each token, in milliseconds. */
  readonly tokenDelayMs?: number
  /** Fails with this reason once so many tokens were sent; zero is before the first. */
  readonly fail?: { readonly reason: ModelFailure; readonly afterTokens: number }
  /** Sends so many tokens and then nothing, without ending. */
  readonly stallAfterTokens?: number
  /** Sends so many tokens and then closes the stream without an end mark. */
  readonly cutOffAfterTokens?: number
  /** Ends properly without having said anything. */
  readonly empty?: boolean
  /** Speaks so many numbered tokens instead of answering. */
  readonly speakTokens?: number
}

const DIRECTIVE =
  /!offline (?:(slow|tokens) (\d{1,6})|(empty)|(stall|cut-off)(?: after (\d{1,6}))?|fail ([a-z-]{1,20})(?: after (\d{1,6}))?)/g

const isFailure = (text: string): text is ModelFailure => MODEL_FAILURES.some((failure) => failure === text)

const one = (parts: RegExpMatchArray): OfflineBehaviour => {
  const [, count, amount, empty, halt, haltAfter, reason, failAfter] = parts
  if (count === "slow") return { tokenDelayMs: Number(amount) }
  if (count === "tokens") return { speakTokens: Number(amount) }
  if (empty !== undefined) return { empty: true }
  if (halt === "stall") return { stallAfterTokens: Number(haltAfter ?? 0) }
  if (halt === "cut-off") return { cutOffAfterTokens: Number(haltAfter ?? 0) }
  if (reason !== undefined && isFailure(reason)) return { fail: { reason, afterTokens: Number(failAfter ?? 0) } }
  return {}
}

/**
 * The behaviour a message asks for, for trying out how a client takes it: `!offline slow 200` (milliseconds a token),
 * `!offline tokens 500`, `!offline empty`, `!offline stall after 3`, `!offline cut-off after 3`,
 * `!offline fail rate-limited after 3`. "after" may be left out and is then zero. Several may be given.
 */
export const behaviourAskedFor = (message: string): OfflineBehaviour =>
  [...message.matchAll(DIRECTIVE)].reduce<OfflineBehaviour>((all, parts) => ({ ...all, ...one(parts) }), {})
