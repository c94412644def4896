import { Redacted } from "effect"

/** A vendor's key: a text, or a `Redacted` of Effect, which no log shows. The adapters never log or return the key. */
export type ApiKey = string | Redacted.Redacted<string>

export const textOf = (key: ApiKey): string => (typeof key === "string" ? key : Redacted.value(key))
