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
  "widget.scheme.dark": "Toujours sombre"
}
