import type { MessagesLike } from "../catalogue.ts"
import type { crm as english } from "../en/crm.ts"

export const crm: MessagesLike<typeof english> = {
  "crm.title": "CRM",
  "crm.text": "Dé a este bot acceso a su cuenta. Lo autoriza en la página del proveedor y lo retira aquí.",
  "crm.state.none": "No conectado",
  "crm.state.connected": "Conectado",
  "crm.state.needs_reconnect": "Debe conectarse de nuevo",
  "crm.state.error": "No funciona por ahora",
  "crm.since": "desde el {day}, por {who}",
  "crm.connect": "Conectar",
  "crm.connectNamed": "Conectar {name}",
  "crm.reconnect": "Volver a conectar",
  "crm.reconnectNamed": "Volver a conectar {name}",
  "crm.disconnect": "Desconectar",
  "crm.disconnectNamed": "Desconectar {name}",
  "crm.disconnect.title": "¿Desconectar {name}?",
  "crm.disconnect.text": "El bot ya no tendrá acceso a su cuenta de {name}. Puede conectarlo de nuevo.",
  "crm.disconnected": "{name} está desconectado.",
  "crm.disconnected.pending":
    "{name} está desconectado. El proveedor no respondió; más tarde se le comunicará que el acceso ha terminado.",
  "crm.disconnected.unsupported":
    "{name} está desconectado. Para terminar también allí el acceso, use su configuración de {name}.",
  "crm.disconnected.failed":
    "{name} está desconectado, pero no se pudo informar al proveedor. Termine el acceso en su configuración de {name}.",
  "crm.unavailable": "Ahora no se puede conectar: este servidor no está configurado para ello.",
  "crm.problem.expired": "El acceso ha terminado.",
  "crm.problem.refused": "{name} ya no permite el acceso.",
  "crm.problem.answer_lost": "El acceso se renovó, pero la respuesta se perdió por el camino.",
  "crm.problem.client": "El proveedor no acepta este servidor. Avise a quien lo administra.",
  "crm.problem.unavailable": "El proveedor no responde por ahora. Se vuelve a intentar automáticamente.",
  "crm.problem.unreadable":
    "Este servidor no puede leer el acceso que guardó. Avise a quien lo administra, o conéctelo de nuevo.",
  "crm.return.connected": "{name} está conectado.",
  "crm.return.denied": "No se conectó nada: no se permitió el acceso.",
  "crm.return.state":
    "No se conectó nada: lo que llegó era demasiado tarde, ya se había usado o se inició en otro lugar. Conecte de nuevo desde aquí.",
  "crm.return.exchange": "No se conectó nada: el proveedor no lo completó. Inténtelo de nuevo en un momento.",
  "crm.return.bot": "No se conectó nada: el bot se eliminó entretanto."
}
