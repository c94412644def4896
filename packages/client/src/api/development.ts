// Written by `npm run docs:tables` from the table of routes: change that.

/** A session of the development sign-in. */
export interface DevelopmentSession {
  /** The person's id. */
  readonly userId: string
  /** The person's address. */
  readonly email: string
  /** When the session ends. */
  readonly expiresAt: string
}

/** A development sign-in. */
export interface DevelopmentSignIn {
  /** The address of the person to sign in as. */
  readonly email: string
}

/** The operations of this area, by their ids. */
export interface DevelopmentOperations {
  /** Signs in with an e-mail address alone; the same address is the same user. Any client on the server's machine may call. */
  readonly signInForDevelopment: {
    readonly body: DevelopmentSignIn
    readonly response: DevelopmentSession
  }
  /** Clears the session cookie. Any client on the server's machine may call. */
  readonly signOutForDevelopment: {
    readonly response: undefined
  }
}
