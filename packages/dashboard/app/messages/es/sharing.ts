import type { MessagesLike } from "../catalogue.ts"
import type { sharing as english } from "../en/sharing.ts"

export const sharing: MessagesLike<typeof english> = {
  "rating.good": "Buena respuesta",
  "rating.bad": "Mala respuesta",
  "rating.title": "¿Qué estaba mal?",
  "rating.comment": "Su comentario",
  "rating.text":
    "El operador de este servidor puede leer su comentario y el identificador de la respuesta, pero no el chat.",
  "rating.send": "Enviar",
  "rating.skip": "Omitir",
  "share.title": "Compartir este chat",
  "share.text":
    "Cualquier persona que tenga el enlace puede leer este chat tal como está ahora. Los mensajes posteriores y los textos de sus documentos no se comparten; los nombres de los documentos citados, sí.",
  "share.create": "Crear un enlace",
  "share.link": "Enlace a este chat",
  "share.copy": "Copiar el enlace",
  "share.copied": "Copiado",
  "share.shared": "Compartido el {date}, hasta el mensaje que entonces era el último.",
  "share.renew": "Compartirlo tal como está ahora",
  "share.renewed": "El enlace muestra el chat tal como está ahora.",
  "share.end": "Anular el enlace",
  "shared.title": "Chat compartido",
  "shared.note": "Este chat se compartió el {date}. Se puede leer, pero no continuar.",
  "shared.own": "Empezar un chat propio",
  "shared.gone": "Este enlace no lleva a ninguna parte: el chat ya no se comparte o se eliminó.",
  "shared.source": "{number}: {name}",
  "shared.sourcePage": "{number}: {name}, página {page}",
  "preferences.title": "Respuestas",
  "preferences.model": "El modelo de los chats nuevos",
  "preferences.model.firstOfPlan": "El primero de su plan",
  "preferences.instructions": "Instrucciones para cada respuesta",
  "preferences.instructions.text":
    "Por ejemplo, cómo desea que se le trate o qué extensión deben tener las respuestas. Cuentan como parte de cada pregunta.",
  "preferences.save": "Guardar",
  "preferences.saved": "Guardado."
}
