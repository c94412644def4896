import type { MessagesLike } from "../catalogue.ts"
import type { widget as english } from "./en.ts"

export const widget: MessagesLike<typeof english> = {
  "widget.section": "Apparence",
  "widget.side": "Côté de la fenêtre",
  "widget.side.auto": "Droite (gauche sur les pages écrites de droite à gauche)",
  "widget.side.left": "Gauche",
  "widget.side.right": "Droite",
  "widget.launcher": "Mots sur le bouton",
  "widget.launcher.text": "À côté de son image, par exemple « Une question ? ». Sans mots, le bouton est rond.",
  "widget.launcher.invalid": "Une ligne de {most} caractères au plus.",
  "widget.radius": "Angles",
  "widget.radius.0": "Droits",
  "widget.radius.8": "Légèrement arrondis",
  "widget.radius.18": "Arrondis",
  "widget.radius.24": "Très arrondis",
  "widget.radius.own": "{pixels} pixels",
  "widget.font": "Police",
  "widget.font.system": "Celle du système du visiteur",
  "widget.font.humanist": "Humaniste",
  "widget.font.rounded": "Arrondie",
  "widget.font.serif": "Avec empattements",
  "widget.font.mono": "Machine à écrire",
  "widget.font.text": "Les visiteurs voient une police de leur appareil : aucune n’est chargée.",
  "widget.scheme": "Clair ou sombre",
  "widget.scheme.auto": "Comme le système du visiteur",
  "widget.scheme.light": "Toujours clair",
  "widget.scheme.dark": "Toujours sombre",
  "widget.preview": "Aperçu",
  "widget.preview.text":
    "Le widget avec les réglages de ce formulaire, enregistrés ou non. Ses réponses sont des exemples : rien n’est facturé ni conservé.",
  "widget.preview.real": "Essayer le bot enregistré dans un onglet à part ; ce que vous y demandez coûte des crédits.",
  "widget.preview.frame": "Aperçu du chat",
  "widget.preview.language": "Langue de l’aperçu",
  "widget.preview.off": "Le bot est désactivé : les visiteurs ne voient rien.",
  "widget.install": "Installer",
  "widget.snippet": "L’ajouter à votre site",
  "widget.snippet.platform": "Ce avec quoi votre site est fait",
  "widget.snippet.html": "Collez cette ligne dans vos pages, avant la fin du corps (body).",
  "widget.snippet.wordpress":
    "Collez ceci à la fin du fichier functions.php de votre thème enfant, ou comme extrait PHP d’une extension telle que WPCode.",
  "widget.snippet.shopify":
    "Dans « Boutique en ligne », « Thèmes », « Modifier le code », ouvrez layout/theme.liquid et collez cette ligne avant </body>.",
  "widget.snippet.webflow":
    "Dans les paramètres du site, sous « Custom code », collez cette ligne dans « Footer code », enregistrez, puis publiez le site.",
  "widget.snippet.react":
    "Installez le paquet avec « npm install @parley/widget », puis affichez ce composant une fois, par exemple dans votre mise en page.",
  "widget.snippet.name.html": "HTML",
  "widget.snippet.name.wordpress": "WordPress",
  "widget.snippet.name.shopify": "Shopify",
  "widget.snippet.name.webflow": "Webflow",
  "widget.snippet.name.react": "React",
  "widget.sites": "Sites qui le chargent",
  "widget.sites.text": "Parley ne note que le site, au plus une fois par heure, et rien de ses visiteurs.",
  "widget.sites.loaded": "{site} a chargé le widget {ago}.",
  "widget.sites.refused":
    "{site} a essayé de charger le widget {ago}, mais ne fait pas partie des sites autorisés. Ses visiteurs ne voient rien.",
  "widget.sites.silent": "Aucune page de {site} n’a encore chargé le widget.",
  "widget.sites.none":
    "Aucun site n’a encore chargé le widget. Ouvrez une page qui contient la ligne ci-dessus, puis revenez ici.",
  "widget.transcript": "Enregistrer en texte",
  "widget.transcript.failed": "L’enregistrement a échoué. Réessayer",
  "widget.transcript.person": "Une personne"
}
