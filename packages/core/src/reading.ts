/** The entry for browser pages that show sources and colours: pure functions that load no other package. */

export { brandColours } from "./branding/brandColours.ts"
export { contrast, isColour, LEGIBLE } from "./branding/colours.ts"
export { type ShownSource, showSource } from "./chat/sources/showSource.ts"
export type { Source } from "./chat/store/StoredChat.ts"
export { type Heading, headingPath } from "./documents/reading/Heading.ts"
export {
  type ReflowedText,
  type SharedRun,
  type TextSpan,
  reflow,
  shownSpan,
  sourceSpan,
  splitSentences
} from "./documents/reading/readableText.ts"
