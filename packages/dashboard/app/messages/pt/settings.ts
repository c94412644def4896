import type { MessagesLike } from "../catalogue.ts"
import type { settings as english } from "../en/settings.ts"

export const settings: MessagesLike<typeof english> = {
  "settings.appearance": "Aparência",
  "settings.theme": "Cores",
  "settings.language": "Idioma",
  "settings.account": "Conta",
  "settings.signedInAs": "Conectado como",
  "settings.plan": "Plano",
  "settings.planCredits": { one: "{count} crédito por mês", other: "{count} créditos por mês" },
  "settings.planDocuments": {
    one: "até {count} documento, {size} no total",
    other: "até {count} documentos, {size} no total"
  },
  "settings.data": "Seus dados",
  "settings.export":
    "Uma cópia de tudo o que está armazenado sobre você, em linhas de JSON. Os arquivos estão na página de documentos.",
  "settings.export.action": "Baixar",
  "settings.delete": "Exclui sua conta e tudo o que pertence a ela, para sempre.",
  "settings.delete.action": "Excluir a conta",
  "settings.delete.title": "Excluir sua conta?",
  "settings.delete.text":
    "Suas conversas, seus documentos e bots, e os créditos restantes, deixarão de existir. Um plano pago termina agora, sem devolução. Não é possível desfazer.",
  "settings.signInAgain": "Entrar novamente",
  "settings.costs": "O que custa créditos",
  "settings.costs.text":
    "Uma resposta custa o que seu modelo lê e escreve; os documentos não custam nada. Uma resposta continua, e continua custando, se você fechar a página ou perder a conexão: ela estará lá quando você voltar. “Parar” encerra a resposta e o custo dela."
}
