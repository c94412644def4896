import type { Messages } from "../messages/MessagesProvider.tsx"

/**
 * The place of a passage in its document, for people: its page, otherwise the headings above it, the outermost first.
 */
export const placeWords = (page: number | null, path: ReadonlyArray<string>, { t }: Pick<Messages, "t">): string =>
  page === null ? path.join(" › ") : t("sources.page", { page })
