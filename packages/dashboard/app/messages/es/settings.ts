import type { MessagesLike } from "../catalogue.ts"
import type { settings as english } from "../en/settings.ts"

export const settings: MessagesLike<typeof english> = {
  "settings.appearance": "Apariencia",
  "settings.theme": "Colores",
  "settings.language": "Idioma",
  "settings.account": "Cuenta",
  "settings.signedInAs": "Sesión iniciada como",
  "settings.plan": "Plan",
  "settings.planCredits": { one: "{count} crédito al mes", other: "{count} créditos al mes" },
  "settings.planDocuments": {
    one: "hasta {count} documento, {size} en total",
    other: "hasta {count} documentos, {size} en total"
  },
  "settings.data": "Sus datos",
  "settings.export":
    "Una copia de todo lo que se guarda sobre usted, en líneas de JSON. Los archivos están en la página de documentos.",
  "settings.export.action": "Descargar",
  "settings.delete": "Elimina para siempre su cuenta y todo lo que le pertenece.",
  "settings.delete.action": "Eliminar la cuenta",
  "settings.delete.title": "¿Eliminar su cuenta?",
  "settings.delete.text":
    "Sus chats, documentos y bots, y los créditos que queden, desaparecerán. Un plan de pago termina ahora, sin reembolso. No se puede deshacer.",
  "settings.signInAgain": "Iniciar sesión de nuevo",
  "settings.costs": "Qué cuesta créditos",
  "settings.costs.text":
    "Una respuesta cuesta lo que su modelo lee y escribe; los documentos no cuestan nada. Una respuesta continúa, y sigue costando, si cierra la página o pierde la conexión: estará ahí cuando vuelva. «Detener» la termina, y también su coste."
}
