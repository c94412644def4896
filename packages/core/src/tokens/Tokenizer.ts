import { Context } from "effect"
import { pieceTokenizer } from "./pieceTokenizer.ts"
import type { TokenizerService } from "./TokenizerService.ts"

/** The tokenizer in force: `pieceTokenizer` unless configured. */
export class Tokenizer extends Context.Reference<TokenizerService>("@parley/core/tokens/Tokenizer", {
  defaultValue: () => pieceTokenizer
}) {}
