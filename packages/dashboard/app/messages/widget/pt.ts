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
  "widget.scheme.dark": "Sempre escuro",
  "widget.preview": "Prévia",
  "widget.preview.text":
    "O widget com as configurações deste formulário, salvas ou não. As respostas são exemplos: nada é cobrado nem guardado.",
  "widget.preview.real": "Experimentar o bot salvo em uma aba própria; o que você perguntar ali custa créditos.",
  "widget.preview.frame": "Prévia do chat",
  "widget.preview.language": "Idioma da prévia",
  "widget.preview.off": "O bot está desligado: os visitantes não veem nada.",
  "widget.install": "Instalar",
  "widget.snippet": "Colocar no seu site",
  "widget.snippet.platform": "Com o que o seu site é feito",
  "widget.snippet.html": "Cole esta linha nas suas páginas, antes do fim do “body”.",
  "widget.snippet.wordpress":
    "Cole isto no fim do arquivo functions.php do seu tema filho, ou como trecho PHP de um plugin como o WPCode.",
  "widget.snippet.shopify":
    "Em “Loja virtual”, “Temas”, “Editar código”, abra layout/theme.liquid e cole esta linha antes de </body>.",
  "widget.snippet.webflow":
    "Nas configurações do site, em “Custom code”, cole esta linha em “Footer code”, salve e publique o site.",
  "widget.snippet.react":
    "Instale o pacote com “npm install @parley/widget” e mostre este componente uma vez, por exemplo no seu layout.",
  "widget.snippet.name.html": "HTML",
  "widget.snippet.name.wordpress": "WordPress",
  "widget.snippet.name.shopify": "Shopify",
  "widget.snippet.name.webflow": "Webflow",
  "widget.snippet.name.react": "React",
  "widget.sites": "Sites que o carregam",
  "widget.sites.text": "O Parley anota apenas o site, no máximo uma vez por hora, e nada dos visitantes.",
  "widget.sites.loaded": "{site} carregou o widget {ago}.",
  "widget.sites.refused":
    "{site} tentou carregar o widget {ago}, mas não está entre os sites permitidos. Os visitantes não veem nada ali.",
  "widget.sites.silent": "Nenhuma página de {site} carregou o widget ainda.",
  "widget.sites.none": "Nenhum site carregou o widget ainda. Abra uma página com a linha acima e volte aqui.",
  "widget.transcript": "Salvar como texto",
  "widget.transcript.failed": "Não foi possível salvar. Tentar de novo",
  "widget.transcript.person": "Uma pessoa"
}
