import type { MessagesLike } from "../catalogue.ts"
import type { keys as english } from "../en/keys.ts"

export const keys: MessagesLike<typeof english> = {
  "keys.field": "Chats und Seiten suchen",
  "keys.results": "Gefundene Chats und Seiten",
  "keys.none": "Nichts gefunden.",
  "keys.title": "Tastenkürzel",
  "keys.search": "Chats und Seiten suchen",
  "keys.newChat": "Neuen Chat beginnen",
  "keys.focus": "Zum Feld für die Nachricht gehen",
  "keys.shortcuts": "Die Tastenkürzel zeigen",
  "keys.send": "Die Nachricht senden",
  "keys.line": "Neue Zeile in der Nachricht",
  "keys.stop": "Die Antwort anhalten",
  "keys.single": "Tastenkürzel mit einer einzelnen Taste"
}
