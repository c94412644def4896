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

/** Pages of any site may load it, also those that isolate themselves (`Cross-Origin-Embedder-Policy`). */
const FOREIGN: ResponseHeaders = { "cross-origin-resource-policy": "cross-origin" }

const ONLY_TEXT = ["require-trusted-types-for 'script'", "trusted-types 'none'"]

/** In the place of a public key: the frame shows settings that the dashboard sends it. */
const PREVIEW = "preview"

/**
 * The policy of the frame's page: load its own files, call its own server, no inline code, and no parsing of texts as
 * HTML. Only these sites and this server's own pages may show it; every page may if `sites` is undefined. A challenge
 * adds the scripts and frames of its origin; its script writes HTML, so the last rule does not hold then.
 */
const framePolicy = (
  sites: ReadonlyArray<string> | undefined,
  challengeOrigin: string | undefined,
  { address, widgetOrigin }: Pick<Server, "address" | "widgetOrigin">
): string => {
  // The dashboard's preview.
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

/** The file in an encoding that the client accepts, or 304 if it has this content already. */
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

/** A script that puts the loader of another origin into its own place, with its attributes. */
const loadFrom = ({ origin }: URL): string =>
  `(()=>{const s=document.currentScript,n=document.createElement("script");Object.assign(n.dataset,s.dataset);n.async=true;n.src=${JSON.stringify(`${origin}/widget.js`)};s.after(n)})()`

/** The script that sites embed. Pages that embed it from another origin than the widget's get the one there. */
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

/** True for the address of a page of another site that shows the chat in a frame. */
const isForeignFrame = (page: string, destination: string | undefined, own: ReadonlyArray<string | undefined>) =>
  (destination === undefined || destination === "iframe") && !own.includes(URL.parse(page)?.host)

/**
 * The page in the frame. It is the same for every bot, and for none: the configuration shows if the bot exists. The
 * `ETag` covers the policy, too, so that no browser keeps an old policy.
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
      // The opener policy is the embedding page's to set.
      "cross-origin-opener-policy": [],
      "x-frame-options": []
    })
  })
})

/** The files of that page. */
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
