import type { MessagesLike } from "../catalogue.ts"
import type { problems as english } from "../en/problems.ts"

export const problems: MessagesLike<typeof english> = {
  "problem.unreachable": "No se puede conectar con el servidor. Compruebe su conexión e inténtelo de nuevo.",
  "problem.unexpected": "Algo ha fallado en esta página. Vuelva a cargarla e inténtelo de nuevo.",
  "problem.request": "Si vuelve a ocurrir, comunique el número {requestId}.",
  "problem.unauthorized": "No ha iniciado sesión.",
  "problem.blocked": "Su acceso está bloqueado. Contacte con el operador de este servicio.",
  "problem.fresh_sign_in_required":
    "Inició sesión hace un tiempo. Iníciela de nuevo para confirmar su identidad y vuelva aquí.",
  "problem.holds_open":
    "Aún se está escribiendo una respuesta, para usted o de uno de sus bots. Deténgala o desactive los bots e inténtelo de nuevo.",
  "problem.erasure_limited":
    "Eliminó una cuenta en los últimos 30 días. Pida al operador de este servicio que elimine esta.",
  "problem.insufficient_credits": {
    one: "Esto costaría más de lo que tiene: hay {count} crédito disponible.",
    other: "Esto costaría más de lo que tiene: hay {count} créditos disponibles."
  },
  "problem.insufficient_credits.next": "Sus próximos créditos mensuales llegan el {day}.",
  "problem.insufficient_credits.models": "Lo que tiene aún alcanza para {models}.",
  "problem.model_not_allowed": "Su plan no incluye este modelo. Elija otro.",
  "problem.document_forbidden": "Uno de los documentos pertenece a otra persona.",
  "problem.document_quota": "Su plan no tiene espacio para más documentos. Elimine los que ya no necesite.",
  "problem.scanner_unavailable":
    "Ahora no se puede comprobar si este archivo contiene software malicioso, y no se guardó. Inténtelo de nuevo en un momento.",
  "problem.storage_quota": "Su plan no tiene espacio para más chats. Elimine los que ya no necesite.",
  "problem.not_found": "Aquí no hay nada.",
  "problem.chat_not_found": "Ese chat no existe. Es posible que se haya eliminado.",
  "problem.document_not_found": "Ese documento no existe. Es posible que se haya eliminado.",
  "problem.head_too_large": "Su navegador envía demasiadas cookies a este sitio. Elimínelas e inténtelo de nuevo.",
  "problem.payload_too_large": "Es demasiado grande para enviarse.",
  "problem.prompt_too_long": "Su mensaje es demasiado largo para este modelo. Acórtelo o elija otro modelo.",
  "problem.invalid_chat_request": "Este mensaje no se puede enviar. ¿Está vacío o es muy largo?",
  "problem.request_in_progress": "Esta pregunta ya se está respondiendo.",
  "problem.too_many_abandoned_tries":
    "Se detuvieron demasiadas respuestas antes de su primera palabra. Espere un minuto.",
  "problem.too_many_replies": "Se están escribiendo tantas respuestas como permite su plan. Espere a que termine una.",
  "problem.daily_cap_reached": "Se ha agotado el límite de créditos de hoy.",
  "problem.too_many_requests": "Demasiado a la vez. Inténtelo de nuevo en un momento.",
  "problem.server_busy": "El servidor está ocupado. Inténtelo de nuevo en un momento.",
  "problem.provider_rate_limited":
    "El modelo no acepta más preguntas por ahora. Inténtelo de nuevo en un momento o elija otro modelo.",
  "problem.provider_unavailable":
    "El modelo no responde por ahora. Inténtelo de nuevo en un momento o elija otro modelo.",
  "problem.model_failed": "El modelo no respondió. No se cobró nada. Inténtelo de nuevo o elija otro modelo.",
  "problem.model_unavailable": "Este modelo no está configurado en este servidor. Elija otro.",
  "problem.model_misconfigured": "Este modelo no está bien configurado en este servidor. Elija otro.",
  "problem.invalid_bot": "Algunos ajustes no son válidos. Están marcados arriba.",
  "problem.bot_not_found": "Ese bot no existe. Es posible que se haya eliminado.",
  "problem.conversation_not_found": "Esa conversación no existe. Es posible que se haya eliminado.",
  "problem.bot_key_not_found": "El bot no tiene esa clave. Es posible que se haya retirado.",
  "problem.last_bot_key": "Es la única clave del bot. Añada antes otra o desactive el bot.",
  "problem.too_many_bot_keys": "El bot tiene tantas claves como puede tener. Retire una que ya no use ninguna página.",
  "problem.too_many_bots": "Tiene tantos bots como puede tener. Elimine uno que ya no necesite.",
  "problem.bot_misconfigured": "La configuración de este bot está dañada. Guárdela de nuevo.",
  "problem.payments_not_configured": "En este servidor no se vende nada: aquí no hay pagos configurados.",
  "problem.payment_provider_unavailable":
    "El proveedor de pagos no responde por ahora. No se cobró nada. Inténtelo de nuevo en un momento.",
  "problem.payment_provider_refused":
    "El proveedor de pagos no está bien configurado en este servidor. No se cobró nada. Avise a quien lo administra.",
  "problem.price_not_offered": "Esto ya no está a la venta. Vuelva a cargar la página y elija de nuevo.",
  "problem.already_subscribed": "Ya tiene un plan. Cámbielo en la página del proveedor de pagos.",
  "problem.storage_unavailable": "Se produjo un error por nuestra parte. Inténtelo de nuevo en un momento.",
  "problem.internal_error": "Se produjo un error por nuestra parte. Inténtelo de nuevo en un momento.",
  "problem.identity_unavailable": "De momento no se puede iniciar sesión. Inténtelo de nuevo pronto."
}
