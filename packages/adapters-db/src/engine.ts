/**
 * Starts the thread of an embedded database early: a process imports this entry first, because it loads only Node's
 * modules.
 */
export { startEngine } from "./database/embedded/engineWorker.ts"
