import type { Message } from "../format.ts"

/** Texts about the widget of a bot: its look. */
export const widget = {
  "widget.section": "Appearance",
  "widget.side": "Side of the window",
  "widget.side.auto": "Right (left on pages that run from right to left)",
  "widget.side.left": "Left",
  "widget.side.right": "Right",
  "widget.launcher": "Words on the button",
  "widget.launcher.text": "Beside its picture, such as “Ask us”. Left empty, the button is round.",
  "widget.launcher.invalid": "One line with at most {most} characters.",
  "widget.radius": "Corners",
  "widget.radius.0": "Square",
  "widget.radius.8": "Slightly rounded",
  "widget.radius.18": "Rounded",
  "widget.radius.24": "Very rounded",
  "widget.radius.own": "{pixels} pixels",
  "widget.font": "Font",
  "widget.font.system": "As the visitor’s system",
  "widget.font.humanist": "Humanist",
  "widget.font.rounded": "Rounded",
  "widget.font.serif": "With serifs",
  "widget.font.mono": "Typewriter",
  "widget.font.text": "Visitors see it in a font that their device has: none is loaded.",
  "widget.scheme": "Light or dark",
  "widget.scheme.auto": "As the visitor’s system",
  "widget.scheme.light": "Always light",
  "widget.scheme.dark": "Always dark",
  "widget.preview": "Preview",
  "widget.preview.text":
    "The widget with the settings of this form, saved or not. Its replies are samples: nothing is charged or stored.",
  "widget.preview.real": "Try the saved bot in a tab of its own; what you ask there costs credits.",
  "widget.preview.frame": "Preview of the chat",
  "widget.preview.language": "Language of the preview",
  "widget.preview.off": "The bot is switched off: visitors see nothing.",
  "widget.install": "Install",
  "widget.snippet": "Put it on your site",
  "widget.snippet.platform": "What your site is made with",
  "widget.snippet.html": "Paste this line into your pages, before the end of the body.",
  "widget.snippet.wordpress":
    "Paste this at the end of the file functions.php of your child theme, or as a PHP snippet of a plugin such as WPCode.",
  "widget.snippet.shopify":
    "In “Online Store”, “Themes”, “Edit code”, open layout/theme.liquid and paste this line before </body>.",
  "widget.snippet.webflow":
    "In the site settings under “Custom code”, paste this line into “Footer code”, save, and publish the site.",
  "widget.snippet.react":
    "Install the package with “npm install @parley/widget”, then render this component once, for example in your layout.",
  "widget.snippet.name.html": "HTML",
  "widget.snippet.name.wordpress": "WordPress",
  "widget.snippet.name.shopify": "Shopify",
  "widget.snippet.name.webflow": "Webflow",
  "widget.snippet.name.react": "React",
  "widget.sites": "Sites that load it",
  "widget.sites.text": "Parley notes the site alone, at most once an hour, and nothing of its visitors.",
  "widget.sites.loaded": "{site} loaded the widget {ago}.",
  "widget.sites.refused":
    "{site} tried to load the widget {ago}, but is not among the allowed sites. Its visitors see nothing.",
  "widget.sites.silent": "No page of {site} has loaded the widget yet.",
  "widget.sites.none": "No site has loaded the widget yet. Open a page with the line above, then come back.",
  "widget.transcript": "Save as text",
  "widget.transcript.failed": "It could not be saved. Try again",
  "widget.transcript.person": "A person"
} as const satisfies Record<string, Message>
