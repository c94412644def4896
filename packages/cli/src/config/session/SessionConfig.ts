import type { SessionPreset } from "@parley/adapters-http/settings"
import type { Redacted } from "effect"

/** What proves that a session token is genuine. */
export type SessionProof =
  | { readonly _tag: "Secret"; readonly secret: Redacted.Redacted }
  /** The keys that the identity provider publishes at an address, or where its issuer's description says. */
  | { readonly _tag: "Keys"; readonly jwksUrl: string | undefined }

/** How sessions are proven. */
export interface SessionConfig {
  readonly cookieName: string
  /** Whose library sets the cookie. */
  readonly preset: SessionPreset | undefined
  /** Undefined where only the development sign-in can prove a session. */
  readonly proof: SessionProof | undefined
  readonly issuer: string | undefined
  readonly audience: string | undefined
  /** Where the dashboard leads people to sign in and out. */
  readonly signInUrl: string | undefined
  readonly signOutUrl: string | undefined
}
