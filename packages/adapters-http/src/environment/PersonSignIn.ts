import { Context } from "effect"

/** Who a person is, as the host's own sign-in says. */
export interface SignedIn {
  /** The host's stable name of the person: 1 to 255 characters, never used again for somebody else. */
  readonly userId: string
  /** A proven address, where there is one. */
  readonly email?: string | undefined
  /** Unix time in milliseconds after which this counts no more; told to the person, not enforced. */
  readonly expiresAt?: number | undefined
}

/**
 * Says who sends a request, or undefined where nobody is signed in (401). It is asked once for each request of a person,
 * before the body is read, and takes the place of session cookies and bearer tokens. It must
 *
 * - believe only what is proven: a signature, or a session of the host's, and no header that a client can write;
 * - give the same `userId` for the same person for ever, and never one person's to another;
 * - refuse what is signed out, expired or blocked by itself: Parley keeps no session then;
 * - leave the request's body alone.
 *
 * What it throws, or rejects with, is answered with 500 and none of its text.
 */
export type Authenticate<Request> = (request: Request) => SignedIn | undefined | Promise<SignedIn | undefined>

/** How people prove who they are here. */
export class PersonSignIn extends Context.Service<
  PersonSignIn,
  {
    /** The host's own sign-in, asked with what brought the request; undefined where sessions of tokens count. */
    readonly authenticate: Authenticate<unknown> | undefined
    /** Whether tokens count in `Authorization: Bearer` too. */
    readonly bearerTokens: boolean
  }
>()("@parley/adapters-http/environment/PersonSignIn") {}
