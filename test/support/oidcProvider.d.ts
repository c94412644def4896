/** An OAuth 2.0 server that others wrote; it comes without types. */
declare module "oidc-provider" {
  import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"

  export interface Interaction {
    readonly params: Readonly<Record<string, string | undefined>>
  }

  export class Provider {
    constructor(issuer: string, configuration: object)
    readonly Grant: new (grant: { readonly accountId: string; readonly clientId: string }) => {
      addOIDCScope(scope: string): void
      save(): Promise<string>
    }
    callback(): RequestListener
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }
}
