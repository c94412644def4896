import type { MessagesLike } from "../catalogue.ts"
import type { settings as english } from "../en/settings.ts"

export const settings: MessagesLike<typeof english> = {
  "settings.appearance": "Apparence",
  "settings.theme": "Couleurs",
  "settings.language": "Langue",
  "settings.account": "Compte",
  "settings.signedInAs": "Connecté en tant que",
  "settings.plan": "Forfait",
  "settings.planCredits": { one: "{count} crédit par mois", other: "{count} crédits par mois" },
  "settings.planDocuments": {
    one: "jusqu’à {count} document, {size} en tout",
    other: "jusqu’à {count} documents, {size} en tout"
  },
  "settings.data": "Vos données",
  "settings.export":
    "Une copie de tout ce qui est enregistré à votre sujet, en lignes JSON. Les fichiers se trouvent sur la page des documents.",
  "settings.export.action": "Télécharger",
  "settings.delete": "Supprime votre compte et tout ce qui s’y rattache, définitivement.",
  "settings.delete.action": "Supprimer le compte",
  "settings.delete.title": "Supprimer votre compte ?",
  "settings.delete.text":
    "Vos discussions, vos documents, vos bots et les crédits restants seront supprimés. Un forfait payé prend fin maintenant, sans remboursement. Cette action est irréversible.",
  "settings.signInAgain": "Se reconnecter",
  "settings.costs": "Ce qui coûte des crédits",
  "settings.costs.text":
    "Une réponse coûte ce que son modèle lit et écrit ; les documents ne coûtent rien. Une réponse continue, et continue de coûter, si vous fermez la page ou perdez la connexion : elle est là à votre retour. « Arrêter » y met fin, ainsi qu’à son coût."
}
