import { queryOptions } from "@tanstack/react-query"
import { read, segment, send } from "./request.ts"

/** How a connection is: it works, it can only be made anew, or it did not work at the last try. */
export type CrmState = "connected" | "needs_reconnect" | "error"

export interface CrmConnection {
  readonly state: CrmState
  /** Why it is not `connected`: a short word of the server's. */
  readonly problem: string | null
  /** As the provider tells it: its text. */
  readonly account: { readonly id: string | null; readonly name: string | null }
  readonly connectedAt: string
  /** Who made it. */
  readonly connectedBy: string
}

/** A provider that the server knows, and how the bot is connected to it. */
export interface CrmOffer {
  readonly provider: string
  readonly name: string
  /** Whether a bot can be connected to it now. */
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

/** What became of the access at the provider: `pending` is told later, `failed` never. */
export type CrmRevocation = "revoked" | "unsupported" | "pending" | "failed"

/** Removes the access here, and takes it back at the provider as far as that can be reached. */
export const disconnectCrm = async (botId: string, provider: string): Promise<CrmRevocation> => {
  const answer = await send(`${path(botId)}/${segment(provider)}`, { method: "DELETE" })
  return ((await answer.json()) as { readonly revocation: CrmRevocation }).revocation
}

/** Where the browser goes to allow the access; the server leads it on to the provider's page. */
export const connectPath = (botId: string, provider: string): string =>
  `/api/crm/${segment(provider)}/connect?${new URLSearchParams({ botId })}`
