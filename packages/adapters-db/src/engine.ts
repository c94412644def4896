/** For the first lines of a process that is about to open an embedded database: loads nothing but Node's own modules. */
export { startEngine } from "./database/embedded/engineWorker.ts"
