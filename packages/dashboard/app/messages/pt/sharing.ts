import type { MessagesLike } from "../catalogue.ts"
import type { sharing as english } from "../en/sharing.ts"

export const sharing: MessagesLike<typeof english> = {
  "rating.good": "Boa resposta",
  "rating.bad": "Resposta ruim",
  "rating.title": "O que estava errado?",
  "rating.comment": "Seu comentário",
  "rating.text": "O operador deste servidor pode ler seu comentário e o identificador da resposta, mas não a conversa.",
  "rating.send": "Enviar",
  "rating.skip": "Pular",
  "share.title": "Compartilhar esta conversa",
  "share.text":
    "Qualquer pessoa com o link pode ler esta conversa como ela está agora. As mensagens posteriores e os textos dos seus documentos não são compartilhados; os nomes dos documentos citados, sim.",
  "share.create": "Criar um link",
  "share.link": "Link para esta conversa",
  "share.copy": "Copiar o link",
  "share.copied": "Copiado",
  "share.shared": "Compartilhada em {date}, até a mensagem que era então a última.",
  "share.renew": "Compartilhar como está agora",
  "share.renewed": "O link mostra a conversa como ela está agora.",
  "share.end": "Encerrar o link",
  "shared.title": "Conversa compartilhada",
  "shared.note": "Esta conversa foi compartilhada em {date}. Ela pode ser lida, mas não continuada.",
  "shared.own": "Começar sua própria conversa",
  "shared.gone": "Este link não leva a lugar nenhum: a conversa não é mais compartilhada ou foi excluída.",
  "shared.source": "{number}: {name}",
  "shared.sourcePage": "{number}: {name}, página {page}",
  "preferences.title": "Respostas",
  "preferences.model": "O modelo das novas conversas",
  "preferences.model.firstOfPlan": "O primeiro do seu plano",
  "preferences.instructions": "Instruções para cada resposta",
  "preferences.instructions.text":
    "Por exemplo, como você prefere ser tratado ou o tamanho das respostas. Elas contam como parte de cada pergunta.",
  "preferences.save": "Salvar",
  "preferences.saved": "Salvo."
}
