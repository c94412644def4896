import type { CrmRefusal } from "@parley/core/adapter"
import { type JsonFields, shortTextIn } from "./tokenAnswer.ts"

/** The meaning of the error codes of RFC 6749, 5.2, and of a provider's own codes, each in lower case. */
export type RefusalWords = Readonly<Record<string, CrmRefusal>>

const STANDARD: RefusalWords = {
  invalid_grant: "grant",
  invalid_client: "client",
  unauthorized_client: "client"
}

/**
 * Returns the reason of a refusal, or undefined for a success. `words` are the provider's own error codes, which may be
 * in `error` or in `status`.
 */
export const refusalOf = (
  status: number,
  fields: JsonFields | undefined,
  words: RefusalWords = {}
): CrmRefusal | undefined => {
  const code = shortTextIn(fields ?? {}, "error")
  // Some providers send a refusal with the status 200.
  if (status === 200 && (code === undefined || fields?.["access_token"] !== undefined)) return undefined
  const known = new Map(Object.entries({ ...STANDARD, ...words }))
  for (const word of [code, shortTextIn(fields ?? {}, "status")]) {
    const refusal = known.get(word?.toLowerCase() ?? "")
    if (refusal !== undefined) return refusal
  }
  return status === 401 ? "client" : "other"
}
