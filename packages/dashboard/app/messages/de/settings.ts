import type { MessagesLike } from "../catalogue.ts"
import type { settings as english } from "../en/settings.ts"

export const settings: MessagesLike<typeof english> = {
  "settings.appearance": "Darstellung",
  "settings.theme": "Farben",
  "settings.language": "Sprache",
  "settings.account": "Konto",
  "settings.signedInAs": "Angemeldet als",
  "settings.plan": "Tarif",
  "settings.planCredits": { one: "{count} Credit im Monat", other: "{count} Credits im Monat" },
  "settings.planDocuments": {
    one: "bis zu {count} Dokument, zusammen {size}",
    other: "bis zu {count} Dokumente, zusammen {size}"
  },
  "settings.data": "Ihre Daten",
  "settings.export":
    "Eine Kopie von allem, was über Sie gespeichert ist, als Zeilen aus JSON. Dateien gibt es auf der Seite der Dokumente.",
  "settings.export.action": "Herunterladen",
  "settings.delete": "Löscht Ihr Konto und alles, was dazu gehört, für immer.",
  "settings.delete.action": "Konto löschen",
  "settings.delete.title": "Ihr Konto löschen?",
  "settings.delete.text":
    "Ihre Chats, Dokumente und Bots und die übrigen Credits werden gelöscht. Ein bezahlter Tarif endet jetzt, ohne Rückzahlung. Das lässt sich nicht rückgängig machen.",
  "settings.signInAgain": "Neu anmelden",
  "settings.costs": "Was Credits kostet",
  "settings.costs.text":
    "Eine Antwort kostet, was ihr Modell liest und schreibt; Dokumente kosten nichts. Eine Antwort geht weiter und kostet weiter, wenn Sie die Seite schließen oder die Verbindung verlieren: Sie ist da, wenn Sie zurückkommen. „Anhalten“ beendet sie und was sie kostet."
}
