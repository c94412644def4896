import { CRM_PROBLEMS, CRM_PROVIDERS, CRM_STATES } from "@parley/core/adapter"
import type { CrmOffer } from "@parley/core"
import { CrmService, REVOCATIONS, stateIdOf } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { navigationAccess, sessionAccess } from "../../access/personAccess.ts"
import { empty, json, type Context, publicPathOf } from "../../exchange/Exchange.ts"
import { beginTransaction, endTransaction, keptOf, type TransactionCookies } from "../../sessions/transactionCookie.ts"
import { botPath } from "./bots.ts"
import { requiredTextParameter, textParameter, uuidParameter } from "../parameters.ts"
import { hostParameter, ownAddress } from "../billing/returnAddress.ts"
import { choice, listOf, moment, named, orNull } from "../fields.ts"
import { defineRoute } from "../Route.ts"

/** Accepts any text, because an unknown provider is answered with 404 and not as an invalid request. */
const providerParameter = requiredTextParameter(`The CRM provider: ${CRM_PROVIDERS.join(" or ")}.`)

/** The address of the callback contains a code and a state, so the browser must not send it as a referrer. */
const HEADERS = { "cache-control": "no-store", "referrer-policy": "no-referrer" }

const STATE_COOKIE = "The sealed state of the connection, for ten minutes; httpOnly."

const transactionCookies = (context: Context): TransactionCookies => ({
  secure: context.server.sessionCookie.secure,
  path: publicPathOf(context)
})

/** Redirects the browser to a CRM provider, where the person allows a bot access. */
export const getCrmConnect = defineRoute({
  method: "GET",
  path: "/api/crm/{provider}/connect",
  summary: "Leads the browser to the CRM provider's page, where you allow a bot of yours access to your account",
  access: navigationAccess,
  pathParameters: { provider: providerParameter },
  queryParameters: { botId: uuidParameter("The bot to connect.") },
  headerParameters: { host: hostParameter },
  responses: {
    303: {
      description: "To the provider's page.",
      headers: { location: "The provider's page.", "set-cookie": STATE_COOKIE }
    }
  },
  errors: ["crm_provider_not_found", "bot_not_found", "crm_not_configured", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, context, headers, path, query }) {
    const address = ownAddress(context, `/api/crm/${encodeURIComponent(path.provider)}/callback`, headers.host)
    const begun = yield* CrmService.use((crm) =>
      crm.connect({
        owner: caller.session.userId,
        botId: query.botId,
        provider: path.provider,
        redirectUri: address?.href
      })
    )
    const cookies = beginTransaction(transactionCookies(context), caller.cookies, begun.state)
    return empty({ ...HEADERS, "set-cookie": cookies, location: begun.url.href }, 303)
  })
})

/** Receives the browser when the CRM provider sends it back. */
export const getCrmCallback = defineRoute({
  method: "GET",
  path: "/api/crm/{provider}/callback",
  summary: "Receives the browser from the CRM provider, and stores the granted access",
  access: navigationAccess,
  pathParameters: { provider: providerParameter },
  queryParameters: {
    state: textParameter("The state of the connection."),
    code: textParameter("The provider's authorization code."),
    error: textParameter("The provider's error code."),
    iss: textParameter("The issuer that the provider is (RFC 9207).")
  },
  responses: {
    303: {
      description:
        "To /dashboard/bots/<bot id>, with crm_connected=<provider>, or with crm_error: denied, state, exchange or bot.",
      headers: {
        location: "The bot's page.",
        "set-cookie": "The browser's state cookie, deleted once it is not needed."
      }
    }
  },
  errors: ["crm_provider_not_found", "crm_state_unknown", "crm_not_configured"],
  handle: Effect.fnUntraced(function* ({ caller: { cookies: sent, session }, context, path, query }) {
    const cookies = transactionCookies(context)
    const callback = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (typeof value === "string") callback.set(name, value)
    const { botId, error, isOver, provider } = yield* CrmService.use((crm) =>
      crm.callback({
        owner: session.userId,
        by: session.email ?? session.userId,
        provider: path.provider,
        callback,
        kept: keptOf(cookies, sent)
      })
    )
    const outcome = error === undefined ? `crm_connected=${provider}` : `crm_error=${error}`
    const location = `${cookies.path}/dashboard/bots/${encodeURIComponent(botId)}?${outcome}`
    const id = yield* stateIdOf(query.state)
    const ended = isOver && id !== undefined ? [endTransaction(cookies, id)] : []
    return empty({ ...HEADERS, "set-cookie": ended, location }, 303)
  })
})

const ConnectionBody = named("CrmConnection", "A connection of a bot to a CRM.", {
  state: Schema.Literals(CRM_STATES).annotate({
    description:
      "connected; needs_reconnect: access has ended, and the person must connect again; error: the last try failed, and the next may succeed."
  }),
  problem: orNull(Schema.Literals(CRM_PROBLEMS), "Why it is not connected; null if it is."),
  connectedAt: moment("When it was connected."),
  connectedBy: Schema.String.annotate({
    description: "The person who connected it: an e-mail address, or a user's id."
  }),
  account: named("CrmAccount", "The account at the provider, as far as the provider tells.", {
    id: orNull(Schema.String, "The account's id; null if it is unknown."),
    name: orNull(Schema.String, "The account's name; null if it is unknown.")
  })
})

const OfferBody = named("CrmProvider", "A CRM provider, and the bot's connection to it.", {
  provider: choice(CRM_PROVIDERS, "The provider's id."),
  name: Schema.String.annotate({ description: "The name shown to people." }),
  available: Schema.Boolean.annotate({ description: "Whether a bot can be connected to it here and now." }),
  connection: orNull(ConnectionBody, "The connection; null if there is none.")
})

const OffersBody = named("CrmProviderList", "The CRM providers of a bot.", {
  providers: listOf(OfferBody, "The providers.")
})

const offerRow = ({ available, connection, name, provider }: CrmOffer): typeof OfferBody.Type => ({
  provider,
  name,
  available,
  connection:
    connection === undefined
      ? null
      : {
          state: connection.state,
          problem: connection.problem ?? null,
          connectedAt: new Date(connection.connectedAt).toISOString(),
          connectedBy: connection.connectedBy,
          account: { id: connection.account.id ?? null, name: connection.account.name ?? null }
        }
})

/** The connections of a bot. */
export const listCrmConnections = defineRoute({
  method: "GET",
  path: "/api/bots/{id}/crm",
  summary: "Lists the CRM providers that a bot is, or can be, connected to",
  access: sessionAccess,
  pathParameters: botPath,
  responses: { 200: { description: "The providers.", schema: OffersBody } },
  errors: ["bot_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const offers = yield* CrmService.use((crm) => crm.list(caller.userId, path.id))
    return json(200, { providers: offers.map(offerRow) })
  })
})

const DisconnectedBody = named("CrmDisconnected", "The end of a connection.", {
  revocation: Schema.Literals(REVOCATIONS).annotate({
    description:
      "The state of the access at the provider. revoked: it was withdrawn; unsupported: the provider has no request for it; pending: the provider did not answer, and is asked again for about a day; failed: this server cannot ask the provider, so withdraw the access there."
  })
})

/** Disconnects a bot from a CRM. */
export const deleteCrmConnection = defineRoute({
  method: "DELETE",
  path: "/api/bots/{id}/crm/{provider}",
  summary:
    "Removes a bot's connection and takes the access back at the provider, later where that cannot be reached now",
  access: sessionAccess,
  pathParameters: { ...botPath, provider: providerParameter },
  responses: { 200: { description: "It is removed.", schema: DisconnectedBody } },
  errors: ["bot_not_found", "crm_provider_not_found", "crm_not_connected", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const { revocation } = yield* CrmService.use((crm) => crm.disconnect(caller.userId, path.id, path.provider))
    return json(200, { revocation })
  })
})
