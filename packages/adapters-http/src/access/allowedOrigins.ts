/** True if a text is the origin of a page, in exactly the form that browsers send. */
export const isOrigin = (text: string): boolean => {
  const url = URL.parse(text)
  return url?.origin === text && /^https?:$/.test(url.protocol) && !text.includes("*")
}

/** Returns the set of the configured origins. Throws if an entry has another form than `https://app.example.com`. */
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
