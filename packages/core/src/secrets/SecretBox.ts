import { Context, type Effect, type Redacted } from "effect"
import type { SecretsNotConfigured, SecretUnreadable } from "./errors.ts"

/** What a secret is for, and whose: it opens for exactly the same again. No part of it is secret. */
export type SecretContext = readonly [purpose: string, ...about: ReadonlyArray<string>]

/** A text that says nothing without the key, with the id of the key. */
export interface SealedSecret {
  readonly keyId: string
  /** Visible ASCII without spaces, quotes, commas, semicolons or backslashes: it may stand in a cookie. */
  readonly text: string
}

/**
 * Encrypts what may be stored or handed out, and neither read nor changed. Keys have ids, so that one can take another's
 * place: the first one seals, all open.
 */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    /** The id of the key that seals; undefined where none is configured. */
    readonly sealsWith: string | undefined
    /** Seals a text. The same text sealed twice gives two different ones. */
    seal(context: SecretContext, secret: Redacted.Redacted<string>): Effect.Effect<SealedSecret, SecretsNotConfigured>
    /** Opens what was sealed for the same context, unchanged. */
    open(context: SecretContext, text: string): Effect.Effect<Redacted.Redacted<string>, SecretUnreadable>
  }
>()("@parley/core/secrets/SecretBox") {}
