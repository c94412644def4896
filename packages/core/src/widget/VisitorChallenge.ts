import { Context, type Effect, Schema } from "effect"

/** The public settings with which a visitor's browser shows a challenge. */
export interface ShownChallenge {
  /** The kind of challenge that the widget shows. */
  readonly kind: "turnstile"
  /** The public key that identifies this site at the challenge's provider. */
  readonly siteKey: string
}

/** A visitor's proof of a solved challenge. */
export interface ChallengeAnswer {
  /** The token that the visitor's browser got for the solved challenge. */
  readonly token: string
  /** The visitor's address, as the server sees it. */
  readonly address: string | undefined
}

/** The token cannot be verified, because the provider does not answer or refuses this server's settings. */
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
  /** The origin from which the widget's page loads the scripts and frames of the challenge. */
  readonly origin: string
  /** Returns true if the token proves that a challenge for this site was solved recently. A token is accepted once. */
  verify(answer: ChallengeAnswer): Effect.Effect<boolean, ChallengeUnavailable>
}

/** The challenge for visitors who send many messages: none unless configured. */
export class VisitorChallenge extends Context.Reference<Challenge | undefined>("@parley/core/widget/VisitorChallenge", {
  defaultValue: () => undefined
}) {}
