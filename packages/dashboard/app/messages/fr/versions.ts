import type { MessagesLike } from "../catalogue.ts"
import type { versions as english } from "../en/versions.ts"

export const versions: MessagesLike<typeof english> = {
  "chat.versions": "Versions de ce message",
  "chat.version": "Version {place} sur {count}",
  "chat.version.previous": "Version précédente",
  "chat.version.next": "Version suivante"
}
