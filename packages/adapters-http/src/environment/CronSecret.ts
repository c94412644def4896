import { createHash, timingSafeEqual } from "node:crypto"
import { Context, Effect } from "effect"
import { CronNotConfigured, CronUnauthorized } from "../problems/errors.ts"

/** The secret of schedules. */
export class CronSecret extends Context.Service<
  CronSecret,
  {
    /** The digest of the secret; undefined without a secret, and then no schedule may call. */
    readonly digest: Buffer | undefined
  }
>()("@parley/adapters-http/environment/CronSecret") {}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Texts that a script sends if its own variable is unset: never a secret. */
const BLANK = ["", "undefined", "null"]

/** Takes the secret as configured. */
export const cronSecretFrom = (secret: string | undefined): CronSecret["Service"] => {
  const text = secret?.trim() ?? ""
  return { digest: BLANK.includes(text.toLowerCase()) ? undefined : digestOf(text) }
}

/**
 * Checks an Authorization header (RFC 6750). Digests are compared, in constant time, so that neither the length nor the
 * first wrong character can be measured. Without a secret no schedule may call.
 */
export const authorizeCron = Effect.fnUntraced(function* (
  header: string | undefined
): Effect.fn.Return<void, CronNotConfigured | CronUnauthorized, CronSecret> {
  const { digest } = yield* CronSecret
  if (digest === undefined) return yield* new CronNotConfigured()
  const token = /^Bearer +([^ ]+) *$/i.exec(header ?? "")?.[1]
  if (token === undefined || !timingSafeEqual(digestOf(token), digest)) return yield* new CronUnauthorized()
})
