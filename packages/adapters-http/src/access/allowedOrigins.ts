/** True if a text is the origin of a page, exactly as browsers send it. */
export const isOrigin = (text: string): boolean => {
  const url = URL.parse(text)
  return url?.origin === text && /^https?:$/.test(url.protocol) && !text.includes("*")
}

/** Takes configured origins. Throws if one is not exactly the origin of a page: `https://app.example.com`. */
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
