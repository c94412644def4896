import type { MessagesLike } from "../catalogue.ts"
import type { crm as english } from "../en/crm.ts"

export const crm: MessagesLike<typeof english> = {
  "crm.title": "CRM",
  "crm.text": "Dê a este bot acesso à sua conta. Você autoriza na página do fornecedor e retira o acesso aqui.",
  "crm.state.none": "Não conectado",
  "crm.state.connected": "Conectado",
  "crm.state.needs_reconnect": "Precisa ser conectado de novo",
  "crm.state.error": "Não funciona no momento",
  "crm.since": "desde {day}, por {who}",
  "crm.connect": "Conectar",
  "crm.connectNamed": "Conectar {name}",
  "crm.reconnect": "Conectar de novo",
  "crm.reconnectNamed": "Conectar de novo {name}",
  "crm.disconnect": "Desconectar",
  "crm.disconnectNamed": "Desconectar {name}",
  "crm.disconnect.title": "Desconectar {name}?",
  "crm.disconnect.text": "O bot não terá mais acesso à sua conta em {name}. Você pode conectá-lo de novo.",
  "crm.disconnected": "{name} foi desconectado.",
  "crm.disconnected.pending":
    "{name} foi desconectado. O fornecedor não respondeu; ele será avisado mais tarde de que o acesso terminou.",
  "crm.disconnected.unsupported":
    "{name} foi desconectado. Para encerrar o acesso também lá, use suas configurações em {name}.",
  "crm.disconnected.failed":
    "{name} foi desconectado, mas não foi possível avisar o fornecedor. Encerre o acesso nas suas configurações em {name}.",
  "crm.unavailable": "Não é possível conectar agora: este servidor não está configurado para isso.",
  "crm.problem.expired": "O acesso terminou.",
  "crm.problem.refused": "{name} não permite mais o acesso.",
  "crm.problem.answer_lost": "O acesso foi renovado, mas a resposta se perdeu no caminho.",
  "crm.problem.client": "O fornecedor não aceita este servidor. Avise quem o administra.",
  "crm.problem.unavailable": "O fornecedor não responde no momento. Novas tentativas são feitas automaticamente.",
  "crm.problem.unreadable":
    "Este servidor não consegue ler o acesso que guardou. Avise quem o administra ou conecte de novo.",
  "crm.return.connected": "{name} está conectado.",
  "crm.return.denied": "Nada foi conectado: o acesso não foi permitido.",
  "crm.return.state":
    "Nada foi conectado: o que voltou chegou tarde demais, já tinha sido usado ou foi iniciado em outro lugar. Conecte de novo a partir daqui.",
  "crm.return.exchange": "Nada foi conectado: o fornecedor não concluiu a conexão. Tente novamente em instantes.",
  "crm.return.bot": "Nada foi conectado: o bot foi excluído nesse meio-tempo."
}
