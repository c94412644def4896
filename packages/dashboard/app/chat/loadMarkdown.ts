/** What draws replies: not part of the first load. */
export const loadMarkdown = () => import("../markdown/Markdown.tsx")

/** Asks for it as soon as a reply is on its way. Where that fails, it is asked for again when the reply is there. */
export const preloadMarkdown = (): void => void loadMarkdown().catch(() => undefined)
