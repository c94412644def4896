import type { IncomingMessage, ServerResponse } from "node:http"
import helmet from "helmet"
import type { ResponseHeaders } from "../exchange/Exchange.ts"

/**
 * Headers of every response, pages included: scripts, styles and connections of this origin only, no inline code, no
 * framing. Headers that require https are left out without it, so that http://localhost works.
 */
export const securityHeaders = (secure: boolean): ResponseHeaders => {
  const set = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        ...(secure ? { upgradeInsecureRequests: [] } : {})
      }
    },
    strictTransportSecurity: secure,
    xFrameOptions: { action: "deny" },
    referrerPolicy: { policy: "same-origin" }
  })
  // They are the same for every request, so that they are asked for once and not set one by one each time.
  const headers: Record<string, string> = {}
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value
    },
    removeHeader: () => undefined
  }
  set({} as IncomingMessage, response as unknown as ServerResponse, () => undefined)
  return headers
}
