import { Context, type Effect, Schema } from "effect"

/** The public settings with which a visitor's browser shows a challenge. */
export interface ShownChallenge {
  /** Tells the widget which challenge to show. */
  readonly kind: "turnstile"
  /** Public: identifies this site at the challenge's provider. */
  readonly siteKey: string
}

/** A visitor's proof of a solved challenge. */
export interface ChallengeAnswer {
  /** The token that the visitor's browser got for the solved challenge. */
  readonly token: string
  /** The address the visitor comes from, as the server knows it. */
  readonly address: string | undefined
}

/** The token cannot be verified: the provider does not answer, or refuses this server's settings. */
export class ChallengeUnavailable extends Schema.TaggedError<ChallengeUnavailable>()("ChallengeUnavailable", {
  reason: Schema.Literals(["unreachable", "bad-answer", "misconfigured"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  readonly code = "challenge_unavailable"
  readonly retryAfterMs = 30_000
  override get message() {
    return "The challenge cannot be verified at the moment. Try again in a moment."
  }
}

/** Distinguishes people from programs. */
export interface Challenge {
  readonly shown: ShownChallenge
  /** The origin whose scripts and frames the widget's page loads for it. */
  readonly origin: string
  /** True if the token proves a challenge that was solved recently for this site. A token is accepted once. */
  verify(answer: ChallengeAnswer): Effect.Effect<boolean, ChallengeUnavailable>
}

/** The challenge for visitors who send many messages: none unless configured. */
export class VisitorChallenge extends Context.Reference<Challenge | undefined>("@parley/core/widget/VisitorChallenge", {
  defaultValue: () => undefined
}) {}
