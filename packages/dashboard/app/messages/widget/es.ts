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
  "widget.scheme.dark": "Siempre oscuro",
  "widget.preview": "Vista previa",
  "widget.preview.text":
    "El widget con los ajustes de este formulario, guardados o no. Sus respuestas son ejemplos: no se cobra ni se guarda nada.",
  "widget.preview.real": "Probar el bot guardado en una pestaña aparte; lo que pregunte allí cuesta créditos.",
  "widget.preview.frame": "Vista previa del chat",
  "widget.preview.language": "Idioma de la vista previa",
  "widget.preview.off": "El bot está desactivado: los visitantes no ven nada.",
  "widget.install": "Instalar",
  "widget.snippet": "Ponerlo en su sitio",
  "widget.snippet.platform": "Con qué está hecho su sitio",
  "widget.snippet.html": "Pegue esta línea en sus páginas, antes del final de «body».",
  "widget.snippet.wordpress":
    "Pegue esto al final del archivo functions.php de su tema hijo, o como fragmento PHP de un plugin como WPCode.",
  "widget.snippet.shopify":
    "En «Tienda online», «Temas», «Editar código», abra layout/theme.liquid y pegue esta línea antes de </body>.",
  "widget.snippet.webflow":
    "En los ajustes del sitio, en «Custom code», pegue esta línea en «Footer code», guarde y publique el sitio.",
  "widget.snippet.react":
    "Instale el paquete con «npm install @parley/widget» y muestre este componente una vez, por ejemplo en su plantilla.",
  "widget.snippet.name.html": "HTML",
  "widget.snippet.name.wordpress": "WordPress",
  "widget.snippet.name.shopify": "Shopify",
  "widget.snippet.name.webflow": "Webflow",
  "widget.snippet.name.react": "React",
  "widget.sites": "Sitios que lo cargan",
  "widget.sites.text": "Parley anota solo el sitio, una vez por hora como máximo, y nada de sus visitantes.",
  "widget.sites.loaded": "{site} cargó el widget {ago}.",
  "widget.sites.refused":
    "{site} intentó cargar el widget {ago}, pero no está entre los sitios permitidos. Sus visitantes no ven nada.",
  "widget.sites.silent": "Ninguna página de {site} ha cargado aún el widget.",
  "widget.sites.none": "Ningún sitio ha cargado aún el widget. Abra una página con la línea de arriba y vuelva aquí.",
  "widget.transcript": "Guardar como texto",
  "widget.transcript.failed": "No se pudo guardar. Reintentar",
  "widget.transcript.person": "Una persona"
}
