export { exitCodes, type ExitCode } from "./exitCodes.ts"
export { runParley } from "./runParley.ts"
