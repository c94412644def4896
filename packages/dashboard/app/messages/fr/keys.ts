import type { MessagesLike } from "../catalogue.ts"
import type { keys as english } from "../en/keys.ts"

export const keys: MessagesLike<typeof english> = {
  "keys.field": "Rechercher des discussions et des pages",
  "keys.results": "Discussions et pages trouvées",
  "keys.none": "Aucun résultat.",
  "keys.title": "Raccourcis clavier",
  "keys.search": "Rechercher des discussions et des pages",
  "keys.newChat": "Commencer une nouvelle discussion",
  "keys.focus": "Aller au champ de votre message",
  "keys.shortcuts": "Afficher les raccourcis",
  "keys.send": "Envoyer le message",
  "keys.line": "Commencer une nouvelle ligne dans le message",
  "keys.stop": "Arrêter la réponse",
  "keys.single": "Raccourcis à une seule touche"
}
