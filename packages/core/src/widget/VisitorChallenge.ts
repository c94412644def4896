import { Context, type Effect, Schema } from "effect"

/** What a visitor's browser needs to show a challenge. */
export interface ShownChallenge {
  /** Which challenge, for the widget: each is shown in a way of its own. */
  readonly kind: "turnstile"
  /** Public: names the site to whom gives the challenge. */
  readonly siteKey: string
}

/** What a visitor brings of a challenge. */
export interface ChallengeAnswer {
  /** What the challenge gave the visitor's browser once it was solved. */
  readonly token: string
  /** The address the visitor comes from, as the server knows it. */
  readonly address: string | undefined
}

/** Whether a challenge was solved cannot be said: its provider does not answer, or refuses this server's settings. */
export class ChallengeUnavailable extends Schema.TaggedError<ChallengeUnavailable>()("ChallengeUnavailable", {
  reason: Schema.Literals(["unreachable", "bad-answer", "misconfigured"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  readonly code = "challenge_unavailable"
  readonly retryAfterMs = 30_000
  override get message() {
    return "It cannot be checked at the moment that you are a person. Try again in a moment."
  }
}

/** Tells people from programs. */
export interface Challenge {
  readonly shown: ShownChallenge
  /** The origin whose scripts and frames the widget's page loads for it. */
  readonly origin: string
  /** Whether the token proves a challenge that was solved just now and for this site. Each proves it once. */
  verify(answer: ChallengeAnswer): Effect.Effect<boolean, ChallengeUnavailable>
}

/** The challenge that visitors solve who send many messages: none unless configured. */
export class VisitorChallenge extends Context.Reference<Challenge | undefined>("@parley/core/widget/VisitorChallenge", {
  defaultValue: () => undefined
}) {}
