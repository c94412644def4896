const ALLOWED = new Set(["http:", "https:", "mailto:"])

/**
 * Returns the address of a link if it is allowed: an absolute address of a web page or a mailbox. Undefined for all
 * others.
 */
export const safeAddress = (text: string): string | undefined => {
  if (!/^(?:https?:\/\/|mailto:)/i.test(text.trim())) return undefined
  try {
    const url = new URL(text.trim())
    return ALLOWED.has(url.protocol) && url.username === "" && url.password === "" ? url.href : undefined
  } catch {
    return undefined
  }
}
