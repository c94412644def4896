import type { MessagesLike } from "../catalogue.ts"
import type { problems as english } from "../en/problems.ts"

export const problems: MessagesLike<typeof english> = {
  "problem.unreachable": "Não foi possível acessar o servidor. Verifique sua conexão e tente novamente.",
  "problem.unexpected": "Algo deu errado nesta página. Recarregue-a e tente novamente.",
  "problem.request": "Se acontecer de novo, informe o número {requestId}.",
  "problem.unauthorized": "Você não está conectado.",
  "problem.blocked": "Seu acesso foi bloqueado. Entre em contato com o operador deste serviço.",
  "problem.fresh_sign_in_required":
    "Você entrou há algum tempo. Entre de novo para confirmar sua identidade e volte aqui.",
  "problem.holds_open":
    "Uma resposta ainda está sendo escrita, para você ou por um dos seus bots. Pare-a ou desative os bots e tente novamente.",
  "problem.erasure_limited":
    "Você excluiu uma conta nos últimos 30 dias. Peça ao operador deste serviço que exclua esta.",
  "problem.insufficient_credits": {
    one: "Isto custaria mais do que você tem: {count} crédito está disponível.",
    other: "Isto custaria mais do que você tem: {count} créditos estão disponíveis."
  },
  "problem.insufficient_credits.next": "Seus próximos créditos mensais chegam em {day}.",
  "problem.insufficient_credits.models": "O que você tem ainda é suficiente para {models}.",
  "problem.model_not_allowed": "Seu plano não inclui este modelo. Escolha outro.",
  "problem.document_forbidden": "Um dos documentos pertence a outra pessoa.",
  "problem.document_quota": "Seu plano não tem espaço para mais documentos. Exclua os que não forem mais necessários.",
  "problem.scanner_unavailable":
    "No momento não é possível verificar se este arquivo contém software malicioso, e ele não foi armazenado. Tente novamente em instantes.",
  "problem.storage_quota": "Seu plano não tem espaço para mais conversas. Exclua as que não forem mais necessárias.",
  "problem.not_found": "Não há nada aqui.",
  "problem.chat_not_found": "Essa conversa não existe. Talvez tenha sido excluída.",
  "problem.document_not_found": "Esse documento não existe. Talvez tenha sido excluído.",
  "problem.head_too_large": "Seu navegador envia cookies demais a este site. Exclua-os e tente novamente.",
  "problem.payload_too_large": "É grande demais para ser enviado.",
  "problem.prompt_too_long": "Sua mensagem é longa demais para este modelo. Encurte-a ou escolha outro modelo.",
  "problem.invalid_chat_request": "Esta mensagem não pode ser enviada. Está vazia ou é muito longa?",
  "problem.request_in_progress": "Esta pergunta já está sendo respondida.",
  "problem.too_many_abandoned_tries": "Respostas demais foram paradas antes da primeira palavra. Espere um minuto.",
  "problem.too_many_replies":
    "O número máximo de respostas simultâneas do seu plano foi atingido. Espere até que uma termine.",
  "problem.daily_cap_reached": "O limite de créditos de hoje foi atingido.",
  "problem.too_many_requests": "Solicitações demais de uma vez. Tente novamente em instantes.",
  "problem.server_busy": "O servidor está ocupado. Tente novamente em instantes.",
  "problem.provider_rate_limited":
    "O modelo não aceita mais perguntas no momento. Tente novamente em instantes ou escolha outro modelo.",
  "problem.provider_unavailable":
    "O modelo não responde no momento. Tente novamente em instantes ou escolha outro modelo.",
  "problem.model_failed": "O modelo não respondeu. Nada foi cobrado. Tente novamente ou escolha outro modelo.",
  "problem.model_unavailable": "Este modelo não está configurado neste servidor. Escolha outro.",
  "problem.model_misconfigured": "Este modelo não está bem configurado neste servidor. Escolha outro.",
  "problem.invalid_bot": "Algumas configurações não são válidas. Elas estão marcadas acima.",
  "problem.bot_not_found": "Esse bot não existe. Talvez tenha sido excluído.",
  "problem.conversation_not_found": "Essa conversa não existe. Talvez tenha sido excluída.",
  "problem.bot_key_not_found": "O bot não tem essa chave. Talvez tenha sido retirada.",
  "problem.last_bot_key": "Esta é a única chave do bot. Adicione outra antes ou desative o bot.",
  "problem.too_many_bot_keys": "O bot atingiu o número máximo de chaves. Retire uma que nenhuma página use mais.",
  "problem.too_many_bots": "Você atingiu o número máximo de bots. Exclua um que não seja mais necessário.",
  "problem.bot_misconfigured": "As configurações deste bot estão danificadas. Salve-as de novo.",
  "problem.payments_not_configured": "Nada é vendido neste servidor: os pagamentos não estão configurados aqui.",
  "problem.payment_provider_unavailable":
    "O provedor de pagamento não responde no momento. Nada foi cobrado. Tente novamente em instantes.",
  "problem.payment_provider_refused":
    "O provedor de pagamento não está bem configurado neste servidor. Nada foi cobrado. Avise quem o administra.",
  "problem.price_not_offered": "Isto não está mais à venda. Recarregue a página e escolha de novo.",
  "problem.already_subscribed": "Você já tem um plano. Mude-o na página do provedor de pagamento.",
  "problem.storage_unavailable": "Ocorreu um erro do nosso lado. Tente novamente em instantes.",
  "problem.internal_error": "Ocorreu um erro do nosso lado. Tente novamente em instantes.",
  "problem.identity_unavailable": "Não é possível entrar no momento. Tente novamente em breve."
}
