import type { MessagesLike } from "../catalogue.ts"
import type { projects as english } from "./en.ts"

export const projects: MessagesLike<typeof english> = {
  "projects.lead": "Chats sobre un mismo tema, con los documentos y las instrucciones que comparten.",
  "projects.new": "Nuevo proyecto",
  "projects.name": "Nombre",
  "projects.create": "Crear",
  "projects.none": "Todavía no tiene proyectos.",
  "projects.none.text":
    "Cada respuesta de un proyecto lee sus documentos y sigue sus instrucciones, sin que tenga que adjuntarlos a cada chat.",
  "projects.documents": { one: "{count} documento", other: "{count} documentos" },
  "projects.project": "Proyecto:",
  "projects.back": "Todos los proyectos",
  "projects.chat": "Nuevo chat en este proyecto",
  "projects.menu": "Opciones del proyecto {name}",
  "projects.chats": "Chats de este proyecto",
  "projects.chats.none": "Todavía no hay chats en este proyecto.",
  "projects.settings": "Lo que lee cada respuesta",
  "projects.instructions": "Instrucciones",
  "projects.instructions.text":
    "Las respuestas de este proyecto las siguen, después de sus propias instrucciones en la configuración. Cuentan como entrada.",
  "projects.documents.title": "Documentos",
  "projects.documents.text": "Cada respuesta de este proyecto puede leerlos.",
  "projects.documents.upload": "Suba su primer documento",
  "projects.save": "Guardar",
  "projects.saved": "Guardado.",
  "projects.delete": "Eliminar el proyecto",
  "projects.delete.title": "¿Eliminar este proyecto?",
  "projects.delete.text": "«{name}» se elimina. Sus chats y documentos se conservan.",
  "projects.gone": "Este proyecto no existe; quizá se haya eliminado.",
  "projects.move.title": "Mover el chat",
  "projects.move.to": "Proyecto",
  "projects.move.none": "Ningún proyecto",
  "projects.move.action": "Mover"
}
