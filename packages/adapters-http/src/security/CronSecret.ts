import { createHash, timingSafeEqual } from "node:crypto"
import { Effect } from "effect"
import { CronNotConfigured, CronUnauthorized } from "../problems/errors.ts"

/** What a schedule proves itself with. Only the digest is kept. */
export interface CronSecret {
  readonly digest: Buffer
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/** What a script writes where its own variable was not set: never a secret. */
const BLANK = ["", "undefined", "null"]

/** The secret as configured; undefined where none is. */
export const cronSecretFrom = (secret: string | undefined): CronSecret | undefined => {
  const text = secret?.trim() ?? ""
  return BLANK.includes(text.toLowerCase()) ? undefined : { digest: digestOf(text) }
}

/**
 * Checks an Authorization header (RFC 6750). Digests are compared, in constant time, so that neither the length nor the
 * first wrong character can be measured. Without a secret nobody may call.
 */
export const authorizeCron = (
  secret: CronSecret | undefined,
  header: string | undefined
): Effect.Effect<void, CronNotConfigured | CronUnauthorized> => {
  if (secret === undefined) return Effect.fail(new CronNotConfigured())
  const token = /^Bearer +([^ ]+) *$/i.exec(header ?? "")?.[1]
  return token !== undefined && timingSafeEqual(digestOf(token), secret.digest)
    ? Effect.void
    : Effect.fail(new CronUnauthorized())
}
