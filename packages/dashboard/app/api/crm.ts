import { queryOptions } from "@tanstack/react-query"
import { read, segment, send } from "./request.ts"

/** The state of a connection: it works, it must be made again, or its last call failed. */
export type CrmState = "connected" | "needs_reconnect" | "error"

export interface CrmConnection {
  readonly state: CrmState
  /** The reason why it is not `connected`: a short code of the server. */
  readonly problem: string | null
  /** The provider's own text. */
  readonly account: { readonly id: string | null; readonly name: string | null }
  readonly connectedAt: string
  /** The person who made it. */
  readonly connectedBy: string
}

/** A provider that the server knows, and how the bot is connected to it. */
export interface CrmOffer {
  readonly provider: string
  readonly name: string
  /** True if a bot can be connected to it now. */
  readonly available: boolean
  readonly connection: CrmConnection | null
}

const path = (botId: string): string => `/api/bots/${segment(botId)}/crm`

export const crmQuery = (botId: string) =>
  queryOptions({
    queryKey: ["bots", botId, "crm"],
    queryFn: async ({ signal }) =>
      (await read<{ readonly providers: ReadonlyArray<CrmOffer> }>(path(botId), signal)).providers
  })

/** The result of revoking the access at the provider: `pending` is retried later, `failed` is final. */
export type CrmRevocation = "revoked" | "unsupported" | "pending" | "failed"

/** Removes the access here, and takes it back at the provider as far as that can be reached. */
export const disconnectCrm = async (botId: string, provider: string): Promise<CrmRevocation> => {
  const answer = await send(`${path(botId)}/${segment(provider)}`, { method: "DELETE" })
  return ((await answer.json()) as { readonly revocation: CrmRevocation }).revocation
}

/** The address that begins a connection; the server redirects to the provider's page. */
export const connectPath = (botId: string, provider: string): string =>
  `/api/crm/${segment(provider)}/connect?${new URLSearchParams({ botId })}`
