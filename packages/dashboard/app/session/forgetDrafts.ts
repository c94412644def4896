const DRAFT = /^parley\.(?:bot-)?draft\./

/** Removes all unsent texts from this tab, for a person who leaves it. An ended session alone keeps them. */
export const forgetDrafts = (): void => {
  for (const key of Object.keys(sessionStorage)) if (DRAFT.test(key)) sessionStorage.removeItem(key)
}
