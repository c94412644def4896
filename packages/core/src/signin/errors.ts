import { Schema } from "effect"

/** The text is not an e-mail address to which mails can be sent. */
export class InvalidMailAddress extends Schema.TaggedError<InvalidMailAddress>()("InvalidMailAddress", {}) {
  readonly code = "invalid_mail_address"
  override get message() {
    return "That is not an e-mail address. Check it, and try again."
  }
}

/**
 * Too many mails were requested, or too many codes were tried. The answer is the same for known and unknown addresses.
 */
export class SignInLimited extends Schema.TaggedError<SignInLimited>()("SignInLimited", {
  retryAfterMs: Schema.Finite
}) {
  readonly code = "sign_in_limited"
  override get message() {
    return "There were too many tries to sign in. Wait ten minutes, and try again."
  }
}

/**
 * The code does not begin a session in this browser: it is wrong, used, too old, was tried too often, or belongs to
 * another browser.
 */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {}) {
  readonly code = "sign_in_refused"
  override get message() {
    return "This code does not work: it is wrong, was used, or is too old. Ask for a new mail."
  }
}
