import { MODEL_FAILURES, type ModelFailure } from "@parley/core/adapter"

/** How the offline model behaves, in addition to answering. Counts are tokens of the reply. */
export interface OfflineBehaviour {
  /** The wait before each token, in milliseconds. */
  readonly tokenDelayMs?: number
  /** Fails with this reason after that many tokens; zero is before the first. */
  readonly fail?: { readonly reason: ModelFailure; readonly afterTokens: number }
  /** Sends this many tokens and then nothing, without ending. */
  readonly stallAfterTokens?: number
  /** Sends this many tokens and then closes the stream without an end mark. */
  readonly cutOffAfterTokens?: number
  /** Ends properly without any text. */
  readonly empty?: boolean
  /** Writes this many numbered tokens instead of an answer. */
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
 * The behaviour that a message asks for, to test a client: `!offline slow 200` (milliseconds a token), `!offline
 * tokens 500`, `!offline empty`, `!offline stall after 3`, `!offline cut-off after 3`, `!offline fail rate-limited
 * after 3`. A missing "after" means zero. A message may contain several.
 */
export const behaviourAskedFor = (message: string): OfflineBehaviour =>
  [...message.matchAll(DIRECTIVE)].reduce<OfflineBehaviour>((all, parts) => ({ ...all, ...one(parts) }), {})
