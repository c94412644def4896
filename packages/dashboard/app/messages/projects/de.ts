import type { MessagesLike } from "../catalogue.ts"
import type { projects as english } from "./en.ts"

export const projects: MessagesLike<typeof english> = {
  "projects.lead": "Chats zu einem Thema, mit Dokumenten und Anweisungen, die für alle gelten.",
  "projects.new": "Neues Projekt",
  "projects.name": "Name",
  "projects.create": "Anlegen",
  "projects.none": "Sie haben noch keine Projekte.",
  "projects.none.text":
    "Jede Antwort in einem Projekt liest dessen Dokumente und folgt dessen Anweisungen, sodass Sie sie nicht jedem Chat anfügen müssen.",
  "projects.documents": { one: "{count} Dokument", other: "{count} Dokumente" },
  "projects.project": "Projekt:",
  "projects.back": "Alle Projekte",
  "projects.chat": "Neuer Chat in diesem Projekt",
  "projects.menu": "Optionen des Projekts {name}",
  "projects.chats": "Chats in diesem Projekt",
  "projects.chats.none": "In diesem Projekt gibt es noch keine Chats.",
  "projects.settings": "Was jede Antwort liest",
  "projects.instructions": "Anweisungen",
  "projects.instructions.text":
    "Antworten in diesem Projekt folgen ihnen, nach Ihren eigenen Anweisungen in den Einstellungen. Sie zählen als Eingabe.",
  "projects.documents.title": "Dokumente",
  "projects.documents.text": "Jede Antwort in diesem Projekt darf sie lesen.",
  "projects.documents.upload": "Laden Sie Ihr erstes Dokument hoch",
  "projects.save": "Speichern",
  "projects.saved": "Gespeichert.",
  "projects.delete": "Projekt löschen",
  "projects.delete.title": "Dieses Projekt löschen?",
  "projects.delete.text": "„{name}“ wird gelöscht. Chats und Dokumente bleiben.",
  "projects.gone": "Dieses Projekt gibt es nicht; vielleicht wurde es gelöscht.",
  "projects.move.title": "Chat verschieben",
  "projects.move.to": "Projekt",
  "projects.move.none": "Kein Projekt",
  "projects.move.action": "Verschieben"
}
