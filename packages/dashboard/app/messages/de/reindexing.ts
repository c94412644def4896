import type { MessagesLike } from "../catalogue.ts"
import type { reindexing as english } from "../en/reindexing.ts"

export const reindexing: MessagesLike<typeof english> = {
  "documents.reindex": "Dokumente mit älterem Index",
  "documents.reindex.outdated": {
    one: "{count} von {total} Dokumenten hat einen älteren Index.",
    other: "{count} von {total} Dokumenten haben einen älteren Index."
  },
  "documents.reindex.text":
    "Seitdem hat sich geändert, wie Dokumente gelesen oder durchsucht werden. Sie werden wie bisher gefunden, manche nur nach ihren Wörtern. Das Neuindizieren kostet keine Credits.",
  "documents.reindex.start": "Neu indizieren",
  "documents.reindex.waiting": "Das Neuindizieren beginnt gleich.",
  "documents.reindex.running": {
    one: "Wird neu indiziert: {count} von {total} Dokumenten fehlt noch.",
    other: "Wird neu indiziert: {count} von {total} Dokumenten fehlen noch."
  },
  "documents.reindex.meanwhile":
    "Alle Dokumente können währenddessen durchsucht werden, und Sie können die Seite verlassen.",
  "documents.reindex.progress": "Fortschritt des Neuindizierens",
  "documents.reindex.stopped": "Es brach vor dem Ende ab, weil bei uns etwas ausfiel. Was fertig ist, bleibt fertig.",
  "documents.reindex.continue": "Fortsetzen",
  "documents.reindex.failed": {
    one: "{count} Dokument konnte nicht neu indiziert werden. Es wird wie bisher gefunden.",
    other: "{count} Dokumente konnten nicht neu indiziert werden. Sie werden wie bisher gefunden."
  },
  "documents.reindex.done": "Alle Dokumente haben den heutigen Index."
}
