import type { MessagesLike } from "../catalogue.ts"
import type { widget as english } from "./en.ts"

export const widget: MessagesLike<typeof english> = {
  "widget.section": "Apariencia",
  "widget.side": "Lado de la ventana",
  "widget.side.auto": "Derecha (izquierda en páginas escritas de derecha a izquierda)",
  "widget.side.left": "Izquierda",
  "widget.side.right": "Derecha",
  "widget.launcher": "Palabras en el botón",
  "widget.launcher.text": "Junto a su imagen, por ejemplo «Pregúntanos». Si queda vacío, el botón es redondo.",
  "widget.launcher.invalid": "Una línea de {most} caracteres como máximo.",
  "widget.radius": "Esquinas",
  "widget.radius.0": "Rectas",
  "widget.radius.8": "Algo redondeadas",
  "widget.radius.18": "Redondeadas",
  "widget.radius.24": "Muy redondeadas",
  "widget.radius.own": "{pixels} píxeles",
  "widget.font": "Tipo de letra",
  "widget.font.system": "El del sistema del visitante",
  "widget.font.humanist": "Humanista",
  "widget.font.rounded": "Redondeado",
  "widget.font.serif": "Con serifas",
  "widget.font.mono": "Máquina de escribir",
  "widget.font.text": "Los visitantes ven un tipo de letra de su dispositivo: no se carga ninguno.",
  "widget.scheme": "Claro u oscuro",
  "widget.scheme.auto": "Como el sistema del visitante",
  "widget.scheme.light": "Siempre claro",
  "widget.scheme.dark": "Siempre oscuro"
}
