import { Context } from "effect"

/** The origins, beside the server's own, whose pages may call it for the person who is signed in. */
export class AllowedOrigins extends Context.Service<AllowedOrigins, ReadonlySet<string>>()(
  "@parley/adapters-http/environment/AllowedOrigins"
) {}

/** Whether a text is the origin of pages, to the letter as browsers send it. */
export const isOrigin = (text: string): boolean => {
  const url = URL.parse(text)
  return url?.origin === text && /^https?:$/.test(url.protocol) && !text.includes("*")
}

/** Takes origins as configured. Throws where one is not the origin of a page, to the letter: `https://app.example.com`. */
export const allowedOriginsFrom = (configured: ReadonlyArray<string> = []): ReadonlySet<string> => {
  for (const origin of configured) {
    if (!isOrigin(origin)) {
      throw new TypeError(
        `The allowed origin ${JSON.stringify(origin)} is not one like "https://app.example.com": scheme, host and port, nothing after them.`
      )
    }
  }
  return new Set(configured)
}
