import type { MessagesLike } from "../catalogue.ts"
import type { problems as english } from "../en/problems.ts"

export const problems: MessagesLike<typeof english> = {
  "problem.unreachable": "Le serveur est injoignable. Vérifiez votre connexion, puis réessayez.",
  "problem.unexpected": "Une erreur s’est produite sur cette page. Rechargez-la et réessayez.",
  "problem.request": "Si cela se reproduit, signalez le numéro {requestId}.",
  "problem.unauthorized": "Vous n’êtes pas connecté.",
  "problem.blocked": "Votre accès a été bloqué. Contactez l’exploitant de ce service.",
  "problem.fresh_sign_in_required":
    "Votre connexion date d’un moment. Reconnectez-vous pour confirmer votre identité, puis revenez ici.",
  "problem.holds_open":
    "Une réponse est encore en cours, pour vous ou par un de vos bots. Arrêtez-la ou désactivez les bots, puis réessayez.",
  "problem.erasure_limited":
    "Vous avez supprimé un compte au cours des 30 derniers jours. Demandez à l’exploitant de ce service de supprimer celui-ci.",
  "problem.insufficient_credits": {
    one: "Cela coûterait plus que ce que vous avez : {count} crédit est disponible.",
    other: "Cela coûterait plus que ce que vous avez : {count} crédits sont disponibles."
  },
  "problem.insufficient_credits.next": "Vos prochains crédits mensuels arrivent le {day}.",
  "problem.insufficient_credits.models": "Votre solde suffit encore pour {models}.",
  "problem.model_not_allowed": "Votre forfait ne comprend pas ce modèle. Choisissez-en un autre.",
  "problem.document_forbidden": "Un des documents appartient à une autre personne.",
  "problem.document_quota":
    "Votre forfait n’a plus de place pour d’autres documents. Supprimez ceux dont vous n’avez plus besoin.",
  "problem.scanner_unavailable":
    "L’analyse antivirus de ce fichier est impossible actuellement ; il n’a pas été enregistré. Réessayez dans un instant.",
  "problem.storage_quota":
    "Votre forfait n’a plus de place pour d’autres discussions. Supprimez celles dont vous n’avez plus besoin.",
  "problem.not_found": "Il n’y a rien ici.",
  "problem.chat_not_found": "Cette discussion n’existe pas. Elle a peut-être été supprimée.",
  "problem.document_not_found": "Ce document n’existe pas. Il a peut-être été supprimé.",
  "problem.head_too_large": "Votre navigateur envoie trop de cookies à ce site. Supprimez-les, puis réessayez.",
  "problem.payload_too_large": "C’est trop volumineux pour être envoyé.",
  "problem.prompt_too_long":
    "Votre message est trop long pour ce modèle. Raccourcissez-le, ou choisissez un autre modèle.",
  "problem.invalid_chat_request": "Ce message ne peut pas être envoyé. Est-il vide, ou très long ?",
  "problem.request_in_progress": "Une réponse à cette question est déjà en cours.",
  "problem.too_many_abandoned_tries": "Trop de réponses ont été arrêtées avant leur premier mot. Attendez une minute.",
  "problem.too_many_replies":
    "Le nombre maximal de réponses simultanées de votre forfait est atteint. Attendez que l’une d’elles se termine.",
  "problem.daily_cap_reached": "La limite de crédits d’aujourd’hui est atteinte.",
  "problem.too_many_requests": "Trop de demandes à la fois. Réessayez dans un instant.",
  "problem.server_busy": "Le serveur est occupé. Réessayez dans un instant.",
  "problem.provider_rate_limited":
    "Le modèle n’accepte plus de questions pour le moment. Réessayez dans un instant, ou choisissez un autre modèle.",
  "problem.provider_unavailable":
    "Le modèle ne répond pas pour le moment. Réessayez dans un instant, ou choisissez un autre modèle.",
  "problem.model_failed": "Le modèle n’a pas répondu. Rien n’a été débité. Réessayez, ou choisissez un autre modèle.",
  "problem.model_unavailable": "Ce modèle n’est pas configuré sur ce serveur. Choisissez-en un autre.",
  "problem.model_misconfigured": "Ce modèle est mal configuré sur ce serveur. Choisissez-en un autre.",
  "problem.invalid_bot": "Certains paramètres ne sont pas valables. Ils sont signalés ci-dessus.",
  "problem.bot_not_found": "Ce bot n’existe pas. Il a peut-être été supprimé.",
  "problem.conversation_not_found": "Cette conversation n’existe pas. Elle a peut-être été supprimée.",
  "problem.bot_key_not_found": "Le bot n’a pas cette clé. Elle a peut-être été retirée.",
  "problem.last_bot_key": "C’est la seule clé du bot. Ajoutez-en d’abord une autre, ou désactivez le bot.",
  "problem.too_many_bot_keys":
    "Le bot a atteint son nombre maximal de clés. Retirez-en une qui ne figure plus dans aucune page.",
  "problem.too_many_bots": "Vous avez atteint le nombre maximal de bots. Supprimez-en un dont vous n’avez plus besoin.",
  "problem.bot_misconfigured": "Les paramètres de ce bot sont endommagés. Enregistrez-les de nouveau.",
  "problem.payments_not_configured": "Rien n’est en vente sur ce serveur : les paiements n’y sont pas configurés.",
  "problem.payment_provider_unavailable":
    "Le prestataire de paiement ne répond pas pour le moment. Rien n’a été débité. Réessayez dans un instant.",
  "problem.payment_provider_refused":
    "Le prestataire de paiement est mal configuré sur ce serveur. Rien n’a été débité. Prévenez son exploitant.",
  "problem.price_not_offered": "Ceci n’est plus en vente. Rechargez la page et choisissez de nouveau.",
  "problem.already_subscribed": "Vous avez déjà un forfait. Changez-le sur la page du prestataire de paiement.",
  "problem.storage_unavailable": "Une erreur s’est produite de notre côté. Réessayez dans un instant.",
  "problem.internal_error": "Une erreur s’est produite de notre côté. Réessayez dans un instant.",
  "problem.identity_unavailable": "La connexion est impossible pour le moment. Réessayez bientôt."
}
