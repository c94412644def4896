import type { MessagesLike } from "../catalogue.ts"
import type { versions as english } from "../en/versions.ts"

export const versions: MessagesLike<typeof english> = {
  "chat.versions": "Versões desta mensagem",
  "chat.version": "Versão {place} de {count}",
  "chat.version.previous": "Versão anterior",
  "chat.version.next": "Próxima versão"
}
