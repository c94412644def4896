const ALLOWED = new Set(["http:", "https:", "mailto:"])

/** The address of a link if it is allowed: an absolute address of a page or a mailbox. Undefined for all others. */
export const safeAddress = (text: string): URL | undefined => {
  if (!/^(?:https?:\/\/|mailto:)/i.test(text)) return undefined
  try {
    const url = new URL(text)
    return ALLOWED.has(url.protocol) && url.username === "" && url.password === "" ? url : undefined
  } catch {
    return undefined
  }
}
