import type { MessagesLike } from "../catalogue.ts"
import type { keys as english } from "../en/keys.ts"

export const keys: MessagesLike<typeof english> = {
  "keys.field": "Procurar conversas e páginas",
  "keys.results": "Conversas e páginas encontradas",
  "keys.none": "Nada foi encontrado.",
  "keys.title": "Atalhos de teclado",
  "keys.search": "Procurar conversas e páginas",
  "keys.newChat": "Começar uma nova conversa",
  "keys.focus": "Ir para o campo da sua mensagem",
  "keys.shortcuts": "Mostrar os atalhos",
  "keys.send": "Enviar a mensagem",
  "keys.line": "Começar uma nova linha na mensagem",
  "keys.stop": "Parar a resposta",
  "keys.single": "Atalhos de uma única tecla"
}
