import { type Bot, BotChange, BotDraft } from "@parley/core"
import { BotService, InstallChecks } from "@parley/core/effect"
import { BotSettings } from "@parley/core/adapter"
import { Effect } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { empty, json } from "../../exchange/Exchange.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { requiredTextParameter, uuidParameter } from "../parameters.ts"
import { flag, listOf, moment, named, text, uuid } from "../fields.ts"
import { defineRoute } from "../Route.ts"

const BotKeyBody = named("BotKey", "A public key of a bot.", {
  publicKey: text("The key, as the widget of a site names it."),
  createdAt: moment("When the key was created.")
})

const BotBody = named("Bot", "A bot with its settings and public keys.", {
  id: uuid("The bot's id."),
  ...BotSettings.fields,
  keys: listOf(BotKeyBody, "The public keys that address the bot, oldest first. Each works until it is retired."),
  createdAt: moment("When the bot was made."),
  updatedAt: moment("When the bot was last changed.")
})

const BotsBody = named("BotList", "The bots of a person.", { bots: listOf(BotBody, "The bots, newest first.") })

const iso = (milliseconds: number) => new Date(milliseconds).toISOString()

const botRow = ({ createdAt, keys, owner: _owner, updatedAt, ...bot }: Bot): typeof BotBody.Type => ({
  ...bot,
  keys: keys.map((key) => ({ publicKey: key.publicKey, createdAt: iso(key.createdAt) })),
  createdAt: iso(createdAt),
  updatedAt: iso(updatedAt)
})

export const botPath = { id: uuidParameter("The bot's id.") }

/** A person's bots. */
export const listBots = defineRoute({
  method: "GET",
  path: "/api/bots",
  summary: "Lists your bots, newest first",
  access: sessionAccess,
  responses: { 200: { description: "The bots.", schema: BotsBody } },
  errors: ["bot_misconfigured", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller }) {
    const bots = yield* BotService
    return json(200, { bots: (yield* bots.list(caller.userId)).map(botRow) })
  })
})

/** Makes a bot. */
export const postBot = defineRoute({
  method: "POST",
  path: "/api/bots",
  summary: "Makes a bot with its first public key",
  access: sessionAccess,
  body: jsonBody(
    BotDraft.annotate({ identifier: "BotDraft", description: "The settings of a new bot." }),
    "The bot's settings. Missing fields get defaults."
  ),
  responses: { 201: { description: "The bot.", schema: BotBody } },
  errors: ["invalid_bot", "document_not_found", "document_forbidden", "too_many_bots", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ body, caller }) {
    const bots = yield* BotService
    return json(201, botRow(yield* bots.create(caller.userId, body)))
  })
})

/** One bot. */
export const getBot = defineRoute({
  method: "GET",
  path: "/api/bots/{id}",
  summary: "Returns a bot",
  access: sessionAccess,
  pathParameters: botPath,
  responses: { 200: { description: "The bot.", schema: BotBody } },
  errors: ["bot_not_found", "bot_misconfigured", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const bots = yield* BotService
    return json(200, botRow(yield* bots.get(caller.userId, path.id)))
  })
})

/** Changes a bot. */
export const patchBot = defineRoute({
  method: "PATCH",
  path: "/api/bots/{id}",
  summary: "Changes the settings of a bot that are named, and leaves the others",
  access: sessionAccess,
  pathParameters: botPath,
  body: jsonBody(
    BotChange.annotate({ identifier: "BotChange", description: "The settings of a bot to change." }),
    "The settings to change."
  ),
  responses: { 200: { description: "The bot as it is now.", schema: BotBody } },
  errors: [
    "invalid_bot",
    "bot_not_found",
    "document_not_found",
    "document_forbidden",
    "bot_misconfigured",
    "storage_unavailable"
  ],
  handle: Effect.fnUntraced(function* ({ body, caller, path }) {
    const bots = yield* BotService
    return json(200, botRow(yield* bots.update(caller.userId, path.id, body)))
  })
})

/** Deletes a bot. */
export const deleteBot = defineRoute({
  method: "DELETE",
  path: "/api/bots/{id}",
  summary: "Deletes a bot with its public keys and its visitors' conversations",
  access: sessionAccess,
  pathParameters: botPath,
  responses: { 204: { description: "It is deleted." } },
  errors: ["bot_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const bots = yield* BotService
    yield* bots.remove(caller.userId, path.id)
    return empty()
  })
})

/** Adds a public key. */
export const postBotKey = defineRoute({
  method: "POST",
  path: "/api/bots/{id}/keys",
  summary: "Creates another public key of a bot; the others keep working until they are retired",
  access: sessionAccess,
  pathParameters: botPath,
  responses: { 201: { description: "The bot as it is now, the new key last.", schema: BotBody } },
  errors: ["bot_not_found", "too_many_bot_keys", "bot_misconfigured", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const bots = yield* BotService
    return json(201, botRow(yield* bots.addKey(caller.userId, path.id)))
  })
})

/** Retires a public key. */
export const deleteBotKey = defineRoute({
  method: "DELETE",
  path: "/api/bots/{id}/keys/{key}",
  summary: "Retires a public key of a bot; its only one cannot be",
  access: sessionAccess,
  pathParameters: { ...botPath, key: requiredTextParameter("The public key.") },
  responses: { 200: { description: "The bot as it is now.", schema: BotBody } },
  errors: ["bot_not_found", "bot_key_not_found", "last_bot_key", "bot_misconfigured", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const bots = yield* BotService
    return json(200, botRow(yield* bots.retireKey(caller.userId, path.id, path.key)))
  })
})

const SeenSiteBody = named("SeenSite", "A site whose pages asked for the chat of a bot.", {
  site: text("The site, such as `https://example.com`."),
  allowed: flag("False if the settings of the bot did not allow it then: its visitors saw nothing."),
  seenAt: moment("When one of its pages last asked, to an hour.")
})

/** The sites that load a bot's widget. */
export const listBotSites = defineRoute({
  method: "GET",
  path: "/api/bots/{id}/sites",
  summary: "Lists the sites whose pages asked for the chat of a bot, the last one first",
  access: sessionAccess,
  pathParameters: botPath,
  responses: {
    200: {
      description: "The sites, at most 20 that are allowed and 20 others.",
      schema: named("SeenSites", "The sites that load a bot's widget.", { sites: listOf(SeenSiteBody, "The sites.") })
    }
  },
  errors: ["bot_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, path }) {
    const checks = yield* InstallChecks
    const seen = yield* checks.list(caller.userId, path.id)
    return json(200, {
      sites: seen.map(({ isAllowed, seenAt, site }) => ({ site, allowed: isAllowed, seenAt: iso(seenAt) }))
    })
  })
})
