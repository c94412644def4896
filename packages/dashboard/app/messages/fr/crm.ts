import type { MessagesLike } from "../catalogue.ts"
import type { crm as english } from "../en/crm.ts"

export const crm: MessagesLike<typeof english> = {
  "crm.title": "CRM",
  "crm.text": "Donnez à ce bot l’accès à votre compte. Vous l’autorisez sur la page du fournisseur, et le retirez ici.",
  "crm.state.none": "Non connecté",
  "crm.state.connected": "Connecté",
  "crm.state.needs_reconnect": "Doit être reconnecté",
  "crm.state.error": "Ne fonctionne pas pour le moment",
  "crm.since": "depuis le {day}, par {who}",
  "crm.connect": "Connecter",
  "crm.connectNamed": "Connecter {name}",
  "crm.reconnect": "Reconnecter",
  "crm.reconnectNamed": "Reconnecter {name}",
  "crm.disconnect": "Déconnecter",
  "crm.disconnectNamed": "Déconnecter {name}",
  "crm.disconnect.title": "Déconnecter {name} ?",
  "crm.disconnect.text": "Le bot n’a plus accès à votre compte chez {name}. Vous pourrez le connecter de nouveau.",
  "crm.disconnected": "{name} est déconnecté.",
  "crm.disconnected.pending":
    "{name} est déconnecté. Le fournisseur n’a pas répondu ; il sera informé plus tard de la fin de l’accès.",
  "crm.disconnected.unsupported":
    "{name} est déconnecté. Pour y mettre aussi fin à l’accès, utilisez vos paramètres chez {name}.",
  "crm.disconnected.failed":
    "{name} est déconnecté, mais le fournisseur n’a pas pu être informé. Mettez fin à l’accès dans vos paramètres chez {name}.",
  "crm.unavailable": "La connexion est impossible actuellement : ce serveur n’est pas configuré pour cela.",
  "crm.problem.expired": "L’accès a pris fin.",
  "crm.problem.refused": "{name} n’autorise plus l’accès.",
  "crm.problem.answer_lost": "L’accès a été renouvelé, mais la réponse s’est perdue en route.",
  "crm.problem.client": "Le fournisseur n’accepte pas ce serveur. Prévenez son exploitant.",
  "crm.problem.unavailable":
    "Le fournisseur ne répond pas pour le moment. De nouveaux essais ont lieu automatiquement.",
  "crm.problem.unreadable":
    "Ce serveur ne peut pas lire l’accès qu’il a conservé. Prévenez son exploitant, ou reconnectez.",
  "crm.return.connected": "{name} est connecté.",
  "crm.return.denied": "Rien n’a été connecté : l’accès n’a pas été autorisé.",
  "crm.return.state":
    "Rien n’a été connecté : la réponse est arrivée trop tard, a déjà servi, ou vient d’un autre endroit. Recommencez la connexion ici.",
  "crm.return.exchange": "Rien n’a été connecté : le fournisseur n’est pas allé au bout. Réessayez dans un instant.",
  "crm.return.bot": "Rien n’a été connecté : le bot a été supprimé entre-temps."
}
