/** A command that a keyboard shortcut runs on every page. */
export type Command = "search" | "newChat" | "focus" | "shortcuts"

const isApple = /mac|iphone|ipad/i.test(navigator.platform)
const MOD = isApple ? "⌘" : "Ctrl"

/** The keys of each command, for display. */
export const KEYS: Readonly<Record<Command, ReadonlyArray<string>>> = {
  search: [MOD, "K"],
  newChat: [MOD, isApple ? "⇧" : "Shift", "O"],
  focus: ["/"],
  shortcuts: ["?"]
}

/** The id of the form with the field for a message. */
export const MESSAGE_FORM = "message-form"

const SINGLE_KEYS = "parley.singleKeys"

/** The setting that turns off shortcuts of a single key: speech input types such keys by mistake (WCAG 2.1.4). */
export const singleKeys = {
  areOn: (): boolean => localStorage.getItem(SINGLE_KEYS) !== "off",
  switch: (isOn: boolean): void => {
    if (isOn) localStorage.removeItem(SINGLE_KEYS)
    else localStorage.setItem(SINGLE_KEYS, "off")
  }
}

const takesText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"))

/** The command of a pressed key; undefined if the key has none in the current place. */
export const commandOf = (event: KeyboardEvent): Command | undefined => {
  const { altKey, ctrlKey, metaKey, shiftKey } = event
  if (altKey || event.isComposing || event.repeat) return undefined
  const key = event.key.toLowerCase()
  if (isApple ? metaKey && !ctrlKey : ctrlKey && !metaKey) {
    if (shiftKey) return key === "o" ? "newChat" : undefined
    return key === "k" ? "search" : undefined
  }
  if (ctrlKey || metaKey || takesText(event.target) || !singleKeys.areOn()) return undefined
  return key === "/" ? "focus" : key === "?" ? "shortcuts" : undefined
}
