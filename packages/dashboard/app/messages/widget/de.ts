import type { MessagesLike } from "../catalogue.ts"
import type { widget as english } from "./en.ts"

export const widget: MessagesLike<typeof english> = {
  "widget.section": "Aussehen",
  "widget.side": "Seite des Fensters",
  "widget.side.auto": "Rechts (links auf Seiten, die von rechts nach links laufen)",
  "widget.side.left": "Links",
  "widget.side.right": "Rechts",
  "widget.launcher": "Wörter auf dem Knopf",
  "widget.launcher.text": "Neben seinem Bild, etwa „Frag uns“. Bleibt es leer, ist der Knopf rund.",
  "widget.launcher.invalid": "Eine Zeile mit höchstens {most} Zeichen.",
  "widget.radius": "Ecken",
  "widget.radius.0": "Eckig",
  "widget.radius.8": "Leicht gerundet",
  "widget.radius.18": "Gerundet",
  "widget.radius.24": "Stark gerundet",
  "widget.radius.own": "{pixels} Pixel",
  "widget.font": "Schrift",
  "widget.font.system": "Wie das System des Besuchers",
  "widget.font.humanist": "Humanistisch",
  "widget.font.rounded": "Gerundet",
  "widget.font.serif": "Mit Serifen",
  "widget.font.mono": "Schreibmaschine",
  "widget.font.text": "Besucher sehen eine Schrift, die ihr Gerät hat: Es wird keine geladen.",
  "widget.scheme": "Hell oder dunkel",
  "widget.scheme.auto": "Wie das System des Besuchers",
  "widget.scheme.light": "Immer hell",
  "widget.scheme.dark": "Immer dunkel",
  "widget.cards": "Karten",
  "widget.cards.text": "Unter der Begrüßung, bis der Besucher schreibt; höchstens {most}.",
  "widget.cards.one": "Karte {number}",
  "widget.cards.title": "Titel",
  "widget.cards.words": "Text (optional)",
  "widget.cards.kind": "Beim Anklicken",
  "widget.cards.kind.link": "Öffnet eine Seite in einem neuen Tab",
  "widget.cards.kind.question": "Stellt eine Frage",
  "widget.cards.link": "Adresse der Seite",
  "widget.cards.question": "Frage",
  "widget.cards.add": "Karte hinzufügen",
  "widget.cards.remove": "Karte {number} entfernen",
  "widget.cards.invalid":
    "Jede braucht einen Titel in einer Zeile und eine Frage oder eine Adresse, die mit https:// oder http:// beginnt.",
  "widget.uploads": "Besucher können Dateien anhängen",
  "widget.uploads.text":
    "Bis zu 5 Dateien mit je 5 MB an eine Unterhaltung, die sie allein liest. Sie zählen zu Ihren Dokumenten und werden mit der Unterhaltung gelöscht.",
  "widget.files": "Dateien des Besuchers",
  "widget.files.processing": "wird gelesen",
  "widget.files.failed": "nicht lesbar",
  "widget.preview": "Vorschau",
  "widget.preview.text":
    "Das Widget mit den Einstellungen dieses Formulars, gespeichert oder nicht. Die Antworten sind Beispiele: Nichts wird berechnet oder gespeichert.",
  "widget.preview.real":
    "Den gespeicherten Bot in einem eigenen Tab ausprobieren; was Sie dort fragen, kostet Credits.",
  "widget.preview.frame": "Vorschau des Chats",
  "widget.preview.language": "Sprache der Vorschau",
  "widget.preview.off": "Der Bot ist abgeschaltet: Besucher sehen nichts.",
  "widget.install": "Einbauen",
  "widget.snippet": "Auf Ihre Seite bringen",
  "widget.snippet.platform": "Womit Ihre Seite gemacht ist",
  "widget.snippet.html": "Fügen Sie diese Zeile in Ihre Seiten ein, vor dem Ende des body.",
  "widget.snippet.wordpress":
    "Fügen Sie das am Ende der Datei functions.php Ihres Child-Themes ein, oder als PHP-Snippet eines Plugins wie WPCode.",
  "widget.snippet.shopify":
    "Öffnen Sie unter „Onlineshop“, „Themes“, „Code bearbeiten“ die Datei layout/theme.liquid und fügen Sie diese Zeile vor </body> ein.",
  "widget.snippet.webflow":
    "Fügen Sie diese Zeile in den Einstellungen der Site unter „Custom code“ bei „Footer code“ ein, speichern Sie und veröffentlichen Sie die Site.",
  "widget.snippet.react":
    "Installieren Sie das Paket mit „npm install @parley/widget“ und zeichnen Sie diese Komponente einmal, etwa in Ihrem Layout.",
  "widget.snippet.name.html": "HTML",
  "widget.snippet.name.wordpress": "WordPress",
  "widget.snippet.name.shopify": "Shopify",
  "widget.snippet.name.webflow": "Webflow",
  "widget.snippet.name.react": "React",
  "widget.sites": "Seiten, die ihn laden",
  "widget.sites.text":
    "Parley merkt sich nur die Seite, höchstens einmal in der Stunde, und nichts von ihren Besuchern.",
  "widget.sites.loaded": "{site} hat das Widget {ago} geladen.",
  "widget.sites.refused":
    "{site} wollte das Widget {ago} laden, gehört aber nicht zu den erlaubten Seiten. Besucher sehen dort nichts.",
  "widget.sites.silent": "Noch keine Seite von {site} hat das Widget geladen.",
  "widget.sites.none":
    "Noch keine Seite hat das Widget geladen. Öffnen Sie eine Seite mit der Zeile oben und kommen Sie dann zurück.",
  "widget.transcript": "Als Text speichern",
  "widget.transcript.failed": "Es ließ sich nicht speichern. Noch einmal",
  "widget.transcript.person": "Ein Mensch"
}
