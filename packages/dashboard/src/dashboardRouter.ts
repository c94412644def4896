import { fileURLToPath } from "node:url"
import express, { type Response, type Router } from "express"

/** What the page has to know of the server it belongs to. */
export interface DashboardOptions {
  /**
   * `development`: the page asks for an email address and posts it to `/dev/sign-in`. `elsewhere`: people sign in and
   * out at an identity provider; the addresses are where, if the page is to lead there.
   */
  readonly signIn:
    | { readonly kind: "development" }
    | { readonly kind: "elsewhere"; readonly url?: string | undefined; readonly signOutUrl?: string | undefined }
  /** The kinds of files that the page offers to choose, as extensions without the dot; all of them if left out. */
  readonly uploadTypes?: ReadonlyArray<string>
}

/** Beside `src` and, after a build, beside `dist`. */
const PUBLIC_FOLDER = fileURLToPath(new URL("../public/", import.meta.url))

/** What the page may load and do: its own files and its own server, nothing inline, no frame around it. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'"
].join("; ")

/**
 * The page for people and its files, to be mounted at `/` beside the HTTP interface. It answers nothing but its own
 * files; every other request goes on to the next handler.
 */
export const dashboardRouter = (options: DashboardOptions): Router => {
  const router = express.Router()
  router.get("/dashboard.json", (_request, response) => {
    response.set("cache-control", "no-store").json(pageSettings(options))
  })
  router.use(
    express.static(PUBLIC_FOLDER, {
      index: "index.html",
      redirect: false,
      dotfiles: "ignore",
      setHeaders: setFileHeaders
    })
  )
  return router
}

const pageSettings = ({ signIn, uploadTypes = [] }: DashboardOptions) => ({
  signIn:
    signIn.kind === "development"
      ? { kind: signIn.kind }
      : { kind: signIn.kind, url: signIn.url ?? null, signOutUrl: signIn.signOutUrl ?? null },
  uploadTypes
})

/** Names carry no version, so a browser asks each time whether its copy still holds (ETag); the answer is a bare 304. */
const setFileHeaders = (response: Response): void => {
  response.setHeader("cache-control", "no-cache")
  response.setHeader("content-security-policy", CONTENT_SECURITY_POLICY)
  response.setHeader("x-content-type-options", "nosniff")
  response.setHeader("referrer-policy", "same-origin")
}
