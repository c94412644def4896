import type { MessagesLike } from "../catalogue.ts"
import type { reindexing as english } from "../en/reindexing.ts"

export const reindexing: MessagesLike<typeof english> = {
  "documents.reindex": "Documentos em um índice antigo",
  "documents.reindex.outdated": {
    one: "{count} dos seus {total} documentos está em um índice antigo.",
    other: "{count} dos seus {total} documentos estão em um índice antigo."
  },
  "documents.reindex.text":
    "A forma de ler os documentos ou de pesquisar neles mudou desde então. Eles são encontrados como antes, alguns somente pelas palavras. Reindexá-los não custa créditos.",
  "documents.reindex.start": "Reindexar",
  "documents.reindex.waiting": "A reindexação começa em instantes.",
  "documents.reindex.running": {
    one: "Reindexação em andamento: falta {count} documento de {total}.",
    other: "Reindexação em andamento: faltam {count} documentos de {total}."
  },
  "documents.reindex.meanwhile":
    "Todos os documentos podem ser pesquisados enquanto isso, e você pode sair desta página.",
  "documents.reindex.progress": "Progresso da reindexação",
  "documents.reindex.stopped":
    "Parou antes do fim, porque ocorreu um erro do nosso lado. O que está feito continua feito.",
  "documents.reindex.continue": "Continuar",
  "documents.reindex.failed": {
    one: "{count} documento não pôde ser reindexado. Ele é encontrado como antes.",
    other: "{count} documentos não puderam ser reindexados. Eles são encontrados como antes."
  },
  "documents.reindex.done": "Todos os documentos estão no índice atual."
}
