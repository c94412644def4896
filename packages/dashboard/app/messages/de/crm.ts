import type { MessagesLike } from "../catalogue.ts"
import type { crm as english } from "../en/crm.ts"

export const crm: MessagesLike<typeof english> = {
  "crm.title": "CRM",
  "crm.text":
    "Geben Sie diesem Bot Zugang zu Ihrem Konto. Sie erlauben ihn auf der Seite des Anbieters und nehmen ihn hier zurück.",
  "crm.state.none": "Nicht verbunden",
  "crm.state.connected": "Verbunden",
  "crm.state.needs_reconnect": "Muss neu verbunden werden",
  "crm.state.error": "Geht gerade nicht",
  "crm.since": "seit {day}, von {who}",
  "crm.connect": "Verbinden",
  "crm.connectNamed": "{name} verbinden",
  "crm.reconnect": "Neu verbinden",
  "crm.reconnectNamed": "{name} neu verbinden",
  "crm.disconnect": "Trennen",
  "crm.disconnectNamed": "{name} trennen",
  "crm.disconnect.title": "{name} trennen?",
  "crm.disconnect.text": "Der Bot hat dann keinen Zugang mehr zu Ihrem Konto bei {name}. Sie können ihn neu verbinden.",
  "crm.disconnected": "{name} ist getrennt.",
  "crm.disconnected.pending":
    "{name} ist getrennt. Der Anbieter hat nicht geantwortet; er erfährt später, dass der Zugang beendet ist.",
  "crm.disconnected.unsupported":
    "{name} ist getrennt. Um den Zugang auch dort zu beenden, verwenden Sie Ihre Einstellungen bei {name}.",
  "crm.disconnected.failed":
    "{name} ist getrennt, aber der Anbieter hat es nicht erfahren. Beenden Sie den Zugang in Ihren Einstellungen bei {name}.",
  "crm.unavailable": "Es lässt sich jetzt nicht verbinden: Dieser Server ist dafür nicht eingerichtet.",
  "crm.problem.expired": "Der Zugang ist abgelaufen.",
  "crm.problem.refused": "{name} erlaubt den Zugang nicht mehr.",
  "crm.problem.answer_lost": "Der Zugang wurde erneuert, aber die Antwort ging unterwegs verloren.",
  "crm.problem.client": "Der Anbieter nimmt diesen Server nicht an. Sagen Sie es dessen Betreiber.",
  "crm.problem.unavailable": "Der Anbieter antwortet gerade nicht. Es wird von selbst wieder versucht.",
  "crm.problem.unreadable":
    "Dieser Server kann den verwahrten Zugang nicht lesen. Sagen Sie es dessen Betreiber oder verbinden Sie neu.",
  "crm.return.connected": "{name} ist verbunden.",
  "crm.return.denied": "Nichts wurde verbunden: Der Zugang wurde nicht erlaubt.",
  "crm.return.state":
    "Nichts wurde verbunden: Was zurückkam, war zu spät, schon benutzt oder woanders begonnen. Verbinden Sie noch einmal von hier aus.",
  "crm.return.exchange":
    "Nichts wurde verbunden: Der Anbieter hat es nicht zu Ende gebracht. Versuchen Sie es gleich noch einmal.",
  "crm.return.bot": "Nichts wurde verbunden: Der Bot wurde inzwischen gelöscht."
}
