/** What another body parser has left of a body: its bytes, its parsed value, or nothing that could be used. */
export type TakenBody =
  | { readonly _tag: "bytes"; readonly bytes: Buffer }
  | { readonly _tag: "value"; readonly value: unknown }
  | { readonly _tag: "lost" }
