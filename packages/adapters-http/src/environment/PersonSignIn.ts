import { Context } from "effect"

/** A person, as the host's own sign-in identifies them. */
export interface SignedIn {
  /** The host's stable id of the person: 1 to 255 characters, never reused for another person. */
  readonly userId: string
  /** A verified address, if there is one. */
  readonly email?: string | undefined
  /** Unix time in milliseconds after which this expires; shown to the person, not enforced. */
  readonly expiresAt?: number | undefined
}

/**
 * Returns the person of a request, or undefined without a signed-in person (401). It is called once for each request of a
 * person, before the body is read, and replaces session cookies and bearer tokens. It must
 *
 * - trust only proof: a signature, or a session of the host, and no header that a client can write;
 * - always return the same `userId` for the same person, and never that of another person;
 * - refuse signed-out, expired or blocked people itself, because Parley keeps no session then;
 * - leave the request's body unread.
 *
 * If it throws or rejects, the response is 500 without the error's text.
 */
export type Authenticate<Request> = (request: Request) => SignedIn | undefined | Promise<SignedIn | undefined>

/** The sign-in of people on this server. */
export class PersonSignIn extends Context.Service<
  PersonSignIn,
  {
    /** The host's own sign-in, called with the host's request; undefined if session tokens are used. */
    readonly authenticate: Authenticate<unknown> | undefined
    /** True if tokens count in `Authorization: Bearer` too. */
    readonly bearerTokens: boolean
  }
>()("@parley/adapters-http/environment/PersonSignIn") {}
