import type { Texts, Theme } from "./messages.ts"

/** The bot to show, and the behaviour of its launcher. */
export interface WidgetOptions {
  /** The address of the Parley server, for example `https://chat.example.com`, with its mount path, if any. */
  readonly baseUrl: string
  /** The bot's public key, `pk_...`. */
  readonly publicKey: string
  /**
   * The language of the texts (BCP 47). If it is missing, or if the chat has no texts in it: the language of `<html
   * lang>`, otherwise the browser's, otherwise English.
   */
  readonly lang?: string | undefined
  /** The side of the window. Default: the bot's setting, otherwise right, or left in a page from right to left. */
  readonly position?: "left" | "right" | undefined
  /** The colours of the chat. Default: the bot's setting, otherwise the preference of the visitor's system. */
  readonly theme?: Theme | undefined
  /** False for no launcher, if the page has its own button that calls `open`. */
  readonly launcher?: boolean | undefined
  /** Replacements of the chat's texts; README.md lists their names. */
  readonly texts?: Texts | undefined
}

/** The events of a widget. None of them contains text of the visitor or the bot, because that stays in the frame. */
export interface WidgetEvents {
  /** The bot exists and its launcher has appeared. */
  readonly ready: { readonly publicKey: string; readonly displayName: string; readonly primaryColor: string }
  readonly open: { readonly publicKey: string }
  readonly close: { readonly publicKey: string }
  /** The visitor has sent a message. */
  readonly message: { readonly publicKey: string }
  /** A reply is complete. */
  readonly reply: { readonly publicKey: string }
  /** A message was refused because of a limit. */
  readonly limit: { readonly publicKey: string; readonly retryAfterSeconds: number | undefined }
  /** A message was not sent, or its reply broke off. */
  readonly error: { readonly publicKey: string }
}

export type WidgetEvent = keyof WidgetEvents

/** The widget of one bot on a page. */
export interface ParleyWidget {
  readonly publicKey: string
  readonly isOpen: boolean
  /** Opens the chat, or opens it as soon as it is loaded. */
  open(): void
  /** Closes the chat, and restores the previous focus. */
  close(): void
  toggle(): void
  /**
   * Calls `listener` for each event from now on, and also for an earlier `ready`. Returns a function that removes the
   * listener.
   */
  on<E extends WidgetEvent>(event: E, listener: (detail: WidgetEvents[E]) => void): () => void
  /** Replaces further texts; earlier replacements stay. */
  setTexts(texts: Texts): void
  setTheme(theme: Theme): void
  /** Removes the widget from the page. */
  remove(): void
}
