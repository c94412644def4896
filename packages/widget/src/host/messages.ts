/**
 * What page and frame say to each other with `postMessage`. Each side takes messages only from the other's window and
 * origin, and only of these forms. None of them carries what is said in the conversation, and none can add to it.
 */

/** In each message, so that those of other programs on the page are not taken for ours. */
export const PROTOCOL = 1

/** Which colours the chat is in; `auto` is what the visitor's system prefers. */
export type Theme = "auto" | "light" | "dark"

/** Replacements of the chat's texts, by name. */
export type Texts = Readonly<Record<string, string>>

/** What the frame reports that has happened. */
export type ReportedEvent = "message" | "reply" | "limit" | "error"

export type FrameMessage =
  /** It runs. Sent to whoever embeds it, as it says nothing else. */
  | { readonly type: "hello" }
  /** There is such a bot: how its launcher looks and what it is called. */
  | {
      readonly type: "ready"
      readonly displayName: string
      /** Of the launcher, `#rrggbb`. */
      readonly primaryColor: string
      /** What is legible on that colour, `#rrggbb`. */
      readonly inkColor: string
      readonly launcherLabel: string
      readonly unreadLabel: string
      readonly frameTitle: string
    }
  /** There is no such bot. */
  | { readonly type: "absent" }
  /** The visitor wants it closed. */
  | { readonly type: "close" }
  | { readonly type: ReportedEvent; readonly retryAfterSeconds?: number | undefined }

/** How the page wants the chat to be: the answer to `hello`, and sent again with every change. */
export interface HostState {
  readonly theme: Theme
  readonly texts: Texts
  readonly isOpen: boolean
}
