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
  "widget.scheme.dark": "Immer dunkel"
}
