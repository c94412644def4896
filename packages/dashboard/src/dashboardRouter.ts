import { readdirSync, readFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { extname, join, relative, sep } from "node:path"
import accepts from "accepts"
import send from "send"
import vary from "vary"
import { type BrandFile, brandFiles, brandPage, type DashboardBranding } from "./brandFiles.ts"
import { APP_FOLDER, formOf } from "./builtApp.ts"
import { PAGE_PATHS } from "./pagePaths.ts"

/** The server's settings for the page. */
export interface DashboardOptions {
  /**
   * `development`: the page asks for an e-mail address and posts it to `/dev/sign-in`. `elsewhere`: people sign in and
   * out at an identity provider; the page shows the optional addresses as links.
   */
  readonly signIn:
    | { readonly kind: "development" }
    | { readonly kind: "elsewhere"; readonly url?: string | undefined; readonly signOutUrl?: string | undefined }
  /** The address of the payment stand-in's pages. If it is set, the page says that purchases cost no real money. */
  readonly standInPayments?: string | undefined
  /** The origin of the pages for visitors of bots; undefined if it is the dashboard's own origin. */
  readonly widgetOrigin?: string | undefined
  /** The name, logo and colours of the page; Parley's own for each that is missing. */
  readonly branding?: DashboardBranding | undefined
}

type PageOptions = Pick<DashboardOptions, "branding" | "widgetOrigin">

/**
 * The page's content security policy: files and connections of its own origin only, no inline code, no framing. The
 * page may create images from loaded data, a worker renders pdf pages, and a frame previews a bot's widget. Texts never
 * become HTML or the address of a script, except the address of that worker (`app/pdf/openPdf.ts`).
 */
const contentSecurityPolicy = ({ widgetOrigin }: PageOptions): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    widgetOrigin === undefined ? "frame-src 'self'" : `frame-src 'self' ${widgetOrigin}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types default",
    "report-uri /csp-reports"
  ].join("; ")

/**
 * The policy of the frame that draws diagrams: its document has no origin and calls no server. Mermaid writes styles
 * into its drawings, so inline styles are allowed.
 */
const DIAGRAM_POLICY = [
  "sandbox allow-scripts",
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'"
].join("; ")
const DIAGRAM = "diagram/"

/** The frame's document has no origin, so its own files count as foreign to it and need these headers. */
const DIAGRAM_HEADERS = {
  "content-security-policy": DIAGRAM_POLICY,
  "cross-origin-resource-policy": "cross-origin",
  "x-frame-options": "SAMEORIGIN"
}

/** The page copies texts to the clipboard; it uses no devices and no payment interface of the browser. */
const PERMISSIONS_POLICY = [
  "camera=()",
  "display-capture=()",
  "geolocation=()",
  "hid=()",
  "microphone=(self)",
  "midi=()",
  "payment=()",
  "serial=()",
  "usb=()",
  "clipboard-read=()",
  "clipboard-write=(self)"
].join(", ")

const PAGE_HEADERS = {
  "permissions-policy": PERMISSIONS_POLICY,
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff"
}

const INDEX = "index.html"
/** The path below which file names contain a hash of the content. */
const HASHED = "assets/"
const TYPES: Readonly<Record<string, string>> = {
  ".bcmap": "application/octet-stream",
  ".css": "text/css; charset=utf-8",
  ".icc": "application/vnd.iccprofile",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".pfb": "application/x-font-type1",
  ".svg": "image/svg+xml",
  ".md": "text/markdown; charset=utf-8",
  ".ttf": "font/ttf",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm"
}

/** A handler in the form that Express 4 and 5, Connect and Polka mount. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void

/** Matches the addresses of pages in upper or lower case, with or without a slash at the end. */
const PAGES = new RegExp(
  `^(?:${Object.values(PAGE_PATHS)
    .map((path) => (path === "/" ? "" : path.replaceAll(/:\w+/g, "[^/]+")))
    .join("|")})/?$`,
  "i"
)

/**
 * Serves the dashboard, to be mounted at `/` beside the HTTP interface: its files, and its page at each address of
 * `PAGE_PATHS`. It passes every other request to the next handler.
 */
export const dashboardRouter = (options: DashboardOptions): PageHandler => {
  const files = builtFiles()
  const brand = brandFiles(options.branding ?? {})
  const sendPage = pageSender(files, options)
  const policy = contentSecurityPolicy(options)
  const settings = JSON.stringify(pageSettings(options))
  return (request, response, next) => {
    if (!isReading(request)) return next()
    const path = pathOf(request)
    const name = path.slice(1)
    if (path === "/dashboard.json") {
      response.setHeader("cache-control", "no-store")
      return endWith(response, 200, "application/json; charset=utf-8", settings)
    }
    const made = brand.get(name)
    if (made !== undefined) return sendMade({ made, policy, request, response })
    if (name === INDEX || PAGES.test(path)) {
      if (files.has(INDEX)) return sendPage(request, response, next)
    } else {
      return files.has(name) ? sendFile({ name, policy, request, response, next }) : next()
    }
    endWith(
      response,
      503,
      "text/plain; charset=utf-8",
      "The dashboard is not built yet: npm ci builds it, and npm run build.\n"
    )
  }
}

/**
 * Answers a browser's request for an unknown address with the application, which shows that the page does not exist.
 * Mount it after everything else. Requests of programs, which do not prefer HTML, are passed to the next handler.
 */
export const notFoundPage = (options: PageOptions = {}): PageHandler => {
  const files = builtFiles()
  const sendPage = pageSender(files, options)
  return (request, response, next) => {
    vary(response, "Accept")
    if (!isReading(request) || !files.has(INDEX) || accepts(request).type(["json", "html"]) !== "html") return next()
    response.statusCode = 404
    sendPage(request, response, next)
  }
}

const isReading = ({ method }: IncomingMessage): boolean => method === "GET" || method === "HEAD"

const pathOf = ({ url = "/" }: IncomingMessage): string => url.split("?", 1)[0] ?? "/"

const endWith = (response: ServerResponse, status: number, type: string, text: string): void => {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) }).end(text)
}

/** The files of the build, which are served by their exact names; empty if the application is not built. */
const builtFiles = (): ReadonlySet<string> => {
  try {
    const entries = readdirSync(APP_FOLDER, { recursive: true, withFileTypes: true })
    const names = entries
      .filter((entry) => entry.isFile() && extname(entry.name) in TYPES && entry.name !== "manifest.json")
      .map((entry) => relative(APP_FOLDER, join(entry.parentPath, entry.name)).split(sep).join("/"))
    return new Set(names)
  } catch {
    return new Set()
  }
}

interface Sending {
  /** The name of the file in the build. */
  readonly name: string
  readonly policy: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly next: (error?: unknown) => void
}

/** Returns a handler that sends the application's page, with the operator's brand if there is one. */
const pageSender = (files: ReadonlySet<string>, options: PageOptions): PageHandler => {
  const policy = contentSecurityPolicy(options)
  const { branding = {} } = options
  const isBranded = Object.values(branding).some((part) => part !== undefined)
  if (!isBranded || !files.has(INDEX)) {
    return (request, response, next) => sendFile({ name: INDEX, policy, request, response, next })
  }
  const made = brandPage(readFileSync(join(APP_FOLDER, INDEX), "utf8"), branding)
  return (request, response) => sendMade({ made, policy, request, response })
}

/** Sends a file that was made from the settings. Browsers revalidate it each time, like the page. */
const sendMade = ({
  made,
  policy,
  request,
  response
}: Omit<Sending, "name" | "next"> & { readonly made: BrandFile }) => {
  const headers = {
    "cache-control": "no-cache",
    "content-security-policy": made.policy ?? policy,
    "content-type": made.type,
    etag: made.etag,
    ...PAGE_HEADERS
  }
  for (const [header, value] of Object.entries(headers)) response.setHeader(header, value)
  const known = request.headers["if-none-match"]?.split(",").map((each) => each.trim().replace(/^W\//, ""))
  if (response.statusCode === 200 && known?.includes(made.etag)) {
    response.statusCode = 304
    response.end()
    return
  }
  response.setHeader("content-length", made.body.length)
  response.end(made.body)
}

/**
 * Sends a file of the build. Browsers keep a file with a hash in its name for ever, and revalidate others each time,
 * usually with a 304.
 */
const sendFile = ({ name, next, policy, request, response }: Sending): void => {
  const { path, encoding } = formOf(name, (each) => accepts(request).encoding([each]) !== false)
  const headers = {
    "cache-control": name.startsWith(HASHED) ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": policy,
    "content-type": TYPES[extname(name)] ?? "application/octet-stream",
    ...PAGE_HEADERS,
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
    ...(name.startsWith(DIAGRAM) ? DIAGRAM_HEADERS : {})
  }
  for (const [header, value] of Object.entries(headers)) response.setHeader(header, value)
  vary(response, "accept-encoding")
  // `send` decodes the path like a request's path, so it is encoded here.
  send(request, encodeURI(path), { acceptRanges: false, cacheControl: false, dotfiles: "allow" })
    .on("error", next)
    .pipe(response)
}

const pageSettings = ({ signIn, standInPayments, widgetOrigin }: DashboardOptions) => ({
  widgetOrigin: widgetOrigin ?? null,
  standInPayments: standInPayments ?? null,
  signIn:
    signIn.kind === "development"
      ? { kind: signIn.kind }
      : { kind: signIn.kind, url: signIn.url ?? null, signOutUrl: signIn.signOutUrl ?? null }
})
