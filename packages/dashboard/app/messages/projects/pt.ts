import type { MessagesLike } from "../catalogue.ts"
import type { projects as english } from "./en.ts"

export const projects: MessagesLike<typeof english> = {
  "projects.lead": "Conversas sobre um mesmo assunto, com os documentos e as instruções que partilham.",
  "projects.new": "Novo projeto",
  "projects.name": "Nome",
  "projects.create": "Criar",
  "projects.none": "Ainda não tem projetos.",
  "projects.none.text":
    "Cada resposta de um projeto lê os seus documentos e segue as suas instruções, sem que tenha de os anexar a cada conversa.",
  "projects.documents": { one: "{count} documento", other: "{count} documentos" },
  "projects.project": "Projeto:",
  "projects.back": "Todos os projetos",
  "projects.chat": "Nova conversa neste projeto",
  "projects.menu": "Opções do projeto {name}",
  "projects.chats": "Conversas deste projeto",
  "projects.chats.none": "Ainda não há conversas neste projeto.",
  "projects.settings": "O que cada resposta lê",
  "projects.instructions": "Instruções",
  "projects.instructions.text":
    "As respostas deste projeto seguem-nas, depois das suas próprias instruções nas configurações. Contam como entrada.",
  "projects.documents.title": "Documentos",
  "projects.documents.text": "Cada resposta deste projeto pode lê-los.",
  "projects.documents.upload": "Envie o seu primeiro documento",
  "projects.save": "Guardar",
  "projects.saved": "Guardado.",
  "projects.delete": "Eliminar o projeto",
  "projects.delete.title": "Eliminar este projeto?",
  "projects.delete.text": "“{name}” é eliminado. As suas conversas e documentos ficam.",
  "projects.gone": "Este projeto não existe; talvez tenha sido eliminado.",
  "projects.move.title": "Mover a conversa",
  "projects.move.to": "Projeto",
  "projects.move.none": "Nenhum projeto",
  "projects.move.action": "Mover"
}
