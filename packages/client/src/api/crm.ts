// Written by `npm run docs:tables` from the table of routes: change that.

/** The account at the provider, as far as the provider tells. */
export interface CrmAccount {
  /** The account's id; null if it is unknown. */
  readonly id: string | null
  /** The account's name; null if it is unknown. */
  readonly name: string | null
}

/** A connection of a bot to a CRM. */
export interface CrmConnection {
  /** connected; needs_reconnect: access has ended, and the person must connect again; error: the last try failed, and the next may succeed. */
  readonly state: "connected" | "needs_reconnect" | "error"
  /** Why it is not connected; null if it is. */
  readonly problem: "expired" | "refused" | "answer_lost" | "client" | "unavailable" | "unreadable" | null
  /** When it was connected. */
  readonly connectedAt: string
  /** The person who connected it: an e-mail address, or a user's id. */
  readonly connectedBy: string
  readonly account: CrmAccount
}

/** The end of a connection. */
export interface CrmDisconnected {
  /** The state of the access at the provider. revoked: it was withdrawn; unsupported: the provider has no request for it; pending: the provider did not answer, and is asked again for about a day; failed: this server cannot ask the provider, so withdraw the access there. */
  readonly revocation: "revoked" | "unsupported" | "pending" | "failed"
}

/** A CRM provider, and the bot's connection to it. */
export interface CrmProvider {
  /** The provider's id. */
  readonly provider: "provider_one" | "provider_two"
  /** The name shown to people. */
  readonly name: string
  /** Whether a bot can be connected to it here and now. */
  readonly available: boolean
  /** The connection; null if there is none. */
  readonly connection: CrmConnection | null
}

/** The CRM providers of a bot. */
export interface CrmProviderList {
  /** The providers. */
  readonly providers: ReadonlyArray<CrmProvider>
}

/** The operations of this area, by their ids. */
export interface CrmOperations {
  /** Lists the CRM providers that a bot is, or can be, connected to. Callers are signed-in people. */
  readonly listCrmConnections: {
    readonly path: {
      readonly id: string
    }
    readonly response: CrmProviderList
  }
  /** Removes a bot's connection and takes the access back at the provider, later where that cannot be reached now. Callers are signed-in people. */
  readonly deleteCrmConnection: {
    readonly path: {
      readonly id: string
      readonly provider: string
    }
    readonly response: CrmDisconnected
  }
}
