const keyOf = (userId: string): string => `parley.documents.${userId}`

/**
 * The documents that a person last chose for a chat, or uploaded since then. A new chat begins with them. They are
 * stored in this browser.
 */
export const chosenDocuments = {
  read: (userId: string): ReadonlyArray<string> => {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(keyOf(userId)) ?? "[]")
      return Array.isArray(kept) ? kept.filter((id) => typeof id === "string") : []
    } catch {
      return []
    }
  },
  keep: (userId: string, documentIds: ReadonlyArray<string>): void =>
    localStorage.setItem(keyOf(userId), JSON.stringify(documentIds))
}
