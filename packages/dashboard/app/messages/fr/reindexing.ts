import type { MessagesLike } from "../catalogue.ts"
import type { reindexing as english } from "../en/reindexing.ts"

export const reindexing: MessagesLike<typeof english> = {
  "documents.reindex": "Documents sur un ancien index",
  "documents.reindex.outdated": {
    one: "{count} de vos {total} documents est sur un ancien index.",
    other: "{count} de vos {total} documents sont sur un ancien index."
  },
  "documents.reindex.text":
    "La façon de lire les documents ou d’y chercher a changé depuis. On les trouve comme avant, certains seulement par leurs mots. La réindexation ne coûte aucun crédit.",
  "documents.reindex.start": "Réindexer",
  "documents.reindex.waiting": "La réindexation commence dans un instant.",
  "documents.reindex.running": {
    one: "Réindexation en cours : il reste {count} document sur {total}.",
    other: "Réindexation en cours : il reste {count} documents sur {total}."
  },
  "documents.reindex.meanwhile":
    "Tous les documents restent consultables pendant ce temps, et vous pouvez quitter cette page.",
  "documents.reindex.progress": "Progression de la réindexation",
  "documents.reindex.stopped":
    "Elle s’est arrêtée avant la fin, car une erreur s’est produite de notre côté. Ce qui est fait reste fait.",
  "documents.reindex.continue": "Continuer",
  "documents.reindex.failed": {
    one: "{count} document n’a pas pu être réindexé. On le trouve comme avant.",
    other: "{count} documents n’ont pas pu être réindexés. On les trouve comme avant."
  },
  "documents.reindex.done": "Tous les documents sont sur l’index actuel."
}
