import type { Message } from "../format.ts"

/** Texts of projects. */
export const projects = {
  "projects.lead": "Chats about one subject, with the documents and instructions that they share.",
  "projects.new": "New project",
  "projects.name": "Name",
  "projects.create": "Create",
  "projects.none": "You have no projects yet.",
  "projects.none.text":
    "Each reply in a project reads its documents and follows its instructions, so that you need not attach them to every chat.",
  "projects.documents": { one: "{count} document", other: "{count} documents" },
  "projects.project": "Project:",
  "projects.back": "All projects",
  "projects.chat": "New chat in this project",
  "projects.menu": "Options of the project {name}",
  "projects.chats": "Chats in this project",
  "projects.chats.none": "There are no chats in this project yet.",
  "projects.settings": "What each reply reads",
  "projects.instructions": "Instructions",
  "projects.instructions.text":
    "Replies in this project follow them, after your own instructions in Settings. They count as input.",
  "projects.documents.title": "Documents",
  "projects.documents.text": "Each reply in this project may read them.",
  "projects.documents.upload": "Upload your first document",
  "projects.save": "Save",
  "projects.saved": "Saved.",
  "projects.delete": "Delete the project",
  "projects.delete.title": "Delete this project?",
  "projects.delete.text": "“{name}” is deleted. Its chats and documents stay.",
  "projects.gone": "There is no such project; it may have been deleted.",
  "projects.move.title": "Move the chat",
  "projects.move.to": "Project",
  "projects.move.none": "No project",
  "projects.move.action": "Move"
} as const satisfies Record<string, Message>
