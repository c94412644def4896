import type { MessagesLike } from "../catalogue.ts"
import type { versions as english } from "../en/versions.ts"

export const versions: MessagesLike<typeof english> = {
  "chat.versions": "Fassungen dieser Nachricht",
  "chat.version": "Fassung {place} von {count}",
  "chat.version.previous": "Vorige Fassung",
  "chat.version.next": "Nächste Fassung"
}
