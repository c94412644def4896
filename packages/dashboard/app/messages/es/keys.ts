import type { MessagesLike } from "../catalogue.ts"
import type { keys as english } from "../en/keys.ts"

export const keys: MessagesLike<typeof english> = {
  "keys.field": "Buscar chats y páginas",
  "keys.results": "Chats y páginas encontrados",
  "keys.none": "No se encontró nada.",
  "keys.title": "Atajos de teclado",
  "keys.search": "Buscar chats y páginas",
  "keys.newChat": "Empezar un chat nuevo",
  "keys.focus": "Ir al campo de su mensaje",
  "keys.shortcuts": "Mostrar los atajos",
  "keys.send": "Enviar el mensaje",
  "keys.line": "Empezar una línea nueva en el mensaje",
  "keys.stop": "Detener la respuesta",
  "keys.single": "Atajos de una sola tecla"
}
