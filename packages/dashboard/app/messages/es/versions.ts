import type { MessagesLike } from "../catalogue.ts"
import type { versions as english } from "../en/versions.ts"

export const versions: MessagesLike<typeof english> = {
  "chat.versions": "Versiones de este mensaje",
  "chat.version": "Versión {place} de {count}",
  "chat.version.previous": "Versión anterior",
  "chat.version.next": "Versión siguiente"
}
