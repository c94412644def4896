import type { MessagesLike } from "../catalogue.ts"
import type { widget as english } from "./en.ts"

export const widget: MessagesLike<typeof english> = {
  "widget.section": "Aparência",
  "widget.side": "Lado da janela",
  "widget.side.auto": "Direita (esquerda em páginas escritas da direita para a esquerda)",
  "widget.side.left": "Esquerda",
  "widget.side.right": "Direita",
  "widget.launcher": "Palavras no botão",
  "widget.launcher.text": "Ao lado da imagem, por exemplo “Pergunte”. Se ficar vazio, o botão é redondo.",
  "widget.launcher.invalid": "Uma linha com no máximo {most} caracteres.",
  "widget.radius": "Cantos",
  "widget.radius.0": "Retos",
  "widget.radius.8": "Pouco arredondados",
  "widget.radius.18": "Arredondados",
  "widget.radius.24": "Muito arredondados",
  "widget.radius.own": "{pixels} pixels",
  "widget.font": "Fonte",
  "widget.font.system": "A do sistema do visitante",
  "widget.font.humanist": "Humanista",
  "widget.font.rounded": "Arredondada",
  "widget.font.serif": "Com serifas",
  "widget.font.mono": "Máquina de escrever",
  "widget.font.text": "Os visitantes veem uma fonte do próprio dispositivo: nenhuma é carregada.",
  "widget.scheme": "Claro ou escuro",
  "widget.scheme.auto": "Como o sistema do visitante",
  "widget.scheme.light": "Sempre claro",
  "widget.scheme.dark": "Sempre escuro"
}
