const ALLOWED = new Set(["http:", "https:", "mailto:"])

/** The address that a link may lead to, written whole: of another page or a mailbox. Undefined for everything else. */
export const safeAddress = (text: string): URL | undefined => {
  if (!/^(?:https?:\/\/|mailto:)/i.test(text)) return undefined
  try {
    const url = new URL(text)
    return ALLOWED.has(url.protocol) && url.username === "" && url.password === "" ? url : undefined
  } catch {
    return undefined
  }
}
