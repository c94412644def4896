import { cuts } from "./cuts.ts"

// No divisor of the bytes of any character.
cuts(5)
