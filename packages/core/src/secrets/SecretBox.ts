import { Context, type Effect, type Redacted } from "effect"
import type { SecretsNotConfigured, SecretUnreadable } from "./errors.ts"

/**
 * The purpose and the owner of a secret: the secret can be opened only with the same context. No part of the context is
 * secret.
 */
export type SecretContext = readonly [purpose: string, ...about: ReadonlyArray<string>]

/** A text that is unreadable without the key, and the id of the key. */
export interface SealedSecret {
  readonly keyId: string
  /** Visible ASCII without spaces, quotes, commas, semicolons or backslashes, so that a cookie can contain it. */
  readonly text: string
}

/**
 * Encrypts texts that are stored or passed on, so that they can be neither read nor changed. Keys have ids, so that
 * they can be rotated: the first key seals, and all keys open.
 */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    /** The id of the sealing key; undefined if none is configured. */
    readonly sealsWith: string | undefined
    /** Seals a text. Sealing the same text twice returns different results. */
    seal(context: SecretContext, secret: Redacted.Redacted<string>): Effect.Effect<SealedSecret, SecretsNotConfigured>
    /** Opens a text that was sealed for the same context and not changed. */
    open(context: SecretContext, text: string): Effect.Effect<Redacted.Redacted<string>, SecretUnreadable>
  }
>()("@parley/core/secrets/SecretBox") {}
