const ALLOWED = new Set(["http:", "https:", "mailto:"])

/** An address that a link may lead to: of another page or a mailbox, written whole. Undefined for everything else. */
export const safeAddress = (text: string): string | undefined => {
  if (!/^(?:https?:\/\/|mailto:)/i.test(text.trim())) return undefined
  try {
    const url = new URL(text.trim())
    return ALLOWED.has(url.protocol) && url.username === "" && url.password === "" ? url.href : undefined
  } catch {
    return undefined
  }
}
