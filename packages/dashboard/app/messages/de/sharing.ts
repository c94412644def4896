import type { MessagesLike } from "../catalogue.ts"
import type { sharing as english } from "../en/sharing.ts"

/** The German texts of ratings, of shared chats, and of the preferences for replies. */
export const sharing: MessagesLike<typeof english> = {
  "rating.good": "Gute Antwort",
  "rating.bad": "Schlechte Antwort",
  "rating.title": "Was war falsch?",
  "rating.comment": "Ihr Kommentar",
  "rating.text": "Wer diesen Server betreibt, kann Ihren Kommentar und die Kennung der Antwort lesen, nicht den Chat.",
  "rating.send": "Senden",
  "rating.skip": "Überspringen",
  "share.title": "Diesen Chat teilen",
  "share.text":
    "Jeder mit dem Link kann diesen Chat so lesen, wie er jetzt ist. Spätere Nachrichten und die Texte Ihrer Dokumente werden nicht geteilt, die Namen zitierter Dokumente schon.",
  "share.create": "Link erstellen",
  "share.link": "Link zu diesem Chat",
  "share.copy": "Link kopieren",
  "share.copied": "Kopiert",
  "share.shared": "Geteilt am {date}, bis zu der Nachricht, die damals die letzte war.",
  "share.renew": "So teilen, wie er jetzt ist",
  "share.renewed": "Der Link zeigt den Chat, wie er jetzt ist.",
  "share.end": "Link beenden",
  "shared.title": "Geteilter Chat",
  "shared.note": "Dieser Chat wurde am {date} geteilt. Man kann ihn lesen, nicht fortsetzen.",
  "shared.own": "Einen eigenen Chat beginnen",
  "shared.gone": "Dieser Link führt nirgendwohin: Der Chat wird nicht mehr geteilt oder wurde gelöscht.",
  "shared.source": "{number}: {name}",
  "shared.sourcePage": "{number}: {name}, Seite {page}",
  "preferences.title": "Antworten",
  "preferences.model": "Das Modell neuer Chats",
  "preferences.model.firstOfPlan": "Das erste Ihres Tarifs",
  "preferences.instructions": "Anweisungen für jede Antwort",
  "preferences.instructions.text":
    "Zum Beispiel, wie Sie angesprochen werden möchten oder wie lang Antworten sein sollen. Sie zählen als Teil jeder Frage.",
  "preferences.save": "Speichern",
  "preferences.saved": "Gespeichert."
}
