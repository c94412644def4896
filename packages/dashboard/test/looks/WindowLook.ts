/** A window and its colours. */
export interface WindowLook {
  readonly width: number
  readonly height: number
  readonly colorScheme: "light" | "dark"
}

/** The appearance in which every run looks at what chats can do. */
export const CHAT_LOOKS: ReadonlyArray<WindowLook> = [{ width: 360, height: 740, colorScheme: "dark" }]

/** The other ways. */
export const FURTHER_CHAT_LOOKS: ReadonlyArray<WindowLook> = [
  { width: 1280, height: 800, colorScheme: "light" },
  { width: 800, height: 800, colorScheme: "dark" }
]
