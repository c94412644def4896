import type { Messages } from "../messages/MessagesProvider.tsx"

/** Where in its document a passage stands: its page, else the headings above it, outermost first. */
export const placeWords = (page: number | null, path: ReadonlyArray<string>, { t }: Pick<Messages, "t">): string =>
  page === null ? path.join(" › ") : t("sources.page", { page })
