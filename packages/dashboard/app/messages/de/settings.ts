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
  "settings.costs": "Was Credits kostet",
  "settings.costs.text":
    "Eine Antwort kostet, was ihr Modell liest und schreibt; Dokumente kosten nichts. Eine Antwort geht weiter und kostet weiter, wenn Sie die Seite schließen oder die Verbindung verlieren: Sie ist da, wenn Sie zurückkommen. „Anhalten“ beendet sie und was sie kostet."
}
