const keyOf = (userId: string, chatId: string | undefined) => `parley.draft.${userId}.${chatId ?? "new"}`

/** What a person has written and not sent, kept until the tab is closed: a reload or an ended session loses nothing. */
export const drafts = {
  read: (userId: string, chatId: string | undefined): string => sessionStorage.getItem(keyOf(userId, chatId)) ?? "",
  keep: (userId: string, chatId: string | undefined, text: string): void => {
    if (text === "") sessionStorage.removeItem(keyOf(userId, chatId))
    else sessionStorage.setItem(keyOf(userId, chatId), text)
  }
}
