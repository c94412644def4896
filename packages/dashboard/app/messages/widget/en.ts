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
  "widget.scheme.dark": "Always dark"
} as const satisfies Record<string, Message>
