import { Schema } from "effect"

/** The reasons why a provider's keys could not be fetched. */
export const KEY_SET_PROBLEMS = [
  "unreachable",
  "slow",
  "status",
  "too-large",
  "not-json",
  "other-issuer",
  "no-address",
  "no-key"
] as const

export type KeySetProblem = (typeof KEY_SET_PROBLEMS)[number]

const SENTENCES: Readonly<Record<KeySetProblem, string>> = {
  unreachable: "no connection to the identity provider could be made",
  slow: "the identity provider did not answer in time",
  status: "the identity provider answered with an error or a redirect",
  "too-large": "the identity provider's answer is too large",
  "not-json": "the identity provider's answer is not JSON",
  "other-issuer": "the identity provider calls itself by another issuer, to the letter",
  "no-address": "the identity provider's description names no safe address of its keys",
  "no-key": "the identity provider publishes no public key for RS256, ES256 or EdDSA"
}

/** The keys of the identity provider could not be fetched. The error contains no text of the provider. */
export class KeySetUnavailable extends Schema.TaggedError<KeySetUnavailable>()("KeySetUnavailable", {
  problem: Schema.Literals(KEY_SET_PROBLEMS),
  /** The system's error code (`ENOTFOUND`) or the response's status (`500`), if there is one. */
  detail: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return this.detail === undefined ? SENTENCES[this.problem] : `${SENTENCES[this.problem]} (${this.detail})`
  }
}
