import type { SessionPreset } from "@parley/adapters-http/settings"
import type { Redacted } from "effect"

/** The proof that a session token is genuine. */
export type SessionProof =
  | { readonly _tag: "Secret"; readonly secret: Redacted.Redacted }
  /** The keys that the identity provider publishes, at an address or at the one in its discovery document. */
  | { readonly _tag: "Keys"; readonly jwksUrl: string | undefined }

/** The settings of sessions. */
export interface SessionConfig {
  readonly cookieName: string
  /** The library that sets the cookie. */
  readonly preset: SessionPreset | undefined
  /** Undefined if only the development sign-in proves sessions. */
  readonly proof: SessionProof | undefined
  readonly issuer: string | undefined
  readonly audience: string | undefined
  /** The addresses to which the dashboard leads people to sign in and out. */
  readonly signInUrl: string | undefined
  readonly signOutUrl: string | undefined
}
