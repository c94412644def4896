import type { MessagesLike } from "../catalogue.ts"
import type { reindexing as english } from "../en/reindexing.ts"

export const reindexing: MessagesLike<typeof english> = {
  "documents.reindex": "Documentos con un índice anterior",
  "documents.reindex.outdated": {
    one: "{count} de sus {total} documentos tiene un índice anterior.",
    other: "{count} de sus {total} documentos tienen un índice anterior."
  },
  "documents.reindex.text":
    "Desde entonces ha cambiado la forma de leer los documentos o de buscar en ellos. Se encuentran como antes, algunos solo por sus palabras. Reindexarlos no cuesta créditos.",
  "documents.reindex.start": "Reindexar",
  "documents.reindex.waiting": "La reindexación comienza en un momento.",
  "documents.reindex.running": {
    one: "Reindexación en curso: queda {count} documento de {total}.",
    other: "Reindexación en curso: quedan {count} documentos de {total}."
  },
  "documents.reindex.meanwhile":
    "Mientras tanto se puede buscar en todos los documentos, y usted puede salir de esta página.",
  "documents.reindex.progress": "Progreso de la reindexación",
  "documents.reindex.stopped": "Se detuvo antes del final por un error nuestro. Lo que está hecho sigue hecho.",
  "documents.reindex.continue": "Continuar",
  "documents.reindex.failed": {
    one: "No se pudo reindexar {count} documento. Se encuentra como antes.",
    other: "No se pudieron reindexar {count} documentos. Se encuentran como antes."
  },
  "documents.reindex.done": "Todos los documentos tienen el índice actual."
}
