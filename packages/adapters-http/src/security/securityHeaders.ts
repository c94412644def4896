import type { RequestHandler } from "express"
import helmet from "helmet"

/**
 * Headers for every answer, pages included: scripts, styles and connections of this origin only, nothing inline, no
 * framing. What only makes sense over https is left out elsewhere, so that http://localhost keeps working.
 */
export const securityHeaders = (secure: boolean): RequestHandler =>
  helmet({
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
