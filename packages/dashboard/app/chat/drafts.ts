const keyOf = (userId: string, chatId: string | undefined) => `parley.draft.${userId}.${chatId ?? "new"}`

/** Texts that were not sent. They are kept through a reload or an ended session, until the tab is closed. */
export const drafts = {
  read: (userId: string, chatId: string | undefined): string => sessionStorage.getItem(keyOf(userId, chatId)) ?? "",
  keep: (userId: string, chatId: string | undefined, text: string): void => {
    if (text === "") sessionStorage.removeItem(keyOf(userId, chatId))
    else sessionStorage.setItem(keyOf(userId, chatId), text)
  }
}
