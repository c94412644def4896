import type { MessagesLike } from "../catalogue.ts"
import type { sharing as english } from "../en/sharing.ts"

export const sharing: MessagesLike<typeof english> = {
  "rating.good": "Bonne réponse",
  "rating.bad": "Mauvaise réponse",
  "rating.title": "Qu’est-ce qui n’allait pas ?",
  "rating.comment": "Votre commentaire",
  "rating.text":
    "L’exploitant de ce serveur peut lire votre commentaire et l’identifiant de la réponse, mais pas la discussion.",
  "rating.send": "Envoyer",
  "rating.skip": "Passer",
  "share.title": "Partager cette discussion",
  "share.text":
    "Toute personne qui a le lien peut lire cette discussion telle qu’elle est maintenant. Les messages ultérieurs et les textes de vos documents ne sont pas partagés ; les noms des documents cités le sont.",
  "share.create": "Créer un lien",
  "share.link": "Lien vers cette discussion",
  "share.copy": "Copier le lien",
  "share.copied": "Copié",
  "share.shared": "Partagée le {date}, jusqu’au message qui était alors le dernier.",
  "share.renew": "La partager telle qu’elle est maintenant",
  "share.renewed": "Le lien montre la discussion telle qu’elle est maintenant.",
  "share.end": "Supprimer le lien",
  "shared.title": "Discussion partagée",
  "shared.note": "Cette discussion a été partagée le {date}. Elle peut être lue, mais pas poursuivie.",
  "shared.own": "Commencer votre propre discussion",
  "shared.gone": "Ce lien ne mène nulle part : la discussion n’est plus partagée, ou a été supprimée.",
  "shared.source": "{number} : {name}",
  "shared.sourcePage": "{number} : {name}, page {page}",
  "preferences.title": "Réponses",
  "preferences.model": "Le modèle des nouvelles discussions",
  "preferences.model.firstOfPlan": "Le premier de votre forfait",
  "preferences.instructions": "Instructions pour chaque réponse",
  "preferences.instructions.text":
    "Par exemple, la façon de s’adresser à vous ou la longueur des réponses. Elles comptent comme une partie de chaque question.",
  "preferences.save": "Enregistrer",
  "preferences.saved": "Enregistré."
}
