import { createHash } from "node:crypto"
import { VisitorChallenge } from "@parley/core/adapter"
import { ActiveBots, InstallChecks } from "@parley/core/effect"
import { type WidgetFile, type WidgetFiles, widgetFiles } from "@parley/widget/files"
import { Effect } from "effect"
import { publicAccess } from "../../access/openAccess.ts"
import { isWidgetHost } from "../../access/origins.ts"
import { type Response, type ResponseHeaders, empty, wholeBytes } from "../../exchange/Exchange.ts"
import { RouteNotFound, WidgetNotBuilt } from "../../problems/errors.ts"
import type { Server } from "../../server/Server.ts"
import { requiredTextParameter, textParameter } from "../parameters.ts"
import { defineRoute } from "../Route.ts"

/** Time for which a browser may cache the loader, in seconds. */
const LOADER_SECONDS = 300
const FOR_EVER = "public, max-age=31536000, immutable"

/** Pages of any site may load the file, even pages with `Cross-Origin-Embedder-Policy`. */
const FOREIGN: ResponseHeaders = { "cross-origin-resource-policy": "cross-origin" }

const ONLY_TEXT = ["require-trusted-types-for 'script'", "trusted-types 'none'"]

/** The text in the place of a public key with which the frame shows settings that the dashboard sends to it. */
const PREVIEW = "preview"

/**
 * The policy of the page in the frame: it loads its own files and calls its own server, without inline code and without
 * parsing texts as HTML. Only `sites` and this server's own pages may show it, or every page if `sites` is undefined. A
 * challenge adds the scripts and frames of its origin; its script writes HTML, so parsing texts as HTML is allowed
 * then.
 */
const framePolicy = (
  sites: ReadonlyArray<string> | undefined,
  challengeOrigin: string | undefined,
  { address, widgetOrigin }: Pick<Server, "address" | "widgetOrigin">
): string => {
  // The dashboard shows the frame in its preview, so its origin is allowed, too.
  const own = widgetOrigin === undefined || address === undefined ? "'self'" : `'self' ${address.origin}`
  return [
    "default-src 'none'",
    challengeOrigin === undefined ? "script-src 'self'" : `script-src 'self' ${challengeOrigin}`,
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    ...(challengeOrigin === undefined ? ONLY_TEXT : [`frame-src ${challengeOrigin}`]),
    ...(sites === undefined ? [] : [["frame-ancestors", own, ...sites].join(" ")])
  ].join("; ")
}

const headerParameters = {
  "accept-encoding": textParameter("The compressed forms that the client accepts."),
  "if-none-match": textParameter("The client's version.")
}

interface Sent {
  readonly "accept-encoding": string | undefined
  readonly "if-none-match": string | undefined
}

const takes = (accepted: string | undefined, encoding: string): boolean =>
  accepted
    ?.split(",")
    .some((each) => each.trim().split(";")[0]?.trim() === encoding && !/;\s*q=0(\.0*)?\s*$/.test(each)) ?? false

/** The file in an encoding that the client accepts, or 304 if the client has this version already. */
const answerWith = (file: WidgetFile, etag: string, sent: Sent, headers: ResponseHeaders): Response => {
  const all = { ...headers, etag, vary: "accept-encoding" }
  const known = sent["if-none-match"]?.split(",").map((each) => each.trim().replace(/^W\//, ""))
  if (known?.includes(etag) === true) return empty(all, 304)
  const encoded = file.encoded.find(([encoding]) => takes(sent["accept-encoding"], encoding))
  const typed = { ...all, "content-type": file.contentType }
  return encoded === undefined
    ? wholeBytes(file.bytes, typed)
    : wholeBytes(encoded[1], { ...typed, "content-encoding": encoded[0] })
}

const built: Effect.Effect<WidgetFiles, WidgetNotBuilt> = Effect.suspend(() => {
  const files = widgetFiles()
  return files === undefined ? Effect.fail(new WidgetNotBuilt()) : Effect.succeed(files)
})

const UNCHANGED = { description: "The client has it already." }

/** A script that inserts the loader of another origin beside its own script element, with the same attributes. */
const loadFrom = ({ origin }: URL): string =>
  `(()=>{const s=document.currentScript,n=document.createElement("script");Object.assign(n.dataset,s.dataset);n.async=true;n.src=${JSON.stringify(`${origin}/widget.js`)};s.after(n)})()`

/**
 * The script that sites embed. If visitors have a separate origin, a page that loads the script from another origin
 * gets a short script that loads it from there.
 */
export const getWidgetLoader = defineRoute({
  method: "GET",
  path: "/widget.js",
  origin: "both",
  summary: "Returns the script that puts a bot's launcher on any page",
  access: publicAccess,
  headerParameters,
  responses: { 200: { description: "The script.", contentType: "text/javascript" }, 304: UNCHANGED },
  errors: ["widget_not_built"],
  handle: Effect.fnUntraced(function* ({ context: { request, server }, headers }) {
    const { loader } = yield* built
    const cached = { ...FOREIGN, "cache-control": `public, max-age=${LOADER_SECONDS}, stale-while-revalidate=86400` }
    const { widgetOrigin } = server
    if (widgetOrigin !== undefined && !isWidgetHost(widgetOrigin, request.headers)) {
      return wholeBytes(Buffer.from(loadFrom(widgetOrigin)), { ...cached, "content-type": loader.contentType })
    }
    return answerWith(loader, loader.etag, headers, cached)
  })
})

const frameParameters = {
  ...headerParameters,
  referer: textParameter("A page that shows the chat, whose origin the bot's owner sees."),
  "sec-fetch-dest": textParameter("The place in which the browser shows the page: only a frame counts as installed.")
}

/** True if a page of another site shows the chat in a frame; `page` is the address of that page. */
const isForeignFrame = (page: string, destination: string | undefined, own: ReadonlyArray<string | undefined>) =>
  (destination === undefined || destination === "iframe") && !own.includes(URL.parse(page)?.host)

/**
 * The page in the frame. It is the same for every public key, even an unknown one: only the bot's configuration shows
 * if the bot exists. The `ETag` covers the policy, too, so that no browser keeps an old policy.
 */
export const getWidgetFrame = defineRoute({
  method: "GET",
  path: "/widget/{publicKey}",
  origin: "visitors",
  summary: "Returns the page in which visitors chat with a bot",
  access: publicAccess,
  pathParameters: { publicKey: requiredTextParameter("The bot's public key.") },
  headerParameters: frameParameters,
  responses: { 200: { description: "The page.", contentType: "text/html" }, 304: UNCHANGED },
  errors: ["bot_misconfigured", "storage_unavailable", "widget_not_built"],
  handle: Effect.fnUntraced(function* ({ context: { request, server }, headers, path }) {
    const { frame } = yield* built
    const bots = yield* ActiveBots
    const bot = yield* bots.findByKey(path.publicKey)
    const { referer, "sec-fetch-dest": destination } = headers
    const own = [server.address?.host, server.widgetOrigin?.host, request.headers.host?.toLowerCase()]
    if (bot !== undefined && referer !== undefined && isForeignFrame(referer, destination, own)) {
      yield* (yield* InstallChecks).note(bot, referer)
    }
    const challenge = yield* VisitorChallenge
    const named = bot?.allowedSites ?? []
    const isOpenToAll = named.length === 0 && path.publicKey !== PREVIEW
    const policy = framePolicy(isOpenToAll ? undefined : named, challenge?.origin, server)
    const etag = `"${createHash("sha256").update(frame.etag).update(policy).digest("base64url").slice(0, 27)}"`
    return answerWith(frame, etag, headers, {
      ...FOREIGN,
      "cache-control": "no-cache",
      "content-security-policy": policy,
      "cross-origin-embedder-policy": "require-corp",
      // The page that embeds the frame decides about the opener policy.
      "cross-origin-opener-policy": [],
      "x-frame-options": []
    })
  })
})

/** The files that the page in the frame loads. */
export const getWidgetAsset = defineRoute({
  method: "GET",
  path: "/widget/assets/{name}",
  origin: "visitors",
  summary: "Returns a file that the chat's page loads",
  access: publicAccess,
  pathParameters: { name: requiredTextParameter("The file's name, which stands for its content.") },
  headerParameters,
  responses: {
    200: { description: "The file.", contentType: "application/octet-stream" },
    304: UNCHANGED
  },
  errors: ["not_found", "widget_not_built"],
  handle: Effect.fnUntraced(function* ({ headers, path }) {
    const file = (yield* built).assets.get(path.name)
    if (file === undefined) return yield* new RouteNotFound()
    return answerWith(file, file.etag, headers, { "cache-control": FOR_EVER })
  })
})
