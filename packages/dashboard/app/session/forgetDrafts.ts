const DRAFT = /^parley\.(?:bot-)?draft\./

/** Removes all unsent texts from this tab when a person signs out or erases the account. The end of a session alone keeps them. */
export const forgetDrafts = (): void => {
  for (const key of Object.keys(sessionStorage)) if (DRAFT.test(key)) sessionStorage.removeItem(key)
}
