import type { Message } from "../format.ts"

/** Texts about the versions of a message. */
export const versions = {
  "chat.versions": "Versions of this message",
  "chat.version": "Version {place} of {count}",
  "chat.version.previous": "Previous version",
  "chat.version.next": "Next version"
} as const satisfies Record<string, Message>
