import type { IncomingMessage, ServerResponse } from "node:http"
import helmet from "helmet"
import type { ResponseHeaders } from "../exchange/Exchange.ts"

/**
 * The security headers of every response, pages included: scripts, styles and connections from this origin only, no
 * inline code, no framing. Without https the headers that require it are left out, so that http://localhost works.
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
  // The headers are the same for every request, so Helmet sets them once here and not with each response.
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
