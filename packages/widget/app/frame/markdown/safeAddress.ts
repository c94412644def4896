const ALLOWED = new Set(["http:", "https:", "mailto:"])

/**
 * Returns the address of a link if it is allowed: an absolute address of a web page or a mailbox. Undefined for all
 * others.
 */
export const safeAddress = (text: string): URL | undefined => {
  if (!/^(?:https?:\/\/|mailto:)/i.test(text)) return undefined
  try {
    const url = new URL(text)
    return ALLOWED.has(url.protocol) && url.username === "" && url.password === "" ? url : undefined
  } catch {
    return undefined
  }
}
